import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { type TestHome, input, sessionOf, testHome } from "../../test/fakes/test-agent.ts";
import { asId } from "../core/ids.ts";
import type { StoredInput } from "../core/session.ts";
import type { AgentDeps } from "./index.ts";

/** Answers at once, unless it was stopped before. */
const runtime = scriptedRuntime(async function* (turn, { signal }) {
  if (signal.aborted) yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
  else yield* says("done", turn);
});

const wanted = input("do it", { surface: "schedule" });
const session = sessionOf(wanted);

/** Work that a dispatcher has found. */
async function waiting({ disk }: TestHome): Promise<StoredInput> {
  const terms = { target: "local" } as const;
  const work = { origin: "schedule", subject: "s", dueAt: 1, attempt: 1, terms } as const;
  return (await disk.inbox.admit({ ...wanted, id: asId<"inb">("inb_work"), at: 1, work })).row;
}

const nobody = { begin: async () => ({ [Symbol.dispose]() {} }) };

describe("work that waits", () => {
  test("is stopped or set aside by a Stop at any moment of its beginning", async () => {
    for (let ticks = 0; ticks < 12; ticks += 1) {
      await using home = await testHome();
      const agent = await home.open(runtime);
      const starting = agent.start(await waiting(home), {});
      for (let tick = 0; tick < ticks; tick += 1) await new Promise((resolve) => setImmediate(resolve));
      const isOver = !agent.isBusy(session) && ticks > 0;
      const { interrupted, setAside } = await agent.stop(session);
      const ended = await (await starting).ended;
      if (interrupted || setAside > 0) continue;
      assert.equal(ended?.outcome, "done", `after ${ticks}`);
      assert.ok(isOver, `a Stop after ${ticks} came to nothing, and it ran`);
    }
  });

  test("goes on waiting when the agent ends meanwhile, which waits for what is beginning", async () => {
    await using home = await testHome();
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let looks = 0;
    const check = async (): Promise<void> => {
      looks += 1;
      if (looks > 1) return;
      reached.resolve();
      await gate.promise;
    };
    const agent = await home.open(runtime, { standing: { ...nobody, check } });
    const { id } = await waiting(home);
    const starting = agent.start((await home.disk.inbox.get(id)) as StoredInput, {});
    await reached.promise;
    let isOver = false;
    const ending = agent[Symbol.asyncDispose]().then(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOver, false);
    gate.resolve();
    await ending;
    assert.equal(await (await starting).ended, undefined);
    assert.equal((await home.disk.inbox.get(id))?.state, "waiting");
    assert.equal(await home.disk.leases.holder(session), undefined);
  });

  const refusals: readonly (readonly [string, Partial<AgentDeps>, { readonly runtime?: string }])[] = [
    [
      "whose owner may not go on",
      { standing: { ...nobody, check: () => Promise.reject(new Error("no")) } },
      {},
    ],
    ["for a runtime that is not here", {}, { runtime: "nowhere" }],
  ];
  for (const [name, deps, choices] of refusals)
    test(`${name} has no turn: it is set aside, and that is said`, async () => {
      await using home = await testHome();
      const agent = await home.open(runtime, deps);
      const { id } = await waiting(home);
      const sent = await agent.start((await home.disk.inbox.get(id)) as StoredInput, choices);
      const now = (await sent.ended, await home.disk.inbox.get(id));
      assert.deepEqual([(await sent.ended)?.outcome, now?.state, now?.turn], ["failed", "kept", undefined]);
    });
});
