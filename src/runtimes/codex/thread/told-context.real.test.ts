import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pinnedCodex } from "../../../../test/codex-schema/pinned-codex.ts";
import { systemClock } from "../../../lib/clock.ts";
import { portsOf, turnOf } from "../../runtime.suite.ts";
import type { Message } from "../../../core/messages.ts";
import type { Ports, Runtime } from "../../runtime.ts";
import { codexRuntime } from "../codex.ts";
import { appServerPool } from "../process/pool.ts";
import { type RealPlace, realPlace } from "../real-codex.suite.ts";

describe("what a thread of the real codex is told beside its turns", { timeout: 120_000 }, () => {
  test("is told once, when it is new, and again after the thread was shortened", async () => {
    await using real = await realPlace(
      pinnedCodex(),
      ["One.", "Two.", "Three.", "Short.", "Four."].map((text) => ({ reply: [{ text }] })),
    );
    await using runtime = runtimeOn(real);
    const ports: Ports = portsOf([], new AbortController().signal);
    const history: Message[] = [];
    const turn = async (...context: readonly string[]): Promise<void> => {
      const one = { ...turnOf({ history: [...history] }), cwd: real.work, context };
      await Array.fromAsync(runtime.run(one, ports));
      history.push({ role: "user", content: one.input }, { role: "assistant", content: "Said." });
    };
    const tabs = "Learned since: indents with tabs.";
    const ada = "Learned since: is called Ada.";
    await turn(tabs);
    await turn(tabs);
    await turn(tabs, ada);
    assert.deepEqual(counts(real, tabs), [1, 1, 1]);
    assert.deepEqual(counts(real, ada), [0, 0, 1]);
    await runtime.compact?.({ ...turnOf({ history }), cwd: real.work, context: [tabs, ada] }, ports);
    await turn(tabs, ada);
    assert.deepEqual([counts(real, tabs).at(-1), counts(real, ada).at(-1)], [1, 1], "what it had is gone");
  });
});

/** How often each request to the model has these words. */
const counts = ({ model }: RealPlace, words: string): readonly number[] =>
  model.requests.map(({ body }) => JSON.stringify(body).split(words).length - 1);

function runtimeOn(real: RealPlace): Runtime {
  const pool = appServerPool({
    clock: systemClock,
    start: (launch, signal) => real.start(launch, { signal }),
  });
  const plan = { provider: "demo", loopRouteExists: false, network: false, mcpServers: {}, warnings: [] };
  return codexRuntime({
    pool,
    plan: async () => ({ ...plan, launch: real.launch() }),
    offer: new Map(),
    frames: { listen: () => () => {} },
  });
}
