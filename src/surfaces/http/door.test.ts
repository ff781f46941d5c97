import assert from "node:assert/strict";
import { type TestContext, after, before, describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { AccessTable } from "../../core/access.ts";
import { localOwner } from "../../core/principal.ts";
import { systemClock } from "../../lib/clock.ts";
import { heard } from "./http-edge.suite.ts";
import { requireSafe } from "./listen.ts";
import { type HttpWorld, httpWorld } from "./world.suite.ts";

type Failed = { readonly error: { readonly code: string; readonly message: string; readonly next: string } };
const errorOf = async (answer: Response) => ((await answer.json()) as Failed).error;

describe("the door over HTTP", () => {
  const ends: (() => Promise<void>)[] = [];
  const t = { after: (end: () => Promise<void>) => void ends.unshift(end) } as unknown as TestContext;
  const clock = fakeClock(systemClock.now());
  let world: HttpWorld;
  const owner = () => world.host.as(localOwner("cli"));
  before(async () => {
    world = await httpWorld(t, {
      clock,
      settings:
        "http:\n  origins: [https://chat.example]\n  per_minute: 60\n  concurrent: 2\n  body_mb: 0.01\n",
    });
  });
  after(async () => {
    for (const end of ends) await end();
  });
  const minute = () => clock.advance(61_000);

  test("says that it lives to anybody, and no more", async () => {
    const answer = await world.request("/health");
    assert.deepEqual([answer.status, await answer.json()], [200, { ok: true }]);
    assert.equal(answer.headers.get("x-frame-options"), "DENY");
    assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  });

  test("a key works as a header, until it is revoked", async () => {
    const key = await world.key("read");
    assert.equal((await world.request("/api/host.status", { key, json: {} })).status, 200);
    const [row] = (await owner().call("keys.list", {}))
      .filter(({ revokedAt }) => revokedAt === undefined)
      .slice(-1);
    await owner().call("keys.revoke", { id: row?.id ?? "" });
    const answer = await world.request("/api/host.status", { key, json: {} });
    assert.equal(answer.status, 401);
    assert.match((await errorOf(answer)).next, /talaria keys add/);
  });

  test("a stream ends soon after its key is revoked elsewhere", async () => {
    await minute();
    const { id, key } = await owner().call("keys.add", { name: "reader", scopes: ["admin"] });
    const answer = await world.request("/api/events", { key });
    const events = heard(answer);
    assert.match(String((await events.next()).value?.data), /"resume":"ok"/);
    await owner().call("keys.revoke", { id });
    const rest = Array.fromAsync(events);
    await clock.advance(600);
    await rest;
  });

  test("what is no key is refused, and after ten tries only has to wait", async () => {
    await minute();
    const statuses = [];
    for (let n = 0; n < 12; n += 1)
      statuses.push(
        (await world.request("/api/host.status", { key: `tal_abcdef_${"x".repeat(43)}`, json: {} })).status,
      );
    assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429, 429]);
    const spoofed = await world.request("/api/host.status", {
      json: {},
      headers: { "X-Forwarded-For": "10.0.0.1" },
    });
    assert.equal(spoofed.status, 429);
    assert.match(spoofed.headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal(
      (await world.request("/api/host.status", { key: await world.key("read"), json: {} })).status,
      200,
    );
    await minute();
  });

  test("a key in an address is refused, and none is in the log", async () => {
    const key = await world.key("read");
    const answer = await world.request(`/api/events?token=${key}`, { key });
    assert.equal((await errorOf(answer)).code, "token_in_address");
    assert.ok(!world.logged.join("").includes(key.slice(-20)));
  });

  test("a code lets one browser in, once: both halves are needed", async () => {
    const link = await owner().call("devices.add", { port: 1, name: "phone" });
    const code = new URL(link.url).hash.slice("#code=".length);
    assert.equal(new URL(link.url).search, "");
    const answer = await world.request("/open", { json: { code } });
    const { token, device } = (await answer.json()) as { readonly token: string; readonly device: string };
    const cookie = answer.headers.get("set-cookie") ?? "";
    assert.match(cookie, /; HttpOnly/);
    assert.match(cookie, /; SameSite=Strict/);
    const half = cookie.split(";", 1)[0] ?? "";
    assert.equal((await world.request("/open", { json: { code } })).status, 403, "once");
    const status = async (headers: Record<string, string>) =>
      (await world.request("/api/sessions.list", { json: { limit: 1 }, headers })).status;
    assert.equal(await status({ Cookie: half, "X-Talaria-Token": token }), 200);
    assert.equal(await status({ Cookie: half }), 401);
    assert.equal(await status({ "X-Talaria-Token": token }), 401);
    assert.equal(await status({ Cookie: half, "X-Talaria-Token": `${token}x` }), 401);
    await owner().call("devices.revoke", { id: device });
    assert.equal(await status({ Cookie: half, "X-Talaria-Token": token }), 401);
  });

  test("a code is good for five minutes", async () => {
    const link = await owner().call("devices.add", { port: 1 });
    await clock.advance(link.until - clock.now() + 1);
    const answer = await world.request("/open", { json: { code: new URL(link.url).hash.slice(6) } });
    assert.equal(answer.status, 403);
  });

  test("more than allowed in a minute, or at once, is refused with the time to wait", async () => {
    await minute();
    const key = await world.key("admin");
    const open = [await world.request("/api/events", { key }), await world.request("/api/events", { key })];
    const third = await world.request("/api/host.status", { key, json: {} });
    assert.deepEqual([third.status, third.headers.get("retry-after")], [429, "1"]);
    for (const answer of open) await answer.body?.cancel();
    const other = await world.key("read");
    for (let n = 0; n < 60; n += 1)
      await (await world.request("/api/host.status", { key: other, json: {} })).text();
    assert.equal((await world.request("/api/host.status", { key: other, json: {} })).status, 429);
    await minute();
    assert.equal((await world.request("/api/host.status", { key: other, json: {} })).status, 200);
  });

  test("a body that is too large, too deep or no JSON is refused", async () => {
    const key = await world.key("read");
    const post = (body: string, type = "application/json") =>
      world.request("/api/host.status", { key, method: "POST", body, headers: { "Content-Type": type } });
    assert.equal((await post(`{"a":"${"x".repeat(20_000)}"}`)).status, 413);
    assert.equal((await post("[".repeat(9000))).status, 400);
    assert.equal((await post("{")).status, 400);
    assert.equal((await post("{}", "text/plain")).status, 415);
  });

  test("only pages that are listed may ask from elsewhere", async () => {
    const key = await world.key("read");
    const asked = (origin: string) =>
      world.request("/api/host.status", { key, json: {}, headers: { Origin: origin } });
    const listed = await asked("https://chat.example");
    assert.equal(listed.headers.get("access-control-allow-origin"), "https://chat.example");
    assert.equal(listed.headers.get("access-control-allow-credentials"), null);
    for (const origin of ["https://chat.example.evil", "http://chat.example", "null", "https://evil.example"])
      assert.equal((await asked(origin)).status, 403, origin);
    const preflight = await world.request("/v1/models", {
      method: "OPTIONS",
      headers: { Origin: "https://chat.example" },
    });
    assert.deepEqual(
      [preflight.status, preflight.headers.get("access-control-allow-origin")],
      [204, "https://chat.example"],
    );
  });

  test("events come with their cursors, and go on behind one", async () => {
    await minute();
    const key = await world.key("admin");
    const session = "ses_0000000001http";
    const message = (n: number) => ({
      key: { surface: "cli", account: "", chat: session, messageId: String(n) },
      session: { id: session, cwd: world.cwd, surface: "cli", audience: "owner" },
      input: [{ type: "text", text: "hello" }],
      whenBusy: "queue",
      attended: "none",
    });
    const sent = await owner().call("turns.send", message(1) as never);
    await owner().call("turns.wait", { inbox: sent.inbox });
    const read = async (cursor: string, until: string, headers: Record<string, string> = {}) => {
      const all = [];
      for await (const event of heard(await world.request(`/api/events?after=${cursor}`, { key, headers }))) {
        const value = JSON.parse(event.data) as {
          readonly type: string;
          readonly cursor?: string;
          readonly resume?: string;
        };
        assert.equal(event.id, value.cursor);
        all.push(value);
        if (value.type === until) break;
      }
      return all;
    };
    const first = await read("start", "ended");
    assert.deepEqual([first[0]?.type, first[0]?.resume, first[1]?.type], ["resume", "ok", "began"]);
    const again = await read("start", "ended", { "Last-Event-ID": first[1]?.cursor ?? "" });
    assert.deepEqual(again.slice(1), first.slice(2));
  });
});

test("beyond this machine it listens only with TLS or a proxy, a name and a key", async () => {
  const access = { keys: async () => [] } as unknown as AccessTable;
  const settings = {
    host: "0.0.0.0",
    hosts: [] as readonly string[],
    origins: [],
    proxy: false,
    bodyBytes: 1,
    perMinute: 1,
    concurrent: 1,
    aliases: [],
    keys: {},
    webhooks: {},
  };
  const said = (change: object) =>
    requireSafe({
      settings: { ...settings, ...change },
      access,
      secret: (name) => (name === "SET" ? "x" : undefined),
    });
  await assert.rejects(said({}), /could be read on the way/);
  await assert.rejects(said({ proxy: true }), /what it is called/);
  await assert.rejects(said({ proxy: true, hosts: ["talaria.example"] }), /there is no key/);
  await said({ proxy: true, hosts: ["talaria.example"], keys: { a: { keyEnv: "SET", scopes: ["read"] } } });
  await said({ host: "127.0.0.1" });
});
