import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { type TestContext, test } from "node:test";
import { tempHome } from "../../config/temp-home.suite.ts";
import type { SetupFindings } from "../../core/maintenance.ts";
import { systemClock } from "../../lib/clock.ts";
import { openHostParts } from "../../host/parts-for-maintenance.ts";
import { lookAround } from "./look-around.ts";

test("servers on this machine are found with their models, and whoever has none is no model server", async (t) => {
  const asked: string[] = [];
  const models = await serve(t, "127.0.0.1", '{"data":[{"id":"qwen"},{"id":"llama"}]}', asked);
  const page = await serve(t, "127.0.0.1", "<html>", asked);
  const { servers, codex, keys } = await look(t, { near: models, page });
  assert.deepEqual(servers, [{ provider: "near", api: models, models: ["qwen", "llama"] }]);
  assert.deepEqual(asked.toSorted(), [`GET ${models}/models`, `GET ${page}/models`].toSorted());
  assert.equal(codex.state, "logged_out");
  assert.deepEqual(keys, [{ provider: "groq", variable: "GROQ_API_KEY" }]);
});

test("nobody outside of this machine is asked", async (t) => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal);
  if (outside === undefined) return t.skip("this machine has no address that others see");
  const asked: string[] = [];
  const api = await serve(t, outside.address, '{"data":[{"id":"a"}]}', asked);
  assert.deepEqual((await look(t, { far: api })).servers, []);
  assert.deepEqual(asked, []);
});

async function serve(t: TestContext, host: string, body: string, asked: string[]): Promise<string> {
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} http://${request.headers.host}${request.url}`);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.after(() => void server.close());
  return `http://${host}:${(server.address() as AddressInfo).port}/v1`;
}

async function look(t: TestContext, providers: Readonly<Record<string, string>>): Promise<SetupFindings> {
  const entries = Object.entries(providers).map(([name, api]) => `${name}: {api: "${api}"}`);
  const home = await tempHome(t, { config: `providers: {${entries.join(", ")}}\n` });
  const env = { PATH: process.env["PATH"], HOME: home.home, GROQ_API_KEY: "gsk-1234567890" };
  const loaded = await home.load({ env });
  const { signal } = new AbortController();
  const sources = { env, homeDir: home.home, cwd: home.home, clock: systemClock };
  await using stack = new AsyncDisposableStack();
  const parts = await openHostParts(loaded, sources, stack);
  const found = await lookAround({ ...sources, loaded, parts, signal });
  // Whoever runs this may have a model server of their own.
  return { ...found, servers: found.servers.filter(({ provider }) => Object.hasOwn(providers, provider)) };
}
