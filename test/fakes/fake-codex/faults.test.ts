import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../fake-clock.ts";
import { type Frame, pick } from "./driver.ts";
import { type FaultKind, faultKinds, killAtEveryFrame } from "./fault-kinds.ts";
import { memoryHome } from "./home.ts";
import { type Bed, makeBed, settle } from "./testbed.ts";

const options = { timeout: 10_000 };
const command = "item/commandExecution/requestApproval";
const hello = [{ emit: [{ agent: "hello" }] }, { emit: [{ agent: "again" }] }];
const asking = [
  {
    emit: [
      { exec: { cmd: "one", approve: true } },
      { exec: { cmd: "two", approve: true } },
      { agent: "done" },
    ],
  },
];
const accept = { result: { decision: "accept" } };

const bedWith = (
  event: string,
  fault: string,
  turns: readonly object[] = hello,
  more: object = {},
): Promise<Bed> => makeBed({ turns, faults: [{ at: { event }, do: fault, ...more }] });

const count = (bed: Bed, word: string): number => bed.heard().filter((each) => each === word).length;

/** Where the second `item/completed`, the first usage and the end of the turn came. */
async function orderOf(fault: string): Promise<readonly number[]> {
  const faults = [{ at: { event: "item/completed", n: 2 }, do: fault }];
  await using bed = await makeBed({ turns: hello, faults });
  await bed.turn();
  await bed.driver.next("turn/completed");
  await bed.driver.call("thread/read", { threadId: bed.thread });
  const heard = bed.heard();
  return [
    heard.lastIndexOf("item/completed"),
    heard.indexOf("thread/tokenUsage/updated"),
    heard.indexOf("turn/completed"),
  ];
}

/** A test per kind of fault; none may be forgotten. */
const cases: Readonly<Record<FaultKind, () => Promise<void>>> = {
  async sigkill() {
    const home = memoryHome();
    const faults = [{ at: { event: "item/completed", n: 2 }, do: "sigkill" }];
    await using bed = await makeBed({ turns: hello, faults }, { home });
    await bed.turn();
    assert.deepEqual(await bed.driver.ended, {
      code: null,
      signal: "SIGKILL",
      stderrTail: "",
      stderrCut: false,
    });
    assert.equal(bed.heard().at(-1), "item/completed");
    await using next = await makeBed({ turns: hello, faults }, { home });
    const answer = await next.driver.call("thread/resume", { threadId: bed.thread });
    const [turn] = pick(answer, "result", "thread", "turns") as Frame[];
    assert.equal(turn?.["status"], "interrupted");
    assert.equal(pick(turn, "items", 1, "text"), "hello");
    await next.turn();
    await next.driver.next("turn/completed");
  },
  async sigstop() {
    await using bed = await bedWith("turn/started", "sigstop");
    await bed.turn();
    await bed.driver.send({ id: 77, method: "thread/read", params: { threadId: bed.thread } });
    await settle();
    assert.equal(bed.heard().at(-1), "turn/started");
    await bed.child.kill();
    assert.equal((await bed.driver.ended).signal, "SIGKILL");
  },
  async exit() {
    await using bed = await bedWith("turn/started", "exit:7");
    await bed.turn();
    assert.equal((await bed.driver.ended).code, 7);
    assert.equal(bed.heard().at(-1), "turn/started");
  },
  async garbage() {
    await using bed = await bedWith("turn/started", "garbage:12");
    await bed.turn();
    await bed.driver.next("turn/completed");
    const lines = bed.raw().toString("latin1").split("\n").slice(0, -1);
    assert.equal(lines.length, bed.heard().length + 12);
    assert.ok(bed.raw().includes(0), "there is a NUL in it");
  },
  async partial() {
    await using bed = await bedWith("turn/completed", "partial");
    await bed.turn();
    assert.equal((await bed.driver.ended).code, 0);
    const last = bed.raw().toString().split("\n").at(-1) ?? "";
    assert.match(last, /^\{"method":"turn\/completed"/);
    assert.throws(() => JSON.parse(last) as unknown);
  },
  async huge() {
    await using bed = await bedWith("turn/started", "huge:1048576");
    await bed.turn();
    await bed.driver.next("turn/completed");
    const lengths = bed
      .raw()
      .toString()
      .split("\n")
      .map((line) => line.length);
    assert.equal(Math.max(...lengths), 1_048_576);
    assert.equal(count(bed, "fake/huge"), 1);
  },
  async dup() {
    await using bed = await bedWith("item/completed", "dup");
    await bed.turn();
    await bed.driver.next("turn/completed");
    const items = bed.driver.wire.filter(({ msg }) => msg["method"] === "item/completed");
    assert.equal(items.length, 3);
    assert.deepEqual(items[0], items[1]);
  },
  async reorder() {
    const [item = 0, usage = 0] = await orderOf("reorder");
    assert.equal(item, usage + 1);
    const [late = 0, , completed = 0] = await orderOf("reorder:turn/completed");
    assert.equal(late, completed + 1);
    const [third = 0, first = 0] = await orderOf("reorder:3");
    assert.equal(third, first + 3);
  },
  async drop() {
    await using bed = await bedWith("item/started", "drop");
    await bed.turn();
    await bed.driver.next("turn/completed");
    assert.equal(count(bed, "item/started"), 1);
    assert.equal(count(bed, "item/completed"), 2);
  },
  async delay() {
    const clock = fakeClock();
    const faults = [{ at: { event: "turn/completed" }, do: "delay:5000" }];
    await using bed = await makeBed({ turns: hello, faults }, { clock });
    await bed.turn();
    await settle();
    await clock.advance(4999);
    assert.equal(count(bed, "turn/completed"), 0);
    await clock.advance(1);
    await bed.driver.next("turn/completed");
  },
  async stderr() {
    await using bed = await bedWith("turn/started", "stderr:200000");
    await bed.turn();
    await bed.driver.next("turn/completed");
    bed.child.closeInput();
    const { stderrTail, stderrCut } = await bed.driver.ended;
    assert.ok(stderrCut);
    assert.match(stderrTail, /oauth/);
  },
  async noread() {
    await using bed = await bedWith("turn/completed", "noread");
    await bed.turn();
    await bed.driver.next("turn/completed");
    await bed.driver.send({ id: 77, method: "thread/read", params: { threadId: bed.thread } });
    await bed.driver.send({ id: 78, method: "thread/read", params: { threadId: bed.thread } });
    await settle();
    assert.equal(bed.child.log.filter(({ dir, msg }) => dir === "c>s" && pick(msg, "id") === 78).length, 0);
  },
  async unknownReq() {
    await using bed = await bedWith("item/completed", "unknownReq");
    await bed.turn();
    const { id } = await bed.driver.next("fake/unknownRequest");
    await bed.driver.send({ id, error: { code: -32601, message: "no" } });
    await bed.driver.next("turn/completed");
  },
  async reuseId() {
    const faults = [{ at: { event: command, n: 2 }, do: "reuseId" }];
    await using bed = await makeBed({ turns: asking, faults });
    await bed.turn();
    const first = await bed.driver.next(command);
    await bed.driver.send({ id: first["id"], ...accept });
    const second = await bed.driver.next(command);
    assert.equal(second["id"], first["id"]);
    await bed.driver.send({ id: second["id"], ...accept });
    await bed.driver.next("turn/completed");
    await using other = await bedWith("thread/start", "reuseId");
    await other.driver.call("thread/read", { threadId: other.thread });
    const answers = other.driver.wire.filter(({ dir, msg }) => dir === "s>c" && msg["id"] === 2);
    assert.deepEqual(answers.at(1)?.msg, { id: 2, result: {} });
  },
  async wrongThread() {
    await using bed = await bedWith("turn/completed", "wrongThread");
    const turn = await bed.turn();
    const stray = await bed.driver.next("turn/completed");
    assert.notEqual(pick(stray, "params", "threadId"), bed.thread);
    const own = await bed.driver.next("turn/completed");
    assert.deepEqual(
      [pick(own, "params", "threadId"), pick(own, "params", "turn", "id")],
      [bed.thread, turn],
    );
  },
  async earlyApproval() {
    await using bed = await bedWith(command, "earlyApproval", asking);
    await bed.turn();
    const { id } = await bed.driver.next(command);
    const { params } = await bed.driver.next("item/started");
    assert.equal(pick(params, "item", "type"), "commandExecution");
    await bed.driver.send({ id, ...accept });
    await bed.driver.next("item/completed");
  },
  async noApprovalItem() {
    await using bed = await bedWith(command, "noApprovalItem", asking);
    await bed.turn();
    const { id } = await bed.driver.next(command);
    await bed.driver.send({ id, ...accept });
    await bed.driver.next(command);
    assert.equal(count(bed, "item/started"), 2, "the words of the user and the second command");
  },
  async resolveEarly() {
    await using bed = await bedWith(command, "resolveEarly", asking);
    await bed.turn();
    const { id } = await bed.driver.next(command);
    assert.equal(pick(await bed.driver.next("serverRequest/resolved"), "params", "requestId"), id);
    const done = await bed.driver.next("item/completed");
    assert.equal(pick(done, "params", "item", "status"), "declined");
    await bed.driver.send({ id, ...accept }); // too late
    const next = await bed.driver.next(command);
    await bed.driver.send({ id: next["id"], ...accept });
    await bed.driver.next("turn/completed");
    const ran = bed.child.log.flatMap(({ dir, msg }) => (dir === "note" ? [pick(msg, "ran")] : []));
    assert.deepEqual(ran.filter(Boolean), ["two"]);
  },
  async noTurnCompleted() {
    for (const event of ["turn/completed", "turn/started"]) {
      await using bed = await bedWith(event, "noTurnCompleted");
      await bed.turn();
      await bed.driver.until("idle", (frame) => pick(frame, "params", "status", "type") === "idle");
      const answer = await bed.driver.call("thread/read", { threadId: bed.thread, includeTurns: true });
      assert.equal(pick(answer, "result", "thread", "status", "type"), "idle");
      assert.equal(pick(answer, "result", "thread", "turns", 0, "status"), "completed");
      assert.equal(count(bed, "turn/completed"), 0);
      await bed.turn();
      await bed.driver.next("turn/completed");
    }
  },
  async overload() {
    await using bed = await bedWith("turn/start", "overload");
    const params = { threadId: bed.thread, input: [{ type: "text", text: "go" }] };
    const refused = await bed.driver.call("turn/start", params);
    assert.deepEqual(refused["error"], { code: -32001, message: "Server overloaded; retry later." });
    await bed.turn();
    await bed.driver.next("turn/completed");
    assert.equal(count(bed, "turn/started"), 1);
  },
};

describe("faults of the fake codex", () => {
  for (const kind of faultKinds) test(kind, options, () => cases[kind]());

  test("a fault is over with the first process, unless it is told to stay", options, async () => {
    const home = memoryHome();
    const fault = { at: { event: "initialize" }, do: "exit:3" };
    const start = (more: object) => makeBed({ turns: hello, faults: [{ ...fault, ...more }] }, { home });
    await assert.rejects(start({}));
    await using healed = await start({});
    assert.ok(healed.thread);
    await assert.rejects(start({ process: 3 }));
    await assert.rejects(start({ process: "every" }));
  });

  test(
    "killed after any frame, it has said all before it, and the next process goes on from there",
    options,
    async () => {
      const turns = [{ emit: [{ exec: { cmd: "ls", output: "x\n" } }, { agent: "hello" }] }, ...hello];
      await using whole = await makeBed({ turns });
      await whole.turn();
      await whole.driver.next("turn/completed");
      const frames = whole.heard();
      for (const fault of killAtEveryFrame(frames.length)) {
        const home = memoryHome();
        const bed = await makeBed({ turns, faults: [fault] }, { home }).catch(() => undefined);
        await bed?.turn().catch(() => {});
        await bed?.driver.ended;
        const at = pick(fault, "at", "frame") as number;
        if (bed !== undefined) assert.deepEqual(bed.heard(), frames.slice(0, at));
        await using next = await makeBed({ turns, faults: [fault] }, { home });
        const threadId = bed?.thread ?? next.thread;
        const resumed = await next.driver.call("thread/resume", { threadId, excludeTurns: true });
        if (at >= frames.indexOf("= turn/start") + 1)
          assert.equal(resumed["error"], undefined, `after frame ${at}`);
        if (at < frames.indexOf("thread/started"))
          assert.notEqual(resumed["error"], undefined, `after frame ${at}`);
      }
    },
  );
});
