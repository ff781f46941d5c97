import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestAgent, input, sessionOf, testHome } from "../../../test/fakes/test-agent.ts";
import type { Follow, FollowedEvent } from "../../core/event-log.ts";
import type { Incoming } from "../../core/host.ts";
import { Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";

/** Thinks aloud, tells the person something, answers. */
const talks = scriptedRuntime(async function* (turn) {
  const item = asId<"itm">(`${turn.id}_0`);
  yield { type: "status", state: "thinking" };
  yield { type: "notice", code: "n", text: "by the way" };
  for (const text of ["an ", "answer"]) yield { type: "delta", item, of: "text", text };
  yield { type: "item", item: { id: item, kind: "text", text: "an answer" } };
  yield { type: "ended", outcome: "done", text: "an answer", calls: 0 };
});

const run = async (agent: TestAgent, incoming: Incoming) => (await agent.send(incoming)).ended;

const wordsOf = (event: FollowedEvent): string => (event.type === "resume" ? event.resume : event.type);

/** Reads on until this type has come. */
async function until(events: AsyncIterator<FollowedEvent>, type: string): Promise<readonly FollowedEvent[]> {
  const read: FollowedEvent[] = [];
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) return read;
    read.push(value);
    if (value.type === type) return read;
  }
}

function following(agent: TestAgent, of: Follow["of"], after?: string) {
  const left = new AbortController();
  const wanted = after === undefined ? { of } : { of, after };
  const events = agent.follow(wanted, left.signal)[Symbol.asyncIterator]();
  return { events, until: (type: string) => until(events, type), leave: () => left.abort() };
}

describe("following", () => {
  test("what happens is told in one order: what is kept with a cursor, the rest live and before what it leads to", async () => {
    await using home = await testHome();
    const [begun, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const agent = await home.open(
      scriptedRuntime(async function* (turn, ports) {
        await begun.promise;
        for await (const event of talks.run(turn, ports)) {
          if (event.type === "item") await seen.promise;
          if (event.type !== "started") yield event;
        }
      }),
    );
    const first = input("hello");
    const follower = following(agent, { session: sessionOf(first) });
    const start = await follower.until("resume");
    const ended = run(agent, first);
    const told = [...(await follower.until("started"))];
    begun.resolve();
    for (const type of ["delta", "delta"]) told.push(...(await follower.until(type)));
    seen.resolve();
    await ended;
    told.push(...(await follower.until("ended")));
    assert.deepEqual([...start, ...told].map(wordsOf), [
      "ok",
      "began",
      "started",
      "status",
      "delta",
      "delta",
      "notice",
      "item",
      "ended",
    ]);
    const numbers = told.flatMap((event) => ("number" in event ? [event.number] : []));
    assert.deepEqual(numbers, [1, 2, 3, 4, 5]);
    assert.ok(told.every((event) => "cursor" in event !== ["status", "delta"].includes(event.type)));
  });

  test("a cursor goes on exactly where it was, also in another process, and survives it", async () => {
    await using home = await testHome();
    const agent = await home.open(talks);
    const one = input("one");
    await run(agent, one);
    await run(agent, input("two"));
    for (const scope of ["all", { session: sessionOf(one) }] as const) {
      const whole = await readAll(agent, scope, "start");
      for (const [at, event] of whole.entries()) {
        if (!("cursor" in event)) continue;
        const other = await home.open(talks, { pid: 200 + at });
        const [resumed, ...rest] = await readAll(other, scope, event.cursor);
        assert.deepEqual(resumed, { v: 1, type: "resume", resume: "ok", cursor: event.cursor });
        assert.deepEqual(rest, whole.slice(at + 1));
      }
    }
  });

  test("commits of another process are told within a quarter of a second", async () => {
    await using home = await testHome();
    const [here, there] = [await home.open(talks), await home.open(talks, { pid: 200 })];
    const follower = following(here, "all");
    await follower.until("resume");
    await home.clock.advance(1000);
    await run(there, input("hello"));
    const told = follower.until("ended");
    await home.clock.advance(250);
    assert.deepEqual((await told).map(wordsOf), ["began", "started", "notice", "item", "ended"]);
  });

  test("a heartbeat comes every 15 seconds and has no cursor", async () => {
    await using home = await testHome();
    const agent = await home.open(talks);
    const follower = following(agent, "all");
    await follower.until("resume");
    const at = home.clock.now();
    for (const beat of [1, 2]) {
      const told = follower.until("heartbeat");
      await home.clock.advance(15_000);
      assert.deepEqual(await told, [{ v: 1, type: "heartbeat", at: at + beat * 15_000 }]);
    }
  });

  test("what is no cursor, or one of another home or session, is refused with a reason", async () => {
    await using home = await testHome();
    await using strange = await testHome();
    const agent = await home.open(talks);
    const first = input("hello");
    await run(agent, first);
    const [theirs] = await readAll(await strange.open(talks), "all", "start");
    const [ours] = await readAll(agent, "all", "start");
    assert.ok(theirs?.type === "resume" && ours?.type === "resume");
    const refused = async (of: Follow["of"], after: string): Promise<string> => {
      const error = await readAll(agent, of, after).catch((caught: unknown) => caught);
      assert.ok(error instanceof Refusal && error.code === "usage", String(error));
      return error.message;
    };
    assert.equal(await refused("all", theirs.cursor), "That cursor belongs to another home of Talaria.");
    assert.match(
      await refused({ session: sessionOf(first) }, ours.cursor),
      /from the events of all sessions/,
    );
    for (const nonsense of ["", "42", "..", `${ours.cursor}x`, "é".repeat(5000)])
      assert.equal(await refused("all", nonsense), "That is not a cursor of the event log.");
  });

  test("what is no longer kept is a gap, and it goes on behind it", async () => {
    await using home = await testHome();
    const agent = await home.open(talks);
    const first = input("hello");
    const of = { session: sessionOf(first) };
    await run(agent, first);
    const early = (await readAll(agent, of, "start"))[1];
    assert.ok(early !== undefined && "cursor" in early);
    await agent.store.events.prune({ since: 0, events: 2 }, 100);
    const [gap, ...rest] = await readAll(agent, of, early.cursor);
    assert.ok(gap?.type === "resume" && gap.resume === "gap");
    assert.deepEqual(rest, []);
    await run(agent, input("more", of));
    const after = await readAll(agent, of, gap.cursor);
    assert.deepEqual(after.map(wordsOf), ["ok", "started", "notice", "item", "ended"]);
    const ahead = gap.cursor.replace(/\d+$/, "999");
    assert.deepEqual((await readAll(agent, of, ahead)).map(wordsOf), ["gap"]);
  });

  test("the end of a session is told to whoever follows it, and ends that", async () => {
    await using home = await testHome();
    const agent = await home.open(talks);
    const first = input("hello");
    await run(agent, first);
    const follower = following(agent, { session: sessionOf(first) });
    await follower.until("resume");
    await agent.store.sessions.delete(sessionOf(first));
    assert.deepEqual((await follower.until("never")).map(wordsOf), ["deleted"]);
  });

  test("a reader that is too slow is told that it missed something, and loses nothing that is kept", async () => {
    await using home = await testHome();
    const deltas = 5000;
    const agent = await home.open(
      scriptedRuntime(async function* (turn) {
        const item = asId<"itm">("long");
        for (let n = 0; n < deltas; n++) yield { type: "delta", item, of: "text", text: String(n) };
        yield* says("answer", turn);
      }),
    );
    const first = input("hello");
    const follower = following(agent, { session: sessionOf(first) });
    await follower.until("resume");
    await run(agent, first);
    const told = await follower.until("ended");
    assert.deepEqual(
      told.map(wordsOf).filter((type) => type !== "delta"),
      ["gap", "began", "started", "item", "ended"],
    );
    assert.ok(told.filter(({ type }) => type === "delta").length <= 1000);
  });
});

const placeOf = (cursor: string): number => Number(cursor.split(".").at(-1));

/** All that is there. */
async function readAll(agent: TestAgent, of: Follow["of"], after: string): Promise<readonly FollowedEvent[]> {
  const { to } = await agent.store.events.extent(of);
  const follower = following(agent, of, after);
  const first = await follower.until("resume");
  const resumed = first[0];
  const read = [...first];
  let place = resumed?.type === "resume" ? placeOf(resumed.cursor) : 0;
  while (place < to) {
    const { value, done } = await follower.events.next();
    if (done === true) break;
    read.push(value);
    if ("cursor" in value) place = placeOf(value.cursor);
  }
  follower.leave();
  return read;
}
