import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { done, says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { input, sessionOf, testHome } from "../../test/fakes/test-agent.ts";
import { Refusal } from "../core/host.ts";
import { type SessionId, asId } from "../core/ids.ts";
import type { Past, Turn } from "../runtimes/runtime.ts";

/** What a runtime got with the turn, as bytes. */
const bytes = ({ history, view }: Past): string => JSON.stringify({ history, view });

/** A home in which every turn makes a call and answers; all turns are remembered. */
async function fixture() {
  const home = await testHome();
  const turns: (Turn & Past)[] = [];
  const runtime = scriptedRuntime(async function* (turn) {
    turns.push({ ...turn, ...(await turn.past()) });
    const id = asId<"itm">("call");
    const output = "x".repeat(3_000);
    yield {
      type: "item",
      item: { id, kind: "call", callId: "call_1", tool: "t", args: {}, output, ok: true },
    };
    if (turns.length === 2) return yield { ...done("", 1), outcome: "interrupted" };
    yield* says(`answer ${turns.length} ${"and on ".repeat(200)}`, turn);
  });
  const text = "## Goal\nnotes\n\n## Decisions\nnone";
  const auxiliary = async () => ({ text, provider: "p", model: "m" });
  const compaction = { auxiliary, threshold: 0.75, window: () => undefined };
  const agent = await home.open(runtime, { compaction, runtimes: { scripted: runtime, other: runtime } });
  const say = async (words: string, session?: SessionId): Promise<SessionId> => {
    const message = input(words, session === undefined ? {} : { session });
    await (
      await agent.send(message)
    ).ended;
    return sessionOf(message);
  };
  return { home, agent, turns, say, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

describe("fork", () => {
  test("gives both sessions the same history, byte for byte, and each goes on alone", async () => {
    await using it = await fixture();
    const { agent, turns, say } = it;
    const session = await say("one");
    await say("stopped", session);
    await say("a mistake", session);
    await agent.undo(session, 1);
    for (const words of ["two", "three", "four"]) await say(words, session);
    await agent.compress(session, { do: "pin", text: "keep this" });
    assert.match(await agent.compress(session, { do: "compress" }), /shortened/);
    await say("five", session);
    await it.home.disk.sessions.update(session, { title: "Boats", model: "m" });

    const fork = await agent.fork(session);
    assert.notEqual(fork.id, session);
    const { id, createdAt, updatedAt } = fork;
    const original = await it.home.disk.sessions.get(session);
    assert.deepEqual(fork, { ...original, id, createdAt, updatedAt, title: "Boats (fork)" });
    await say("here", session);
    await say("here", fork.id);
    const [mine, theirs] = turns.slice(-2).map(bytes);
    assert.equal(theirs, mine);
    assert.match(mine ?? "", /notes.*keep this/s);
    assert.doesNotMatch(mine ?? "", /a mistake/);
    await say("only here", fork.id);
    await say("there", session);
    assert.doesNotMatch(bytes(turns.at(-1)!), /only here/);

    await agent.compress(session, { do: "undo" });
    await agent.compress(fork.id, { do: "undo" });
    const again = await agent.fork(session);
    await say("last", session);
    await say("last", again.id);
    const [whole, copied] = turns.slice(-2).map(bytes);
    assert.equal(copied, whole);
  });

  test("of a session without a turn that holds is refused", async () => {
    await using it = await fixture();
    const session = await it.say("one");
    await it.agent.undo(session, 1);
    await assert.rejects(
      it.agent.fork(session),
      (error) => error instanceof Refusal && error.code === "usage",
    );
    assert.equal((await it.home.disk.sessions.list({ limit: 9 })).length, 1);
  });

  test("up to a turn is made while another one runs, and says nothing of what came after", async () => {
    await using it = await fixture();
    const session = await it.say("one");
    await it.say("stopped", session);
    const [first] = await it.home.disk.sessions.turns(session);
    const running = it.say("later", session);
    const branch = await it.agent.fork(session, first!.id);
    await running;
    await it.say("here", branch.id);
    assert.match(bytes(it.turns.at(-1)!), /one/);
    assert.doesNotMatch(bytes(it.turns.at(-1)!), /stopped|later/);
    assert.equal((await it.home.disk.sessions.turns(session)).length, 3);
  });

  test("has no title where there is none", async () => {
    await using it = await fixture();
    const fork = await it.agent.fork(await it.say("one"));
    assert.equal(fork.title, undefined);
  });
});

describe("choose", () => {
  test("is what the next turns run with", async () => {
    await using it = await fixture();
    const session = await it.say("one");
    await it.agent.choose(session, { runtime: "other", model: "m", effort: "low" });
    await it.agent.choose(session, { model: "m-2" });
    await it.say("two", session);
    assert.deepEqual([it.turns.at(-1)?.model, it.turns.at(-1)?.effort], ["m-2", "low"]);
    assert.equal((await it.home.disk.sessions.turns(session)).at(-1)?.runtime, "other");
  });

  test("of a runtime that is not here, or for a session that is not, is refused", async () => {
    await using it = await fixture();
    const session = await it.say("one");
    await assert.rejects(it.agent.choose(session, { runtime: "abacus", model: "m" }), /no runtime "abacus"/);
    assert.equal((await it.home.disk.sessions.get(session))?.model, undefined);
    await assert.rejects(it.agent.choose(asId<"ses">("ses_none"), { model: "m" }), /no session/);
  });
});
