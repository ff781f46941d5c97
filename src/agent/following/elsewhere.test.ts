import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aborted, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestAgent, input, sessionOf, testHome } from "../../../test/fakes/test-agent.ts";
import { testEngine } from "../../../test/stores.ts";
import type { Envelope } from "../../core/events.ts";
import type { SessionId } from "../../core/ids.ts";

const echo = scriptedRuntime((turn) =>
  says(`you said ${turn.input.map((part) => (part.type === "text" ? part.text : "")).join()}`, turn),
);

/** Hears a session as a chat does. */
function hear(agent: TestAgent, session: SessionId): string[] {
  const heard: string[] = [];
  agent.subscribe(session, (event) => heard.push(worded(event)), "person", true);
  return heard;
}

function worded(event: Envelope): string {
  const where = event.elsewhere === true ? "there" : "here";
  if (event.type === "said")
    return `${where} ${event.steered === true ? "steered" : "said"} ${textIn(event)}`;
  if (event.type === "item" && event.item.kind === "text") return `${where} ${event.item.text}`;
  if (event.type === "ended") return `${where} ${event.outcome}`;
  return `${where} ${event.type}`;
}

const textIn = ({ input: parts }: Extract<Envelope, { type: "said" }>): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join();

const own = (word: string) => [`here said ${word}`, `here started`, `here you said ${word}`, "here done"];
const foreign = (word: string) => [
  `there said ${word}`,
  "there started",
  `there you said ${word}`,
  "there done",
];

describe("what goes on elsewhere", () => {
  test("is told with the person's words, marked, in one order, and own turns are told as ever", async () => {
    await using home = await testHome();
    const [one, two] = [await home.open(echo), await home.open(echo, { pid: 200 })];
    const first = input("a");
    const session = sessionOf(first);
    const [atOne, atTwo] = [hear(one, session), hear(two, session)];
    await home.clock.advance(250);
    for (const [agent, incoming] of [
      [one, first],
      [two, input("b", { session })],
      [one, input("c", { session })],
    ] as const) {
      await agent.catchUp(session);
      await (
        await agent.send(incoming)
      ).ended;
    }
    await home.clock.advance(250);
    await Promise.all([one, two].map((agent) => agent.catchUp(session)));
    assert.deepEqual(atOne, [...own("a"), ...foreign("b"), ...own("c")]);
    assert.deepEqual(atTwo, [...foreign("a"), ...own("b"), ...foreign("c")]);
  });

  test("is not looked for again by a turn when a surface has just done so", async () => {
    await using home = await testHome();
    const opened = await home.store({});
    let looks = 0;
    const after: typeof opened.events.after = (...asked) => {
      looks += 1;
      return opened.events.after(...asked);
    };
    const agent = await home.open(echo, { store: { ...opened, events: { ...opened.events, after } } });
    const first = input("a");
    const session = sessionOf(first);
    hear(agent, session);
    await (
      await agent.send(first)
    ).ended;
    looks = 0;
    await agent.catchUp(session);
    const before = looks;
    await (
      await agent.send(input("b", { session }))
    ).ended;
    assert.deepEqual([before, looks], [1, 1]);
    // Without that the turn looks by itself.
    await (
      await agent.send(input("c", { session }))
    ).ended;
    assert.equal(looks, 2);
  });

  test("is told before a turn that begins here right after it", async () => {
    await using home = await testHome();
    const [here, there] = [await home.open(echo), await home.open(echo, { pid: 200 })];
    const first = input("a");
    const session = sessionOf(first);
    const heard = hear(here, session);
    await here.catchUp(session);
    await (
      await there.send(first)
    ).ended;
    await (
      await here.send(input("b", { session }))
    ).ended;
    await here.catchUp(session);
    assert.deepEqual(heard, [...foreign("a"), ...own("b")]);
  });

  test("of an open turn is told from its beginning to somebody who comes later", async () => {
    await using home = await testHome();
    const goOn = Promise.withResolvers<void>();
    const slow = scriptedRuntime(async function* (turn) {
      await goOn.promise;
      yield* says("late", turn);
    });
    const there = await home.open(slow, { pid: 200 });
    const here = await home.open(echo);
    const first = input("a");
    const sent = await there.send(first);
    const heard = hear(here, sent.session);
    await here.catchUp(sent.session);
    assert.deepEqual(heard, ["there said a", "there started"]);
    goOn.resolve();
    await sent.ended;
    await here.catchUp(sent.session);
    assert.deepEqual(heard.slice(2), ["there late", "there done"]);
  });

  test("ends for a process that is gone when somebody else closes its turn, before the next one begins", async () => {
    await using home = await testHome();
    const stuck = scriptedRuntime(async function* (_turn, ports) {
      yield { type: "status", state: "thinking" };
      await aborted(ports.signal);
    });
    const dead = await home.open(stuck, { pid: 200 });
    const first = input("a");
    const { session } = await dead.send(first);
    const here = await home.open(echo, { isGone: ({ pid }) => pid === 200 });
    const heard = hear(here, session);
    await here.catchUp(session);
    await here.reconcile();
    await here.catchUp(session);
    await (
      await here.send(input("b", { session }))
    ).ended;
    await here.catchUp(session);
    assert.deepEqual(
      heard.filter((line) => !line.endsWith("notice")),
      ["there said a", "there started", "there interrupted", ...own("b")],
    );
  });

  test("is told also when the log could not be read at first", async () => {
    await using home = await testHome();
    const store = await home.store();
    const { events } = store;
    let looks = 0;
    const extent: typeof events.extent = async (of) => {
      looks += 1;
      if (looks === 1) throw new Error("the database is away");
      return events.extent(of);
    };
    const there = await home.open(echo, { pid: 200 });
    const log: string[] = [];
    const here = await home.open(echo, {
      store: { ...store, events: { ...events, extent, watch: () => ({ [Symbol.dispose]() {} }) } },
      log: (line) => void log.push(line),
    });
    const first = input("a");
    const { session, ended } = await there.send(first);
    await ended;
    const heard = hear(here, session);
    // By then a rejection that nobody waits for has ended the process.
    await new Promise((resolve) => setImmediate(resolve));
    await here.catchUp(session);
    await (
      await there.send(input("b", { session }))
    ).ended;
    await here.catchUp(session);
    assert.deepEqual(heard, foreign("b"));
    assert.deepEqual(log, []);
  });

  // A server tells of commits by itself.
  if (testEngine === "sqlite")
    test("is not looked for when nobody asked, nor once they have left", async () => {
      await using home = await testHome();
      const statements: string[] = [];
      const store = await home.store({ onStatement: (sql) => void statements.push(sql) });
      const agent = await home.open(echo, { store });
      const first = input("a");
      const leave = agent.subscribe(sessionOf(first), () => {}, "person");
      await (
        await agent.send(first)
      ).ended;
      await home.clock.advance(5_000);
      const polled = () => statements.filter((sql) => sql.includes("data_version")).length;
      assert.equal(polled(), 0);
      const leaveToo = agent.subscribe(sessionOf(first), () => {}, "person", true);
      await home.clock.advance(1_000);
      assert.ok(polled() > 0);
      leaveToo();
      leave();
      await home.clock.advance(1_000);
      const before = polled();
      await home.clock.advance(5_000);
      assert.equal(polled(), before);
    });
});
