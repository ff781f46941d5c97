import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { type TestContext, after, before, describe, test } from "node:test";
import { newId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import { type ModelWorld, modelWorld } from "./model-world.suite.ts";

/** One secret for each place where one could slip through. */
const canaries = Array.from(
  { length: 24 },
  (_, at) => `canary-${String(at).padStart(2, "0")}-${"q7".repeat(10)}`,
);

// Named after what has happened to others.
describe("attacks over HTTP", () => {
  const ends: (() => Promise<void>)[] = [];
  const t = { after: (end: () => Promise<void>) => void ends.unshift(end) } as unknown as TestContext;
  let world: ModelWorld;
  const [keyCanary = "", hookCanary = "", providerCanary = "", ...others] = canaries;
  before(async () => {
    const settings =
      "http:\n  per_minute: 5000\n  keys:\n    set:\n      key_env: SET_KEY\n      scopes: [admin]\n  webhooks:\n    bell:\n      secret_env: BELL_SECRET\n      prompt: Look.\n";
    const echo = others.map((canary) => ({ when: canary.slice(0, 9), reply: [{ text: "Read." }] }));
    world = await modelWorld(t, echo, {
      settings,
      env: { SET_KEY: keyCanary, BELL_SECRET: hookCanary, OPENAI_API_KEY: providerCanary },
    });
  });
  after(async () => {
    for (const end of ends) await end();
  });

  /** What comes back to bytes that no client would send. */
  async function raw(text: string): Promise<string> {
    const socket = connect(Number(new URL(world.origin).port), "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk)).on("error", () => {});
    socket.write(text);
    await once(socket, "close");
    return Buffer.concat(chunks).toString();
  }

  const offer = async (path: string, named: string, key: string): Promise<string> => {
    const said = await raw(
      `GET ${path} HTTP/1.1\r\nHost: ${named}\r\n${key}Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    return said.split(" ", 2)[1] ?? "nothing";
  };

  test("CVE-2026-53869, CVE-2026-28472, CVE-2026-32057: nothing is upgraded, and the door looks at whoever offers it", async () => {
    const { host } = new URL(world.origin);
    const admin = `Authorization: Bearer ${await world.key("admin")}\r\n`;
    for (const path of ["/api/events", "/v1/models", "/ws"]) {
      for (const key of ["", "Authorization: Bearer x\r\n"])
        assert.match(await offer(path, host, key), /^(?:401|429)$/, path);
      assert.equal(await offer(path, "evil.example", admin), "421", path);
    }
    // Java's client offers HTTP/2 with its first request, and goes on with HTTP/1.1.
    assert.equal(await offer("/v1/models", host, admin), "200");
    assert.equal(await offer("/ws", host, admin), "404");
  });

  test("GHSA-rqpp, CVE-2026-32045: what a request says of its own rights counts for nothing", async () => {
    const key = await world.key("read");
    const headers = {
      "X-Talaria-Scopes": "admin",
      "X-Forwarded-User": "owner",
      "X-Scopes": "admin",
      "X-Forwarded-For": "127.0.0.1",
      Forwarded: "for=127.0.0.1",
    };
    const answer = await world.request("/api/keys.list", { key, json: {}, headers });
    assert.equal(answer.status, 403);
    const body = await world.request("/api/keys.list", {
      key,
      json: { scopes: ["admin"], role: "owner", local: true },
    });
    assert.ok([400, 403].includes(body.status));
  });

  test("CVE-2026-25593, CVE-2026-58123, CVE-2026-49973: nothing changes anything for somebody without a key", async () => {
    for (const name of [
      "turns.send",
      "config.set",
      "keys.add",
      "shell.run",
      "approvals.answer",
      "devices.add",
    ]) {
      const answer = await world.request(`/api/${name}`, { json: {} });
      assert.ok([401, 429].includes(answer.status), name);
    }
  });

  test("GHSA-943q: an admin's key runs no command, allows none beforehand, sets nothing, makes no key", async () => {
    const key = await world.key("admin");
    const owner = world.host.as(localOwner("cli"));
    const later = { when: "in 1h", text: "x" };
    const script = { when: "in 1h", text: "", name: "counting", cwd: "/", script: "df -h" };
    await owner.call("cron.add", script);
    const [session, id] = [{ id: newId("ses", 1) }, "counting"];
    const refused: readonly (readonly [string, object])[] = [
      ["shell.run", { command: "id", cwd: "/" }],
      ["config.set", { key: "approvals.mode", value: "off" }],
      ["keys.add", { name: "more", scopes: ["admin"] }],
      ["devices.add", { port: 1 }],
      ["cron.add", { ...later, allow: ["rm notes"] }],
      ["cron.add", { ...later, script: "rm notes" }],
      ["cron.add", { ...later, maySchedule: 3 }],
      ["cron.edit", { id, change: { allow: ["rm notes"] } }],
      ["cron.edit", { id, change: { script: "rm notes" } }],
      ["cron.edit", { id, change: { maySchedule: 3 } }],
      ["cron.edit", { id, change: { cwd: "/tmp" } }],
      ["kanban.add", { title: "x", allow: ["rm notes"] }],
      ["kanban.add", { title: "x", check: "rm notes" }],
      ["goals.set", { session, text: "x", check: "rm notes" }],
    ];
    for (const [name, json] of refused) {
      const answer = await world.request(`/api/${name}`, { key, json });
      assert.equal(answer.status, 403, `${name} ${JSON.stringify(json)}`);
    }
    assert.equal((await owner.call("cron.list", {})).length, 1);
    await owner.call("cron.remove", { id });
  });

  test("CVE-2026-25253: no page takes an address or a code from a query", async () => {
    assert.equal((await world.request("/?gatewayUrl=ws://evil.example")).status, 200);
    const script = await (await world.request("/open.js")).text();
    assert.ok(!/location\.search|gatewayUrl|https?:/.test(script));
    assert.equal((await world.request("/?code=abc")).status, 400);
    const page = await world.request("/");
    assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'.*connect-src 'self'/);
    assert.ok(!/tal_|token=/.test(await page.text()));
  });

  test("PR #57647, GHSA-5847: neither fields nor spellings of an address change who is counted", async () => {
    const statuses = new Set<number>();
    for (let n = 0; n < 30; n += 1)
      statuses.add(
        (
          await world.request("/api/host.status", {
            key: `tal_aaaaaa_${"x".repeat(42)}${n % 10}`,
            json: { extra: n },
            headers: { "X-Real-IP": `10.0.0.${n}` },
          })
        ).status,
      );
    assert.ok(statuses.has(429));
  });

  test("requests that two readers would understand differently are refused", async () => {
    const { host } = new URL(world.origin);
    const both = await raw(
      `POST /health HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    );
    assert.ok(!both.startsWith("HTTP/1.1 200"));
    const twice = await raw(
      `GET /health HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    assert.ok(!twice.startsWith("HTTP/1.1 200"));
    const absolute = await raw(
      `GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    assert.ok(!absolute.startsWith("HTTP/1.1 200"));
    const path = await world.request("/health/..%2fapi/host.status");
    assert.ok([401, 404, 429].includes(path.status));
  });

  test("24 canaries are in no log, no answer, no error and no event", async () => {
    const admin = await world.key("admin");
    const answers: string[] = [];
    const ask = async (path: string, how: Parameters<ModelWorld["request"]>[1]) => {
      const answer = await world.request(path, how);
      answers.push([...answer.headers].join(), await answer.text());
    };
    for (const canary of others) {
      await ask("/api/host.status", { key: canary, json: {} });
      await ask("/api/host.status", {
        json: {},
        headers: { "X-Talaria-Token": canary, Cookie: `talaria=dev_1.${canary}` },
      });
      await ask(`/v1/runs/run_x?token=${canary}`, { key: admin });
      await ask("/webhooks/bell", { method: "POST", body: canary, headers: { "X-Talaria-Secret": canary } });
      await ask("/open", { json: { code: canary } });
    }
    await ask("/api/host.status", { key: keyCanary, json: {} });
    await ask("/webhooks/bell", { method: "POST", body: "x", headers: { "X-Talaria-Secret": hookCanary } });
    await ask("/api/keys.list", { key: admin, json: {} });
    await ask("/v1/chat/completions", {
      key: keyCanary,
      json: { model: "talaria", messages: [{ role: "user", content: "hello" }] },
    });
    const owner = world.host.as(localOwner("cli"));
    const events = JSON.stringify(
      await Array.fromAsync(owner.call("events.follow", { of: "all", after: "start", once: true })),
    );
    const logs = await Promise.all(
      (await readdir(join(world.home, "logs")).catch(() => [])).map((file) =>
        readFile(join(world.home, "logs", file), "utf8"),
      ),
    );
    const places = {
      answers: answers.join("\n"),
      events,
      "the door's log": world.logged.join("\n"),
      "the host's log": logs.join("\n"),
    };
    for (const [place, text] of Object.entries(places))
      for (const canary of [...canaries, admin.slice(-30)])
        assert.ok(!text.includes(canary), `${canary} is in ${place}`);
  });
});
