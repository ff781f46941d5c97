import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type HttpWorld, httpWorld } from "./world.suite.ts";

type Wrong = { readonly error: { readonly message: string; readonly param: string | null } };

describe("requests that are written otherwise", () => {
  const ends: (() => Promise<void>)[] = [];
  const t = { after: (end: () => Promise<void>) => void ends.unshift(end) } as unknown as TestContext;
  let world: HttpWorld;
  let key: string;
  before(async () => {
    const settings =
      "http:\n  origins: [https://chat.example]\n  keys:\n    short: { key_env: SHORT_KEY, scopes: [admin] }\n    long: { key_env: LONG_KEY, scopes: [read] }\n  webhooks:\n    bell: { secret_env: SHORT_KEY, prompt: Look. }\n";
    const env = { SHORT_KEY: "fifteen-letters", LONG_KEY: "sixteen-letters!" };
    world = await httpWorld(t, { settings, env });
    key = await world.key("operate");
  });
  after(async () => {
    for (const end of ends) await end();
  });
  const chat = (message: object) =>
    world.request("/v1/chat/completions", { key, json: { model: "talaria", messages: [message] } });

  /** `cut`: nothing more comes, and nobody waits for an answer. */
  async function raw(text: string, cut = false): Promise<string> {
    const socket = connect(Number(new URL(world.origin).port), "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk)).on("error", () => {});
    socket.write(text, () => void (cut && socket.destroy()));
    await once(socket, "close");
    return Buffer.concat(chunks).toString();
  }

  test("a Host or an address that is none is answered in the form of every error", async () => {
    const { host } = new URL(world.origin);
    for (const head of [
      "GET /health HTTP/1.1\r\n",
      "GET /health HTTP/1.1\r\nHost: \r\n",
      "GET /health HTTP/1.1\r\nHost: a/b@c\r\n",
      `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n`,
    ]) {
      const said = await raw(`${head}Connection: close\r\n\r\n`);
      assert.match(said, /^HTTP\/1\.1 400 /, head);
      assert.match(said, /"error":\{"code":"usage","message":"This is no HTTP request\."/, head);
    }
  });

  test("a method that a path does not take is told which ones it does", async () => {
    const answer = await world.request("/v1/chat/completions", { key });
    assert.equal(answer.headers.get("Allow"), "POST");
    assert.deepEqual(await wrong(answer), [405, "This takes POST, not GET.", null]);
    const one = await world.request("/v1/responses/resp_x", { key, method: "PUT" });
    assert.equal(one.headers.get("Allow"), "GET, DELETE");
    assert.equal(one.status, 405);
    assert.equal((await world.request("/v1/nothing", { key, method: "PUT" })).status, 404);
  });

  test("a packed body is refused, whether it is packed or only says so", async () => {
    const json = JSON.stringify({ input: "hi" });
    for (const body of [json, gzipSync(json)]) {
      const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
      const answer = await world.request("/v1/runs", { key, method: "POST", body, headers });
      assert.deepEqual(await wrong(answer), [415, "The body is packed.", null]);
    }
  });

  test("a body that is cut off is no bug of ours", async () => {
    const { host } = new URL(world.origin);
    const from = world.logged.length;
    const head = `POST /v1/runs HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n`;
    await raw(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"input":`, true);
    while (!world.logged.slice(from).some((line) => line.includes('"request"')))
      await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      world.logged.slice(from).filter((line) => !line.includes('"status":400')),
      [],
    );
  });

  test("a listed page may send whatever headers its packages have", async () => {
    const asked = "authorization,content-type,x-stainless-os,x-openwebui-chat-id";
    const headers = {
      Origin: "https://chat.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": asked,
    };
    const answer = await world.request("/v1/chat/completions", { method: "OPTIONS", headers });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get("Access-Control-Allow-Headers"), asked);
    const other = { ...headers, Origin: "https://evil.example" };
    const refused = await world.request("/v1/chat/completions", { method: "OPTIONS", headers: other });
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get("Access-Control-Allow-Headers"), null);
  });

  const picture = (url: string) =>
    chat({ role: "user", content: [{ type: "image_url", image_url: { url } }] });

  test("what is no picture is refused, whatever it says it is", async () => {
    const gif = Buffer.from("GIF89a and so on").toString("base64");
    assert.equal((await picture(`data:image/png;base64,${gif}`)).status, 200);
    for (const url of [
      "data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=",
      "data:image/png;base64,PHN2Zz48L3N2Zz4=",
      "data:image/png;base64,!!!!",
    ])
      assert.deepEqual(await wrong(await picture(url)), [400, "A picture cannot be read.", "messages"], url);
    const [status, message] = await wrong(await picture("https://example.org/a.png"));
    assert.deepEqual([status, message], [400, "A picture has to come with the request."]);
  });

  test("what is wrong with a field is said of the form that it comes closest to", async () => {
    assert.deepEqual(await wrong(await chat({ role: "user", content: 3 })), [
      400,
      "Invalid input: expected string or array",
      "messages.0.content",
    ]);
    assert.deepEqual(await wrong(await chat({ role: "user", content: [{ text: "hi" }] })), [
      400,
      "Invalid input: expected string, received undefined",
      "messages.0.content.0.type",
    ]);
    assert.deepEqual(await wrong(await chat({ role: "owner", content: "hi" })), [
      400,
      "A message of the role owner is not supported.",
      "messages",
    ]);
    const [, said] = await wrong(await world.request("/api/events.follow", { key, json: { of: 1 } }));
    assert.match(said, /of: Invalid input: expected "all" or object\.$/);
  });

  test("the events of a session that never was are a 404, not silence", async () => {
    for (const scope of ["operate", "admin"] as const) {
      const who = await world.key(scope);
      const answer = await world.request("/api/events?session=ses_never", { key: who });
      // A stream that has begun would be read for ever.
      assert.equal(answer.status, 404, scope);
      assert.deepEqual(await wrong(answer), [404, "There is no session ses_never.", null], scope);
    }
  });

  test("a key or secret of the settings that can be guessed lets nobody in", async () => {
    assert.equal((await world.request("/v1/models", { key: "sixteen-letters!" })).status, 200);
    assert.equal((await world.request("/v1/models", { key: "fifteen-letters" })).status, 401);
    const headers = { "X-Talaria-Secret": "fifteen-letters" };
    assert.equal((await world.request("/webhooks/bell", { method: "POST", headers })).status, 401);
  });
});

const wrong = async (answer: Response): Promise<readonly [number, string, string | null]> => {
  const { error } = (await answer.json()) as Wrong;
  return [answer.status, error.message, error.param];
};
