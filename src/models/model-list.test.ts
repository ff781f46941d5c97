import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { onLoopback } from "../../test/loopback.ts";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { systemClock } from "../lib/clock.ts";
import { listModels } from "./model-list.ts";
import type { Route } from "./model.ts";

const { signal } = new AbortController();
const asking = { clock: systemClock, signal, limitMs: 20_000 };

async function server(t: TestContext, listener: RequestListener): Promise<Route> {
  const bound = await onLoopback(createServer(listener));
  t.after(() => bound[Symbol.asyncDispose]());
  return {
    name: "mine",
    protocol: "chat",
    url: `${bound.origin}/v1`,
    key: "sk-secret-key",
    headers: { "x-own": "1" },
    model: "a",
  };
}

const answering =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(body);

test("the list is read in the ways that servers have, and whatever else they say is left out", async (t) => {
  const bodies: readonly (readonly [string, readonly string[]])[] = [
    ['{"data":[{"id":"a"},{"id":"b"},{"id":"a"},{"id":7},null]}', ["a", "b"]],
    ['{"models":[{"name":"c"}]}', ["c"]],
    ['["d"]', ["d"]],
    ['{"data":[]}', []],
  ];
  for (const [body, models] of bodies) {
    const route = await server(t, answering(200, body));
    assert.deepEqual(await listModels(route, asking), { listed: true, models }, body);
  }
  for (const listener of [answering(200, "<html>"), answering(404, "{}"), answering(405, "")]) {
    assert.deepEqual(await listModels(await server(t, listener), asking), { listed: false, models: [] });
  }
});

test("the key and the headers go along, and to no other address", async (t) => {
  const seen: unknown[] = [];
  const other = await server(t, (request, response) => {
    seen.push(request.url);
    response.end("{}");
  });
  const route = await server(t, (request, response) => {
    seen.push([request.method, request.url, request.headers.authorization, request.headers["x-own"]]);
    response.writeHead(302, { location: other.url }).end();
  });
  const answer = await listModels(route, asking);
  assert.ok("code" in answer);
  assert.deepEqual(seen, [["GET", "/v1/models", "Bearer sk-secret-key", "1"]]);
});

test("a refused key and a dead address are faults that say so, without the key", async (t) => {
  const route = await server(t, answering(401, '{"error":{"message":"bad key sk-secret-key"}}'));
  const refused = await listModels(route, asking);
  assert.partialDeepStrictEqual(refused, { code: "auth" });
  assert.ok(!JSON.stringify(refused).includes("sk-secret-key"));
  const dead = await listModels({ ...route, url: "http://127.0.0.1:1/v1" }, asking);
  assert.partialDeepStrictEqual(dead, { code: "network" });
});

test("one that does not answer is given up", async (t) => {
  const asked = Promise.withResolvers<void>();
  const route = await server(t, () => asked.resolve());
  const clock = fakeClock();
  const answer = listModels(route, { ...asking, clock, limitMs: 3000 });
  await asked.promise;
  await clock.advance(3000);
  assert.partialDeepStrictEqual(await answer, { code: "network" });
  assert.equal(clock.pending(), 0);
});
