import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { type TestAgent, type TestHome, input, sessionOf, testHome } from "../../test/fakes/test-agent.ts";
import * as fc from "../../test/seeded.ts";
import type { SessionId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import { type Runtime, givenTo } from "../runtimes/runtime.ts";
import type { Store } from "../store/store.ts";
import { loadSessionHistory } from "./session-history.ts";

type Given = { readonly known: readonly Message[]; readonly whole: readonly Message[] };

/** Remembers what each turn was given, and what it would have been given by who reads all of the session. */
function comparing(store: Store): Runtime & { readonly given: Given[] } {
  const given: Given[] = [];
  const runtime = scriptedRuntime(async function* (turn) {
    given.push({
      known: await givenTo(turn),
      whole: (await loadSessionHistory(store, turn.session)).view,
    });
    yield* says(`answer ${given.length}`, turn);
  });
  return { ...runtime, given };
}

const compaction = {
  threshold: 0.75,
  window: () => 1_000_000,
  auxiliary: async () => ({ text: "## Goal\nnotes\n\n## Decisions\nnone", provider: "p", model: "m" }),
};

const opened = (home: TestHome, runtime: Runtime, pid: number): Promise<TestAgent> =>
  home.open(runtime, { pid, compaction });

async function say(agent: TestAgent, words: string, session?: SessionId): Promise<SessionId> {
  const message = input(words, session === undefined ? {} : { session });
  await (
    await agent.send(message)
  ).ended;
  return sessionOf(message);
}

const steps = ["here", "there", "undo", "redo", "compress", "uncompress"] as const;

describe("the history of a turn", { timeout: 120_000 }, () => {
  test("is what is in the store, whoever had the turns before it and whatever was taken back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...steps), { maxLength: 12 }), async (order) => {
        await using home = await testHome();
        const runtime = comparing(home.disk);
        const [here, there] = [await opened(home, runtime, 1), await opened(home, runtime, 2)];
        const session = await say(here, "begin");
        for (const words of ["a", "b", "c", "d"]) await say(here, words.repeat(200), session);
        for (const [at, step] of [...order, "here" as const, "here" as const].entries()) {
          if (step === "here" || step === "there")
            await say(step === "here" ? here : there, `go ${at}`, session);
          if (step === "undo") await there.undo(session, 1).catch(() => {});
          if (step === "redo") await there.redo(session).catch(() => {});
          if (step === "compress") await there.compress(session, { do: "compress" }).catch(() => {});
          if (step === "uncompress") await here.compress(session, { do: "undo" }).catch(() => {});
        }
        for (const { known, whole } of runtime.given) assert.deepEqual(known, whole);
      }),
      { numRuns: 10 },
    );
  });

  test("is read from where the turn before it had it", async () => {
    await using home = await testHome();
    let made: string[] = [];
    const store = await home.store({ onStatement: (sql, when) => void (when === "after" && made.push(sql)) });
    const agent = await home.open(
      scriptedRuntime(async function* (turn) {
        yield* says(`yes to ${(await givenTo(turn)).length}`, turn);
      }),
      { store, compaction },
    );
    const session = await say(agent, "begin");
    for (const words of ["one", "two", "three"]) {
      made = [];
      await say(agent, words, session);
    }
    const reads = made.filter((sql) => /^select .* from "(turn|message|compaction)"/.test(sql));
    assert.equal(reads.length, 1, reads.join("\n"));
    assert.match(reads[0] ?? "", /"turn"\."seq" > /);
  });
});
