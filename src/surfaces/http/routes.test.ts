import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { type OutgoingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { localOwner } from "../../core/principal.ts";
import { systemClock } from "../../lib/clock.ts";
import { packageRoot } from "../../lib/own-files.ts";
import { makeApp } from "./app.ts";
import { visitors } from "./visitors.ts";
import { type HttpWorld, httpWorld } from "./world.suite.ts";

const golden = join(packageRoot, "test/fixtures/http/routes.txt");

/** A path for each route that there is; one that is missing here fails. */
const samples: Readonly<Record<string, readonly [path: string, body?: unknown]>> = {
  "GET /health": ["/health"],
  "GET /": ["/"],
  "GET /open.js": ["/open.js"],
  "POST /open": ["/open", {}],
  "GET /api/events": ["/api/events?after=nonsense"],
  "POST /api/:operation": ["/api/host.status", {}],
  "GET /v1/models": ["/v1/models"],
  "GET /v1/models/:id{.+}": ["/v1/models/talaria"],
  "POST /v1/chat/completions": ["/v1/chat/completions", {}],
  "POST /v1/responses": ["/v1/responses", {}],
  "GET /v1/responses/:id": ["/v1/responses/resp_none"],
  "DELETE /v1/responses/:id": ["/v1/responses/resp_none"],
  "GET /v1/capabilities": ["/v1/capabilities"],
  "POST /v1/runs": ["/v1/runs", {}],
  "GET /v1/runs/:id": ["/v1/runs/run_none"],
  "GET /v1/runs/:id/events": ["/v1/runs/run_none/events"],
  "POST /v1/runs/:id/stop": ["/v1/runs/run_none/stop", {}],
  "POST /v1/runs/:id/steer": ["/v1/runs/run_none/steer", { input: "x" }],
  "POST /v1/runs/:id/approval": ["/v1/runs/run_none/approval", { approval: "apr_x", choice: "deny" }],
  "POST /webhooks/:name": ["/webhooks/nobody", {}],
  "POST /gateway/:surface": ["/gateway/nobody", {}],
};

/** An operation of each scope, and one that works here alone. */
const operations: Readonly<Record<string, unknown>> = {
  "host.status": {},
  "turns.stop": { session: "ses_none" },
  "approvals.answer": { approval: "apr_none", choice: "deny" },
  "keys.list": {},
  "config.get": { key: "model.default" },
  "shell.run": { command: "true", cwd: "/" },
  "chat.quit": {},
};

test("every route × where from × who × how is as the table says", async (t) => {
  const world = await httpWorld(t, {
    clock: fakeClock(systemClock.now()),
    settings: "http:\n  origins: [https://chat.example]\n  per_minute: 100000\n",
  });
  const { host } = new URL(world.origin);
  const port = new URL(world.origin).port;
  const who = await everybody(world);
  const { http } = world.host;
  const behind = {
    host: world.host,
    http,
    clock: systemClock,
    log: () => {},
    hosts: new Set<string>(),
    origins: new Set<string>(),
    secure: false,
  };
  using inside = visitors(http.access, http.settings, systemClock);
  const routes = [
    ...new Set(
      makeApp(behind, inside)
        .routes.filter(({ method }) => method !== "ALL")
        .map(({ method, path }) => `${method} ${path}`),
    ),
  ];
  assert.deepEqual(routes.toSorted(), Object.keys(samples).toSorted(), "a route without a row here");

  const ask = (method: string, path: string, body: unknown, headers: OutgoingHttpHeaders) =>
    status(world.origin, {
      method,
      path,
      headers: { Host: host, ...headers },
      ...(body === undefined || method === "GET" || method === "DELETE"
        ? {}
        : { body: JSON.stringify(body) }),
    });
  const lines: string[] = [];
  for (const route of routes) {
    const [method = ""] = route.split(" ");
    const [path = "", body] = samples[route] ?? [];
    const line = async (
      title: string,
      columns: Readonly<Record<string, OutgoingHttpHeaders>>,
      verb = method,
    ): Promise<void> => {
      const cells = [];
      for (const [name, headers] of Object.entries(columns))
        cells.push(`${name} ${await ask(verb, path, body, headers)}`);
      lines.push(`${route.padEnd(28)} ${title.padEnd(7)} ${cells.join(" · ")}`);
    };
    const admin = who["admin"] ?? {};
    const hosts = {
      other: "evil.example",
      "other port": "127.0.0.1:1",
      suffix: `127.0.0.1:${port}.evil.example`,
      rebound: `attacker.example:${port}`,
    };
    await line(
      "host",
      Object.fromEntries(Object.entries(hosts).map(([name, value]) => [name, { ...admin, Host: value }])),
    );
    const origins = {
      own: world.origin,
      listed: "https://chat.example",
      other: "https://evil.example",
      null: "null",
      "other port": "http://127.0.0.1:1",
    };
    await line(
      "origin",
      Object.fromEntries(Object.entries(origins).map(([name, value]) => [name, { ...admin, Origin: value }])),
    );
    await line("who", who);
    for (const verb of ["GET", "POST", "PUT", "DELETE"].filter((each) => each !== method))
      await line(verb, { nobody: {}, admin }, verb);
  }
  for (const [name, input] of Object.entries(operations)) {
    const cells = [];
    for (const [caller, headers] of Object.entries(who))
      cells.push(`${caller} ${await ask("POST", `/api/${name}`, input, headers)}`);
    lines.push(`${`POST /api/${name}`.padEnd(28)} who     ${cells.join(" · ")}`);
  }
  const table = `${lines.join("\n")}\n`;
  if (process.env["TALARIA_WRITE_ROUTES"] === "1") await writeFile(golden, table);
  assert.equal(
    table,
    await readFile(golden, "utf8"),
    "TALARIA_WRITE_ROUTES=1 writes it anew; look at what has changed",
  );
});

const bearer = (key: string): OutgoingHttpHeaders => ({ Authorization: `Bearer ${key}` });

async function everybody(world: HttpWorld): Promise<Readonly<Record<string, OutgoingHttpHeaders>>> {
  const owner = world.host.as(localOwner("cli"));
  const revoked = await owner.call("keys.add", { name: "revoked", scopes: ["admin"] });
  await owner.call("keys.revoke", { id: revoked.id });
  const read = await world.key("read");
  const link = await owner.call("devices.add", { port: 1 });
  const let_in = await world.request("/open", { json: { code: new URL(link.url).hash.slice(6) } });
  const { token } = (await let_in.json()) as { readonly token: string };
  const Cookie = (let_in.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  return {
    revoked: bearer(revoked.key),
    "half a key": bearer(read.slice(0, -1)),
    empty: { Authorization: "Bearer " },
    basic: { Authorization: `Basic ${Buffer.from(`key:${read}`).toString("base64")}` },
    read: bearer(read),
    operate: bearer(await world.key("operate")),
    approve: bearer(await world.key("approve")),
    admin: bearer(await world.key("admin")),
    "cookie alone": { Cookie },
    "token alone": { "X-Talaria-Token": token },
    browser: { Cookie, "X-Talaria-Token": token },
  };
}

/** Wrong keys only have to wait after a while: that is one answer here. */
async function status(
  origin: string,
  {
    method,
    path,
    headers,
    body,
  }: {
    readonly method: string;
    readonly path: string;
    readonly headers: OutgoingHttpHeaders;
    readonly body?: string;
  },
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const asked = request(
    `${origin}${path}`,
    { method, headers: { ...type, ...headers }, agent: false },
    (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    },
  );
  // Such a request is cut off before anybody answers.
  asked.on("error", () => resolve(0));
  asked.end(body);
  const code = await promise;
  if (code === 0) return "cut off";
  return code === 401 || code === 429 ? "no key" : String(code);
}
