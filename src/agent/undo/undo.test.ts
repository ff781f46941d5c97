import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aborted, done, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestAgent, type TestHome, input, sessionOf, testHome } from "../../../test/fakes/test-agent.ts";
import { Refusal } from "../../core/host.ts";
import { type SessionId, asId } from "../../core/ids.ts";
import { type Message, messageText } from "../../core/messages.ts";
import type { Past, Runtime } from "../../runtimes/runtime.ts";

/** Answers every turn, and remembers what it was given. */
function listener(): Runtime & { readonly turns: Past[]; given(): string } {
  const turns: Past[] = [];
  const runtime = scriptedRuntime(async function* (turn) {
    turns.push(await turn.past());
    yield* says(`answer ${turns.length}`, turn);
  });
  return { ...runtime, turns, given: () => wordsOf(turns.at(-1)?.history ?? []) };
}

const wordsOf = (messages: readonly Message[]): string => messages.map(messageText).join(" | ");

async function past(agent: TestAgent, session: SessionId | undefined, ...words: readonly string[]) {
  let id = session;
  for (const each of words) {
    const message = input(each, id === undefined ? {} : { session: id });
    id ??= sessionOf(message);
    await (
      await agent.send(message)
    ).ended;
  }
  return id as SessionId;
}

const refused =
  (code: Refusal["code"], message: RegExp) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code && message.test(`${error.message} ${error.next}`);

const summarises = async () => ({
  text: "## Goal\nnotes\n\n## Decisions\nnone",
  provider: "p",
  model: "m",
});

async function bind(home: TestHome, agent: TestAgent, session: SessionId): Promise<void> {
  const answer = await home.disk.leases.acquire(session, agent.owner, home.clock.now(), () => false);
  assert.ok("lease" in answer);
  await home.disk.bindings.save(answer.lease, "codex", "/w", "thread");
  await home.disk.leases.release(answer.lease);
}

describe("undo", { timeout: 60_000 }, () => {
  test("leaves the last turns out of what the model is given, and their rows in the session", async () => {
    await using home = await testHome();
    const runtime = listener();
    const agent = await home.open(runtime);
    const session = await past(agent, undefined, "one", "two", "three");
    const rows = await home.disk.sessions.messages(session);
    const turns = await home.disk.sessions.turns(session);
    await bind(home, agent, session);
    assert.deepEqual(await agent.undo(session, 2), {
      turns: ["two", "three"].map((text, at) => ({
        id: turns[at + 1]?.id,
        input: [{ type: "text", text }],
      })),
      changes: 0,
    });
    assert.equal(await home.disk.bindings.load(session, "codex", "/w"), undefined);
    await past(agent, session, "four");
    assert.equal(runtime.given(), "one | answer 1");
    assert.deepEqual((await home.disk.sessions.messages(session)).slice(0, rows.length), rows);
    assert.equal((await home.disk.search({ text: "three", limit: 5 })).length, 1);

    await past(agent, session, "five");
    assert.equal(runtime.given(), "one | answer 1 | four | answer 4");
    await agent.undo(session, 2);
    await past(agent, session, "six");
    assert.equal(runtime.given(), "one | answer 1");
  });

  test("gives all that was said to the turn, and counts the changes that stay", async () => {
    await using home = await testHome();
    const [begun, said] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const runtime = scriptedRuntime(
      async function* (turn) {
        begun.resolve();
        await said.promise;
        for (const [at, diff] of ["+a", undefined, "-b"].entries()) {
          const call = { id: asId<"itm">(`${turn.id}_${at}`), callId: `c${at}`, tool: "patch", args: {} };
          const made = diff === undefined ? {} : { diff };
          yield { type: "item", item: { ...call, kind: "call", output: "", ok: true, ...made } };
        }
        yield done("changed", 3);
      },
      { steer: async () => "taken" },
    );
    const agent = await home.open(runtime);
    const first = input("change it");
    const session = sessionOf(first);
    const sent = await agent.send(first);
    await begun.promise;
    await agent.send(input("but gently", { session, whenBusy: "steer" }));
    said.resolve();
    await sent.ended;
    const { turns, changes } = await agent.undo(session, 1);
    assert.equal(changes, 2);
    assert.deepEqual(turns[0]?.input, [
      { type: "text", text: "change it" },
      { type: "text", text: "but gently" },
    ]);
  });

  test("of more than there is, of nothing, or of no number is refused, and nothing is changed", async () => {
    await using home = await testHome();
    const agent = await home.open(listener());
    const session = await past(agent, undefined, "one", "two");
    await assert.rejects(agent.undo(session, 3), refused("usage", /only 2 turns/));
    for (const wrong of [0, -1, 1.5, Number.NaN]) {
      await assert.rejects(agent.undo(session, wrong), refused("usage", /not a number of turns/));
    }
    await agent.undo(session, 1);
    await assert.rejects(agent.undo(session, 2), refused("usage", /only 1 turn /));
    await agent.undo(session, 1);
    await assert.rejects(agent.undo(session, 1), refused("usage", /nothing to take back/));
    await assert.rejects(agent.undo(asId<"ses">("ses_none"), 1), refused("not_found", /no session/));
  });

  test("of what a summary covers is refused until that is taken back", async () => {
    await using home = await testHome();
    const runtime = listener();
    const agent = await home.open(runtime);
    const session = await past(agent, undefined, "one", "two", "three");
    const seqs = (await home.disk.sessions.messages(session)).map(({ seq }) => seq);
    const answer = await home.disk.leases.acquire(session, agent.owner, home.clock.now(), () => false);
    assert.ok("lease" in answer);
    const { compactions } = home.disk;
    const made = { seen: seqs[5] ?? 0, pinned: [], at: 1 };
    await compactions.add(answer.lease, { ...made, upTo: seqs[3] ?? 0, summary: "S" });
    // This one only leaves out large results: there is nothing of a turn in it.
    await compactions.add(answer.lease, { ...made, upTo: seqs[5] ?? 0 });
    await home.disk.leases.release(answer.lease);
    await assert.rejects(agent.undo(session, 2), refused("usage", /already summarised.*\/compress undo/));
    await agent.undo(session, 1);
    await agent.redo(session);
    await agent.compress(session, { do: "undo" });
    await assert.rejects(agent.undo(session, 2), refused("usage", /already summarised/));
    await agent.compress(session, { do: "undo" });
    await agent.undo(session, 2);
    await past(agent, session, "four");
    assert.equal(runtime.given(), "one | answer 1");
  });

  test("is refused while a turn runs, in this process or in another, and for a turn that a crash left open", async () => {
    await using home = await testHome();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow = scriptedRuntime(async function* (turn, { signal }) {
      begun.resolve();
      await Promise.race([go.promise, aborted(signal)]);
      yield* says("late", turn);
    });
    const agent = await home.open(slow);
    const other = await home.open(listener(), { pid: 7 });
    const first = input("one");
    const session = sessionOf(first);
    const sent = await agent.send(first);
    await begun.promise;
    const doings = [
      (of: TestAgent) => of.undo(session, 1),
      (of: TestAgent) => of.redo(session),
      (of: TestAgent) => of.fork(session),
    ];
    for (const work of doings) {
      await assert.rejects(work(agent), refused("busy", /busy with a turn/));
      await assert.rejects(work(other), refused("busy", /another process/));
    }
    await assert.rejects(agent.choose(session, { model: "m" }), refused("busy", /busy with a turn/));
    const after = await home.open(listener(), { pid: 8, isGone: () => true });
    for (const work of [doings[0], doings[2]]) {
      await assert.rejects(work!(after), refused("busy", /cut off and is not closed/));
    }
    go.resolve();
    await sent.ended;
  });

  test("and a message sent at once: the message comes after it", async () => {
    await using home = await testHome();
    const runtime = listener();
    const agent = await home.open(runtime);
    const session = await past(agent, undefined, "one", "two");
    const [, sent] = await Promise.all([
      agent.undo(session, 1),
      agent.send(input("three", { session })),
    ]).then(async ([undone, { ended }]) => [undone, await ended] as const);
    assert.equal(sent?.outcome, "done");
    assert.equal(runtime.given(), "one | answer 1");
  });

  test("at the moment in which a turn begins is refused, and the turn goes on", async () => {
    await using home = await testHome();
    const runtime = listener();
    const agent = await home.open(runtime);
    const session = await past(agent, undefined, "one");
    const sending = agent.send(input("two", { session }));
    await assert.rejects(agent.undo(session, 1), refused("busy", /busy with a turn/));
    assert.equal((await (await sending).ended)?.outcome, "done");
    assert.equal(runtime.given(), "one | answer 1");
  });

  test("leaves a shortening that is made meanwhile as new as all that was measured before it", async () => {
    await using home = await testHome();
    const compaction = { auxiliary: summarises, threshold: 0.75, window: () => undefined };
    const agent = await home.open(listener(), { compaction });
    const long = Array.from({ length: 8 }, (_, n) => `question ${n} ${"and so on ".repeat(60)}`);
    const session = await past(agent, undefined, ...long);
    await agent.undo(session, 1);
    assert.match(await agent.compress(session, { do: "compress" }), /its first 8 messages/);
    const [made] = await home.disk.compactions.list(session);
    assert.equal(made?.seen, (await home.disk.sessions.messages(session)).at(-1)?.seq);
  });
});

describe("redo", () => {
  test("gives the model what an undo had taken, and the runtimes no old thread", async () => {
    await using home = await testHome();
    const runtime = listener();
    const agent = await home.open(runtime);
    const session = await past(agent, undefined, "one", "two", "three");
    await assert.rejects(agent.redo(session), refused("usage", /nothing to bring back/));
    const undone = await agent.undo(session, 2);
    await bind(home, agent, session);
    assert.deepEqual(await agent.redo(session), undone);
    assert.equal(await home.disk.bindings.load(session, "codex", "/w"), undefined);
    await past(agent, session, "four");
    assert.equal(runtime.given(), "one | answer 1 | two | answer 2 | three | answer 3");
  });

  test("is refused once something was said", async () => {
    await using home = await testHome();
    const agent = await home.open(listener());
    const session = await past(agent, undefined, "one", "two");
    await agent.undo(session, 1);
    await past(agent, session, "three");
    await assert.rejects(agent.redo(session), refused("usage", /something was said since/));
  });
});

test("an undo that is cut off at any statement is done or not, and the next process goes on from there", async () => {
  const seen = new Set<string>();
  for (let at = 1; ; at++) {
    await using home = await testHome();
    let left = Number.POSITIVE_INFINITY;
    const store = await home.store({
      onStatement(_sql, when) {
        if (when === "before" && --left <= 0) throw new Error("cut off");
      },
    });
    const agent = await home.open(listener(), { store });
    const session = await past(agent, undefined, "one", "two");
    await bind(home, agent, session);
    left = at;
    const cut = await agent.undo(session, 1).then(
      () => false,
      () => true,
    );
    left = Number.POSITIVE_INFINITY;
    const marks = (await home.disk.sessions.turns(session)).map(({ undone }) => undone === true);
    const bound = (await home.disk.bindings.load(session, "codex", "/w")) !== undefined;
    const runtime = listener();
    const next = await home.open(runtime, { pid: 7, isGone: () => true });
    await past(next, session, "three");
    seen.add(JSON.stringify([marks, bound, runtime.given()]));
    if (!cut) break;
  }
  const before = [[false, false], true, "one | answer 1 | two | answer 2"];
  const after = [[false, true], false, "one | answer 1"];
  assert.deepEqual(
    [...seen],
    [before, after].map((each) => JSON.stringify(each)),
  );
});
