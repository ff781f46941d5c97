import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { OpenClient } from "../../core/host.ts";
import { acp } from "./index.ts";

test("an editor is answered while the host is still being opened, and a signal ends it", async () => {
  const host = Promise.withResolvers<OpenClient>();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const signals: ((name: NodeJS.Signals) => void)[] = [];
  const onSignal = (_names: readonly NodeJS.Signals[], callback: (name: NodeJS.Signals) => void) => {
    signals.push(callback);
    return () => {};
  };
  const exit = acp({ version: "1", stdin, stdout, stderr, openHost: () => host.promise, onSignal }, {});
  const params = { protocolVersion: 1 };
  stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  const [answer] = await stdout.take(1).toArray();
  assert.partialDeepStrictEqual(JSON.parse(String(answer)), { id: 1, result: { protocolVersion: 1 } });
  signals[0]?.("SIGTERM");
  host.reject(new Error("given up"));
  assert.equal(await exit, 143);
});
