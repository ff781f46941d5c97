import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { goodServer } from "../../../test/fakes/mcp-server/good.ts";
import { type HttpServer, serveHttp } from "../../../test/fakes/mcp-server/http.ts";
import { inFence, longWaits, mcpWorld, until } from "./mcp-world.suite.ts";

let server: HttpServer;
before(async () => void (server = await serveHttp(goodServer)));
after(() => server[Symbol.asyncDispose]());

test("a server over HTTP is used with the person's headers and no token of ours", async () => {
  const web = { url: server.url, headers: { Authorization: "Bearer theirs" } };
  await using world = await mcpWorld({ web }, { env: { OPENAI_API_KEY: "sk-canary" } });
  assert.deepEqual(await world.ready(), []);
  assert.equal(inFence((await world.call("mcp__web__echo", { text: "hi" })).output), "echo: hi");
  const texts = Array.from({ length: 100 }, (_, at) => `call ${at}`);
  const all = await Promise.all(texts.map((text) => world.call("mcp__web__echo", { text })));
  assert.deepEqual(
    all.map(({ output }) => inFence(output)),
    texts.map((text) => `echo: ${text}`),
  );
  assert.ok(server.headers.every(({ authorization }) => authorization === "Bearer theirs"));
  assert.doesNotMatch(JSON.stringify(server.headers), /canary/);
});

test("a session that the server has forgotten is begun anew, once, and the call is made in it", async () => {
  await using world = await mcpWorld({ web: { url: server.url } });
  await world.ready();
  const sessions = server.sessions.length;
  server.forget();
  assert.equal(inFence((await world.call("mcp__web__echo", { text: "again" })).output), "echo: again");
  assert.equal(server.sessions.length, sessions + 1);
});

test("a server that is gone, breaks off, wants a login, answers too much or elsewhere is an error for the model", async () => {
  await using own = await serveHttp(goodServer);
  await using world = await mcpWorld({ web: { url: own.url } });
  await world.ready();
  const said = async (): Promise<string> => {
    const { ok, output } = await world.call("mcp__web__echo", { text: "x" });
    assert.equal(ok, false);
    return output;
  };
  own.misbehave((_request, response) => void response.writeHead(401).end());
  assert.match(await said(), /^The MCP server web wants a login \(HTTP 401\)\. Put it into `headers`/);
  own.misbehave((_request, response) => void response.writeHead(500).end("oh no"));
  assert.match(await said(), /answered with HTTP 500: .*oh no/);
  own.misbehave(undefined);
  assert.equal((await world.call("mcp__web__echo", { text: "x" })).ok, true, "the next call begins anew");

  own.misbehave((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(": hello\n\n");
  });
  assert.match(await said(), /did not answer: the connection broke off before the answer came/);
  own.misbehave(undefined);
  assert.equal((await world.call("mcp__web__echo", { text: "x" })).ok, true);
  own.misbehave((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end("x".repeat(11 * 1024 * 1024));
  });
  assert.match(await said(), /^The MCP server web failed: a message is longer than 10485760 bytes/);
  own.misbehave(undefined);

  await world.servers.servers.get("web")?.stop(); // so often it may not be started
  assert.equal((await world.call("mcp__web__echo", { text: "x" })).ok, true);
  const seen = server.headers.length;
  own.misbehave((_request, response) => void response.writeHead(307, { location: server.url }).end());
  assert.match(await said(), /answered with HTTP 307: /);
  assert.equal(server.headers.length, seen, "nothing was sent to another place");
  await own[Symbol.asyncDispose]();
  assert.match(await said(), /^The MCP server web cannot be reached \(ECONNREFUSED\)/);
});

test("a call over HTTP ends with its time and with Stop", async () => {
  const clock = longWaits();
  await using own = await serveHttp(goodServer);
  await using world = await mcpWorld({ web: { url: own.url, timeout: 20 } }, { clock });
  await world.ready();
  let hanging = 0;
  own.misbehave(() => void (hanging += 1));
  const late = world.call("mcp__web__echo", { text: "x" });
  await until(() => hanging === 1);
  await clock.advance(20_000);
  assert.match((await late).output, /did not answer within 20 s/);
  const stop = new AbortController();
  const stopped = world.call("mcp__web__echo", { text: "x" }, { signal: stop.signal });
  await until(() => hanging >= 2);
  stop.abort(new Error("Stop"));
  assert.deepEqual(await stopped, { ok: false, output: "interrupted" });
  own.misbehave(undefined);
});
