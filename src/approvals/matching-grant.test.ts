import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Question } from "../core/asking.ts";
import { newId } from "../core/ids.ts";
import type { StoredGrant } from "../core/ledger.ts";
import { actionHash } from "./action-hash.ts";
import { type Fixture, type Process, type Turn, ann, opened, fixture, question } from "./broker.suite.ts";
import type { Tie } from "./tie.ts";

const outside: Question = question({
  tool: "terminal",
  args: { command: "touch /far/x", escalate: true },
  effect: "local",
  action: { kind: "command", command: "touch /far/x", fence: "none" },
  summary: "touch /far/x",
});

const tool = "/usr/bin/touch";
const tied = (content: string): Tie => ({ bound: { [tool]: content } });

/** A process whose files a test can change. */
async function world(): Promise<
  AsyncDisposable & {
    readonly home: Fixture;
    readonly process: Process;
    readonly files: { now: Tie | undefined };
  }
> {
  const home = await fixture();
  const files: { now: Tie | undefined } = { now: tied("good") };
  const process = await home.process(1, { tieOf: async () => files.now });
  return { home, process, files, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

const shownLast = (turn: Turn): string => (turn.asked().at(-1)?.shown ?? []).join("\n");

const standing = (also: Partial<StoredGrant> = {}): StoredGrant => ({
  id: newId("grn", 1),
  scope: "always",
  hash: actionHash(outside, "first"),
  summary: "touch /far/x",
  tool: "terminal",
  cwd: "/work",
  by: "ann",
  madeAt: 1,
  ...also,
});

describe("a lasting yes to leave the sandbox", { timeout: 60_000 }, () => {
  for (const choice of ["session", "always"] as const) {
    test(`for ${choice} holds while its files are what they were; then it is asked again, with what changed`, async () => {
      await using it = await world();
      const turn = it.process.turn();
      const first = turn.ask(outside, turn.stop.signal);
      await it.process.broker.answer(await opened(it.home.clock, turn), choice, ann);
      assert.equal((await first).choice, choice);
      assert.equal((await turn.ask(outside, turn.stop.signal)).why, "grant");
      assert.deepEqual(
        (await it.home.rows()).map(({ state, why }) => [state, why]),
        [
          [choice, "person"],
          ["allowed", "grant"],
        ],
        "each use is in the ledger",
      );

      it.files.now = tied("rewritten");
      const second = turn.ask(outside, turn.stop.signal);
      const id = await opened(it.home.clock, turn);
      assert.match(
        shownLast(turn),
        /^asks again: not what it was when you allowed this: \/usr\/bin\/touch$/m,
      );
      await it.process.broker.answer(id, "deny", ann);
      assert.equal((await second).choice, "deny");

      it.files.now = tied("good");
      assert.equal((await turn.ask(outside, turn.stop.signal)).why, "grant");
    });
  }

  test("is not offered when what runs can be changed after it, and the question says why", async () => {
    await using it = await world();
    it.files.now = { open: "nobody can say what “npm” runs" };
    const turn = it.process.turn();
    const asked = turn.ask(outside, turn.stop.signal);
    const id = await opened(it.home.clock, turn);
    assert.deepEqual(turn.asked()[0]?.choices, ["once", "deny"]);
    assert.match(
      shownLast(turn),
      /^only once: nobody can say what “npm” runs, and that can change after a yes$/m,
    );
    for (const choice of ["session", "always"] as const)
      assert.equal((await it.process.broker.answer(id, choice, ann)).outcome, "refused");
    await it.process.broker.answer(id, "once", ann);
    assert.equal((await asked).choice, "once");
  });

  test("that was given before yeses were tied to files is asked for again", async () => {
    await using it = await world();
    await it.home.store.grants.add(standing());
    for (const now of [tied("good"), { open: "it runs the file ./s.sh" }]) {
      it.files.now = now;
      const turn = it.process.turn();
      const asked = turn.ask(outside, turn.stop.signal);
      const id = await opened(it.home.clock, turn);
      assert.match(
        shownLast(turn),
        /^asks again: your earlier yes was not tied to the files that this runs$/m,
      );
      await it.process.broker.answer(id, "deny", ann);
      await asked;
    }
  });

  test("for what nobody can see is asked for again: its name stands for other actions, too", async () => {
    await using it = await world();
    it.files.now = undefined;
    const unseen = question({ tool: "mcp.notes", action: { kind: "tool", unseen: true } });
    await it.home.store.grants.add(standing({ hash: actionHash(unseen, "first") }));
    const turn = it.process.turn();
    const asked = turn.ask(unseen, turn.stop.signal);
    await it.process.broker.answer(await opened(it.home.clock, turn), "deny", ann);
    assert.equal((await asked).why, "person");
  });

  test("is not used when a file changed while the question was open", async () => {
    await using it = await world();
    const turn = it.process.turn();
    const asked = turn.ask(outside, turn.stop.signal);
    const id = await opened(it.home.clock, turn);
    it.files.now = tied("rewritten");
    assert.equal((await it.process.broker.answer(id, "session", ann)).outcome, "taken");
    const { choice, reason } = await asked;
    assert.equal(choice, "deny");
    assert.match(reason ?? "", /\/usr\/bin\/touch is not the one it was when the question was asked/);
  });
});

describe("where nobody is", { timeout: 60_000 }, () => {
  test("a lasting yes to leave the sandbox is not used, and that is said, unless it was given for such work", async () => {
    await using it = await world();
    const bound = { [tool]: "good" };
    await it.home.store.grants.add(standing({ bound }));
    const alone = it.process.turn({ attended: "none" });
    const { choice, why, reason } = await alone.ask(outside, alone.stop.signal);
    assert.deepEqual([choice, why], ["deny", "not_asked"]);
    assert.match(reason ?? "", /a standing yes to leave the sandbox does not hold where nobody is/);
    const session = (await it.home.rows())[0]!.session;
    await it.home.store.grants.add(standing({ id: newId("grn", 2), scope: "work", session, bound }));
    assert.equal((await alone.ask(outside, alone.stop.signal)).why, "grant");
    it.files.now = tied("rewritten");
    assert.equal(
      (await alone.ask(outside, alone.stop.signal)).why,
      "not_asked",
      "and that one is tied as well",
    );
  });
});
