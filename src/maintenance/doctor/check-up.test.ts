import assert from "node:assert/strict";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { type TempHome, tempHome } from "../../config/temp-home.suite.ts";
import type { CheckUp } from "../../core/maintenance.ts";
import { FaultError } from "../../core/faults.ts";
import type { LiveBot } from "../../core/gateway/gateway.ts";
import type { Check } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { botDuty } from "../../lib/secret.ts";
import { selfIdentity } from "../../lib/process/process-identity.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import { startTurn } from "../../store/suite/world.suite.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import { openCheckUp } from "./check-up.ts";
import { noteDrift } from "../codex-drift.ts";
import { codexMigration } from "../../host/codex/migration.ts";
import { openHostParts as openParts } from "../../host/parts-for-maintenance.ts";
import { localOwner } from "../../core/principal.ts";

const { signal } = new AbortController();

describe("a check-up", () => {
  test("tells what waits for somebody: set-aside messages, questions, open turns, drift", async (t) => {
    const it = await world(t);
    {
      await using store = await openTestStore(join(it.home.home, "talaria.db"));
      const { lease } = await startTurn(store);
      const { row } = await store.inbox.admit({
        id: asId("inb_late"),
        from: localOwner("cli"),
        key: { surface: "cli", account: "", chat: "", messageId: "late" },
        session: lease.session,
        input: [{ type: "text", text: "later" }],
        at: systemClock.now(),
      });
      assert.equal(await store.inbox.move(row.id, "waiting", "kept"), true);
      await noteDrift(store, new Map([["item/new", 2]]));
    }
    const found = await it.look();
    const waiting = found
      .filter(({ name }) => name === "waiting")
      .map(({ detail, next }) => `${detail} ${next ?? ""}`);
    assert.equal(waiting.length, 2, waiting.join("\n"));
    assert.match(waiting[0] ?? "", /1 message of the last days set aside.*talaria sessions show ses_/);
    assert.match(waiting[1] ?? "", /1 turn open/);
    assert.partialDeepStrictEqual(
      found.find(({ name }) => name === "codex drift"),
      { ok: true, level: "note" },
    );
  });

  test("has a line for each chat app: its tokens, who is let in, and whether anything answers there", async (t) => {
    const it = await world(t, "gateway:\n  telegram:\n  slack: {bot_token_env: B, signing_secret_env: S}\n");
    const line = async (surface: string): Promise<readonly [boolean, string, string]> => {
      const found = (await it.look()).find(({ name }) => name === `chat app ${surface}`);
      return [found?.ok === true && found.level === undefined, found?.detail ?? "none", found?.next ?? ""];
    };
    const [, , step] = await line("telegram");
    assert.match(step, /^Put TELEGRAM_BOT_TOKEN=… into \S+\.env, or remove gateway\.telegram\.$/);
    assert.deepEqual((await line("slack")).slice(0, 2), [false, "B and S are not set"]);
    assert.equal((await line("discord"))[1], "none");
    await writeFile(join(it.home.home, ".env"), "TELEGRAM_BOT_TOKEN=1:abc\n", { mode: 0o600 });
    await using store = await openTestStore(join(it.home.home, "talaria.db"));
    let bots: readonly LiveBot[] | undefined;
    const botsElsewhere = async () => bots;
    const again = await openCheckUp({ env: it.env, homeDir: it.home.home, openParts, botsElsewhere });
    t.after(() => again[Symbol.asyncDispose]());
    const now = async (): Promise<string> => {
      const found = await Array.fromAsync(again.look(signal));
      const { ok, level, detail, next } = found.find(({ name }) => name === "chat app telegram")!;
      return [ok && level === undefined ? "ok" : (level ?? "FAIL"), detail, next].join(" · ");
    };
    assert.match(
      await now(),
      /^note · no process answers there; 0 people or groups let in · .*talaria serve/,
    );
    const here = selfIdentity("here");
    await store.leases.acquireDuty("tick", here, systemClock.now(), () => false);
    assert.match(
      await now(),
      /^FAIL · a host runs \(pid \d+ on \S+\), and its bot is not open; .* · .*gateway status/,
    );
    await store.leases.acquireDuty(botDuty("1:abc"), here, systemClock.now(), () => false);
    assert.match(await now(), /^note · pid \d+ on \S+ answers there, and nobody was let in · .*pair CODE/);
    await store.people.allow({ surface: "telegram", id: "5", role: "member" }, 1);
    assert.match(await now(), /^note · .*1 person or group let in, and none of them is the owner · .*allow/);
    await store.people.allow({ surface: "telegram", id: "6", role: "owner" }, 1);
    assert.match(
      await now(),
      /^note · pid \d+ on \S+ has the bot; how it is cannot be said from here; 2 people/,
    );
    const says = async (state: LiveBot["state"], detail?: string): Promise<string> => {
      bots = [{ surface: "telegram", state, restarts: 0, ...(detail === undefined ? {} : { detail }) }];
      return now();
    };
    assert.match(await says("connected"), /^ok · pid \d+ on \S+ answers there; 2 people or groups let in/);
    assert.match(
      await says("failed", "Its token."),
      /^FAIL · pid \d+ on \S+ has the bot, which is failed: Its token/,
    );
    assert.match(await says("recovering", "No net."), /^note · .* which is recovering: No net/);
  });

  test("of an older schema says what will happen to it, and does not do it", async (t) => {
    const it = await world(t);
    const file = join(it.home.home, "talaria.db");
    await (await openTestStore(file))[Symbol.asyncDispose]();
    const { DatabaseSync } = await import("node:sqlite");
    using db = new DatabaseSync(file);
    db.exec("pragma user_version = 1");
    const store = (await it.look()).find(({ name }) => name === "store");
    assert.partialDeepStrictEqual(store, { ok: true, level: "note" });
    assert.match(store?.detail ?? "", /schema 1, sound; the next start brings it to \d/);
    assert.deepEqual(Object.values(db.prepare("pragma user_version").get() ?? {}), [1]);
  });

  test("mends only what its last look has found, and says what it could not", async (t) => {
    const it = await world(t, "# mine\n");
    assert.deepEqual(await it.checkUp.fix(), [], "nothing was looked at yet");
    await chmod(it.home.home, 0o755);
    await chmod(it.home.config, 0o644);
    assert.deepEqual(
      (await it.look()).filter(({ fixable }) => fixable).map(({ name, ok }) => [name, ok]),
      [
        ["home", false],
        ["files", false],
      ],
    );
    assert.equal((await it.checkUp.fix()).length, 2);
    assert.equal((await stat(it.home.home)).mode & 0o777, 0o700);
    assert.ok((await it.look()).every(({ fixable }) => fixable !== true));
    assert.deepEqual(await it.checkUp.fix(), []);
  });

  test("says when commands on codex could not start: an old bubblewrap, and a CODEX_HOME that they do not see", async (t) => {
    const bin = await testFolder(t);
    const path = `${bin}:${process.env["PATH"]}`;
    const about = async (help: string, codexHome?: string): Promise<Check | undefined> => {
      await writeFile(join(bin, "bwrap"), `#!/bin/sh\necho '${help}'\n`, { mode: 0o755 });
      const it = await world(t, undefined, codexHome, path);
      const inside = join(it.home.home, ".codex");
      await mkdir(inside);
      return (await it.look()).find(({ name }) => name === "codex bubblewrap");
    };
    const old = await about("--as-pid-1 --perms");
    assert.deepEqual([old?.ok, old?.level], [true, "note"]);
    assert.match(old?.detail ?? "", /bwrap is older than 0\.9, and CODEX_HOME \(\S+\.codex\) lies in/);
    assert.equal(await about("--as-pid-1 --perms --argv0"), undefined);
    assert.equal(await about("--as-pid-1 --perms", await testFolder(t)), undefined);
  });

  test("says when what Talaria wrote into codex's own settings is out of date or damaged", async (t) => {
    const codexHome = await testFolder(t);
    const block = async (config: string): Promise<Check | undefined> =>
      (await (await world(t, config, codexHome)).look()).find(({ name }) => name === "codex block");
    assert.equal(await block(server("ls")), undefined, "nothing was written yet");
    const { home, env } = await world(t, server("ls"), codexHome);
    const processes = { add: async () => {}, remove: async () => {} };
    const parts = { loaded: await home.load(), env, clock: systemClock, processes, version: "0" };
    await codexMigration(parts).run({});
    const written = await readFile(join(codexHome, "config.toml"), "utf8");
    assert.partialDeepStrictEqual(await block(server("ls")), { ok: true });
    const old = await block(server("cat"));
    assert.partialDeepStrictEqual(old, { ok: true, level: "note" });
    assert.match(old?.next ?? "", /talaria codex-runtime migrate/);
    assert.equal(await readFile(join(codexHome, "config.toml"), "utf8"), written);
    await writeFile(join(codexHome, "config.toml"), "# >>> talaria\n");
    assert.match((await block(server("ls")))?.detail ?? "", /is damaged/);
  });

  test("leaves a process of somebody who lives alone", async (t) => {
    const it = await world(t);
    {
      await using store = await openTestStore(join(it.home.home, "talaria.db"));
      const own = selfIdentity();
      await store.processes.add({ pid: own.pid, startTime: own.startTime, kind: "codex", owner: own });
      const elsewhere = { host: `not-${hostname()}`, pid: 1, startTime: "1" };
      await store.processes.add({ pid: 1, startTime: "1", kind: "codex", owner: elsewhere });
    }
    assert.partialDeepStrictEqual(
      (await it.look()).find(({ name }) => name === "processes"),
      { ok: true },
    );
  });

  test("is refused only for a profile that there is not", async (t) => {
    const home = await tempHome(t);
    const opening = openCheckUp({
      env: { TALARIA_HOME: home.home },
      homeDir: home.home,
      profile: "nobody",
      openParts,
    });
    await assert.rejects(opening, FaultError);
    const broken = await world(t, "model: [\n");
    assert.equal(broken.checkUp.unreadable, true);
    assert.deepEqual(
      (await broken.look()).filter(({ ok }) => !ok).map(({ name }) => name),
      ["settings"],
    );
  });
});

const server = (command: string): string => `mcp_servers: { files: { command: ${command} } }\n`;

async function world(
  t: TestContext,
  config?: string,
  codexHome?: string,
  path = process.env["PATH"],
): Promise<{
  readonly home: TempHome;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly checkUp: CheckUp;
  look(): Promise<readonly Check[]>;
}> {
  const home = await tempHome(t, config === undefined ? {} : { config });
  await chmod(home.home, 0o700);
  if (config !== undefined) await chmod(home.config, 0o600);
  const env = { TALARIA_HOME: home.home, HOME: home.home, PATH: path, CODEX_HOME: codexHome };
  const checkUp = await openCheckUp({ env, homeDir: home.home, openParts });
  t.after(() => checkUp[Symbol.asyncDispose]());
  return { home, env, checkUp, look: () => Array.fromAsync(checkUp.look(signal)) };
}
