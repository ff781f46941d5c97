import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pinnedCodex } from "../../../test/codex-schema/pinned-codex.ts";
import type { EndedEvent, TurnEvent } from "../../core/events.ts";
import type { Json } from "../../core/json.ts";
import { systemClock } from "../../lib/clock.ts";
import { portsOf, turnOf } from "../runtime.suite.ts";
import { codexRuntime } from "./codex.ts";
import { appServerPool } from "./process/pool.ts";
import { patience, realPlace } from "./real-codex.suite.ts";
import { readSide } from "./thread/turn-side.ts";

describe("a turn that codex says was interrupted", { concurrency: 2 }, () => {
  const begun = [{ reply: [{ text: "Half." }, { hang: true }] }];

  test("by somebody else has failed, and says so", async () => {
    await using it = await stage(begun);
    const ended = await it.turn(patience, (side) => it.interrupt(side));
    assert.deepEqual([ended.outcome, ended.fault?.code], ["failed", "lost"]);
    assert.match(ended.fault?.message ?? "", /nobody here had stopped it/);
    assert.match(ended.fault?.next ?? "", /“go on”/);
  });

  test("by a Stop is interrupted, without a fault", async () => {
    await using it = await stage(begun);
    const stop = new AbortController();
    const ended = await it.turn(stop.signal, () => stop.abort());
    assert.deepEqual([ended.outcome, ended.fault], ["interrupted", undefined]);
  });

  test("is stopped also in the moment in which codex has named it and does not know it yet", async () => {
    const turns = 8;
    await using it = await stage(Array.from({ length: turns }, () => begun).flat());
    const pids = new Set<number>();
    for (let turn = 0; turn < turns; turn += 1) {
      const stop = new AbortController();
      const ended = await it.turn(
        stop.signal,
        () => {},
        () => stop.abort(),
      );
      assert.deepEqual([ended.outcome, ended.fault], ["interrupted", undefined]);
      pids.add(await it.pid());
    }
    assert.equal(pids.size, 1, "it had to be ended, since it did not stop");
  });
});

test("a codex that hangs before it has named a turn is ended, and the next turn has another one", async () => {
  await using it = await stage([{ reply: [{ text: "One." }] }, { reply: [{ text: "Two." }] }]);
  assert.equal((await it.turn(patience, () => {})).outcome, "done");
  const hung = await it.pid();
  process.kill(hung, "SIGSTOP");
  const failed = await it.turn(patience, () => {});
  assert.deepEqual([failed.outcome, failed.fault?.code], ["failed", "lost"]);
  assert.equal((await it.turn(patience, () => {})).outcome, "done");
  assert.notEqual(await it.pid(), hung);
});

async function stage(steps: readonly object[]) {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await realPlace(pinnedCodex(), steps));
  const pool = appServerPool({
    clock: systemClock,
    start: (launch, signal) => place.start(launch, { signal }),
  });
  const launch = place.launch();
  const plan = { launch, provider: "demo", loopRouteExists: false, network: false, mcpServers: {} };
  const runtime = opened.use(
    codexRuntime({
      pool,
      plan: async () => ({ ...plan, warnings: [], model: "gpt-5.5" }),
      offer: new Map(),
      frames: { listen: () => () => {} },
    }),
  );
  const kept = opened.move();
  return {
    /** `atModel`: when the model has begun to answer. */
    async turn(
      signal: AbortSignal,
      atModel: (side?: Json) => unknown,
      atStart: () => void = () => {},
    ): Promise<EndedEvent> {
      let last: TurnEvent | undefined;
      let side: Json | undefined;
      for await (const event of runtime.run(turnOf({ input: "go" }), portsOf([], signal))) {
        if (event.type === "started") side = event.side;
        if (event.type === "started") atStart();
        if (event.type === "delta" && last?.type !== "delta") await atModel(side);
        last = event;
      }
      assert.ok(last?.type === "ended");
      return last;
    },
    async pid(): Promise<number> {
      using lease = await pool.lease(launch, patience);
      return lease.server.pid;
    },
    /** As another client of the thread would. */
    async interrupt(side?: Json): Promise<void> {
      const { thread, turn } = readSide(side) ?? {};
      using lease = await pool.lease(launch, patience);
      const options = { signal: patience, timeoutMs: 60_000 };
      await lease.server.request("turn/interrupt", { threadId: thread, turnId: turn }, options);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
