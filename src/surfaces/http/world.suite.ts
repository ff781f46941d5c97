import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import type { Host } from "../../core/host.ts";
import { type Principal, type Scope, localOwner } from "../../core/principal.ts";
import { openHost } from "../../host/index.ts";
import type { Clock } from "../../lib/clock.ts";
import { type OpenHttp, openHttp } from "./index.ts";

export type HttpWorld = {
  readonly home: string;
  readonly cwd: string;
  readonly host: Host;
  readonly origin: string;
  /** Everything that the door has written down. */
  readonly logged: string[];
  /** A new key with these scopes. */
  key(...scopes: readonly Scope[]): Promise<string>;
  /** A key whose holder the host takes for somebody else. */
  keyFor(caller: Principal): Promise<string>;
  request(
    path: string,
    how?: RequestInit & { readonly key?: string; readonly json?: unknown },
  ): Promise<Response>;
};

export type WorldOptions = {
  readonly settings?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly hostClock?: Clock;
};

/** A host with a home of its own and a door on a free port. */
export async function httpWorld(
  t: Pick<TestContext, "after">,
  options: WorldOptions = {},
): Promise<HttpWorld> {
  const folder = await testFolder(t);
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(cwd, { recursive: true });
  await mkdir(home, { mode: 0o700 });
  if (options.settings !== undefined)
    await writeFile(join(home, "config.yaml"), options.settings, { mode: 0o600 });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home, ...options.env };
  const seams = options.hostClock === undefined ? {} : { seams: { clock: options.hostClock } };
  const host = await openHost({ env, homeDir: folder, cwd, version: "test", executor: true, ...seams });
  const others = new Map<string, Principal>();
  const seen: OpenHttp["host"] = {
    http: host.http,
    gateway: host.gateway,
    as: (caller) => host.as(others.get(caller.id) ?? caller),
  };
  const logged: string[] = [];
  const log = (event: string, fields: object = {}): void =>
    void logged.push(JSON.stringify({ event, ...fields }));
  const clock = options.clock === undefined ? {} : { clock: options.clock };
  const door = await openHttp({ host: seen, port: 0, log, ...clock });
  if (door === undefined) throw new Error("no door");
  t.after(async () => {
    await door[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });
  let made = 0;
  const add = (scopes: readonly Scope[]) =>
    host.as(localOwner("cli")).call("keys.add", { name: `key ${(made += 1)}`, scopes });
  return {
    home,
    cwd,
    host,
    logged,
    origin: door.address,
    key: async (...scopes) => (await add(scopes)).key,
    async keyFor(caller) {
      const { id, key } = await add(["admin"]);
      others.set(id, caller);
      return key;
    },
    request(path, { key, json, ...how } = {}) {
      const headers = new Headers(how.headers);
      if (key !== undefined) headers.set("Authorization", `Bearer ${key}`);
      if (json === undefined) return fetch(`${door.address}${path}`, { ...how, headers });
      if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
      return fetch(`${door.address}${path}`, { method: "POST", ...how, headers, body: JSON.stringify(json) });
    },
  };
}
