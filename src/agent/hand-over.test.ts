import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { input, sessionOf, testHome, watch } from "../../test/fakes/test-agent.ts";
import { done, says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import type { EndedEvent } from "../core/events.ts";
import type { Fault } from "../core/faults.ts";
import { asId } from "../core/ids.ts";
import type { CallItem } from "../core/items.ts";
import type { Message } from "../core/messages.ts";
import type { Runtime, Turn } from "../runtimes/runtime.ts";
import { validHistory } from "../../test/valid-history.ts";
import { combinedEnd, reasonToHandOver, handedOverTurn } from "./hand-over.ts";

const quota: Fault = { code: "quota", message: "The plan is used up.", next: "Wait until 14:00." };
const failed = (fault: Fault, calls = 0): EndedEvent => ({
  type: "ended",
  outcome: "failed",
  fault,
  text: "",
  calls,
  side: { thread: "thr" },
});
const user: Message = { role: "user", content: "go" };
const call: readonly Message[] = [
  { role: "assistant", content: "", toolCalls: [{ id: "c", name: "exec", arguments: "{}" }] },
  { role: "tool", toolCallId: "c", content: "owl" },
];
const turn: Turn = {
  id: asId<"trn">("trn_1"),
  session: asId<"ses">("ses_1"),
  cwd: "/w",
  past: async () => ({ history: [] }),
  input: [{ type: "text", text: "go" }],
  instructions: "",
  project: "",
  context: ["before"],
};

const named = (runtime: Runtime, name: string): Runtime => ({ ...runtime, name });

describe("a turn that is taken over", () => {
  test("has what was finished after the person's message, and a word about it", () => {
    const rest = handedOverTurn(
      turn,
      [user, { role: "assistant", content: "Looking." }, ...call],
      "codex",
      quota,
    );
    assert.deepEqual(rest.doneElsewhere, [{ ...call[0], content: "Looking." }, call[1]]);
    assert.equal(rest.context[0], "before");
    assert.match(rest.context[1] ?? "", /^codex has begun .* The plan is used up\. .*do not do it again\.$/);
  });

  test("quotes words that were shown last, because no conversation may end with them", () => {
    const rest = handedOverTurn(
      turn,
      [user, ...call, { role: "assistant", content: "It is an" }],
      "codex",
      quota,
    );
    assert.deepEqual(rest.doneElsewhere, call);
    assert.match(rest.context[1] ?? "", /last words that it showed to the person were:\n\nIt is an$/);
    assert.equal(
      validHistory([user, ...(rest.doneElsewhere ?? []), { role: "assistant", content: "." }]),
      undefined,
    );
  });

  test("has what was said into it once: below a result, or with the words that began it", () => {
    const kind: Message = { role: "user", content: "be kind" };
    const looks: Message = { role: "assistant", content: "Looking." };
    const beside = handedOverTurn(turn, [user, ...call, kind], "codex", quota);
    assert.match(String(beside.doneElsewhere?.at(-1)?.content), /^owl\n\n\[.*\]\nbe kind$/);
    assert.deepEqual(beside.input, turn.input);
    for (const rows of [
      [user, kind],
      [user, looks, kind],
    ]) {
      const rest = handedOverTurn(turn, rows, "codex", quota);
      assert.deepEqual(rest.input, [{ type: "text", text: "go\n\nbe kind" }]);
      assert.deepEqual(rest.doneElsewhere ?? [], []);
      assert.equal(
        rest.context.some((text) => text.endsWith("Looking.")),
        rows.includes(looks),
      );
    }
  });

  test("is the same as before when nothing was done", () => {
    assert.equal(handedOverTurn(turn, [user], "codex", quota), turn);
  });
});

test("only a provider that is out of service is a reason to go elsewhere", () => {
  const reasons = (
    ["quota", "rate_limited", "overloaded", "auth", "network", "refused", "lost"] as const
  ).filter((code) => reasonToHandOver(failed({ ...quota, code })) !== undefined);
  assert.deepEqual(reasons, ["quota", "rate_limited", "overloaded"]);
  assert.equal(reasonToHandOver({ ...failed(quota), outcome: "interrupted" }), undefined);
});

test("both parts of a turn end as one", () => {
  const usage = { input: 10, cached: 0, output: 1, reasoning: 0, context: { used: 11 } };
  assert.deepEqual(combinedEnd({ ...failed(quota, 2), usage }, { ...done("owl", 1), usage }, quota), {
    type: "ended",
    outcome: "done",
    text: "owl",
    calls: 3,
    side: { thread: "thr" },
    usage: { ...usage, input: 20, output: 2 },
  });
  const again = combinedEnd(
    failed(quota),
    failed({ code: "auth", message: "No key.", next: "Set it." }),
    quota,
  );
  assert.deepEqual(again.fault, {
    ...quota,
    message: "The plan is used up. The fallback failed too: No key.",
  });
});

describe("handing over", () => {
  const item: CallItem = {
    id: asId<"itm">("i1"),
    kind: "call",
    callId: "c",
    tool: "exec",
    args: {},
    output: "owl hunter2",
    ok: true,
  };
  const breaksOff = scriptedRuntime(async function* () {
    yield { type: "item", item };
    yield failed(quota, 1);
  });

  test("the same turn goes on elsewhere: one start, one notice, one end, all rows in one turn", async () => {
    await using home = await testHome();
    const seen: Turn[] = [];
    const left: Turn[] = [];
    const standIn = scriptedRuntime((rest) => {
      seen.push(rest);
      return says("It says owl.", rest);
    });
    const first: Runtime = {
      ...named(breaksOff, "codex"),
      leave: async (rest) => void left.push(rest),
    };
    const agent = await home.open(first, { standIn: named(standIn, "loop") });
    const incoming = input("what does it say?");
    const { events } = watch(agent, sessionOf(incoming));
    const ended = await (await agent.send(incoming)).ended;
    assert.partialDeepStrictEqual(ended, {
      outcome: "done",
      text: "It says owl.",
      calls: 1,
      side: { thread: "thr" },
    });
    assert.deepEqual(
      events.map((event) => (event.type === "notice" ? event.code : event.type)),
      ["started", "item", "route_switched", "item", "ended"],
    );
    assert.deepEqual(
      left,
      seen.map((one) => ({ ...one, side: { thread: "thr" } })),
    );
    assert.deepEqual(
      seen[0]?.doneElsewhere?.map(({ content }) => content),
      ["", "owl •••"],
      "as it is kept, without secrets",
    );
    const rows = await home.disk.sessions.messages(sessionOf(incoming));
    assert.deepEqual(
      rows.map(({ message }) => message.role),
      ["user", "assistant", "tool", "assistant"],
    );
    assert.equal((await home.disk.sessions.turns(sessionOf(incoming))).length, 1);
  });

  test("without anybody to take over, and after a Stop, the turn ends as it did", async () => {
    await using home = await testHome();
    const alone = await home.open(named(breaksOff, "codex"));
    const ended = await (await alone.send(input("go"))).ended;
    assert.deepEqual(ended?.fault, quota);
    const same = await home.open(named(breaksOff, "loop"), {
      standIn: named(
        scriptedRuntime((rest) => says("never", rest)),
        "loop",
      ),
    });
    assert.deepEqual((await (await same.send(input("go"))).ended)?.fault, quota);
  });

  test("what is said into the turn afterwards reaches who has it now", async () => {
    await using home = await testHome();
    const gate = Promise.withResolvers<void>();
    const standIn = scriptedRuntime(
      async function* (rest) {
        yield { type: "status", state: "tool" };
        await gate.promise;
        yield* says("kindly", rest);
      },
      { steer: async () => "taken" },
    );
    const agent = await home.open(named(breaksOff, "codex"), { standIn: named(standIn, "loop") });
    const incoming = input("go");
    const running = watch(agent, sessionOf(incoming)).next("status");
    const sent = await agent.send(incoming);
    await running;
    const more = await agent.send(input("be kind", { session: sent.session, whenBusy: "steer" }));
    gate.resolve();
    assert.equal(more.state, "steered");
    assert.equal((await sent.ended)?.text, "kindly");
  });
});
