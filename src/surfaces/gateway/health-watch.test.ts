import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { AdapterHealth } from "../../core/gateway/chat.ts";
import { watchHealth } from "./health-watch.ts";

for (const [state, detail, expected] of [
  ["failed", "Set the token, and start again.", /Set the token, and start again\. `talaria gateway status`/],
  ["recovering", "No connection", /No connection\. It goes on trying\. `talaria gateway status`/],
] as const)
  test(`the owner hears of a bot that is ${state} what is to be done, and only what is so`, async () => {
    const clock = fakeClock();
    const alerts: string[] = [];
    const health: AdapterHealth = { state, restarts: 0, detail };
    const gateway = {
      people: { list: async () => [] },
      settings: {},
      alert: async (_subject: string, text: string) => void alerts.push(text),
    };
    const parts = {
      adapter: { surface: "telegram", health: () => health },
      clock,
      gateway,
      log: () => {},
    };
    using cleanup = new DisposableStack();
    cleanup.use(watchHealth(parts as unknown as Parameters<typeof watchHealth>[0]));
    for (let look = 0; look < 12; look += 1) await clock.advance(15_000);
    assert.equal(alerts.length, 1);
    assert.match(alerts[0] ?? "", expected);
  });
