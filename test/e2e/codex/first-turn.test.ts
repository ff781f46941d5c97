import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Host } from "../../../src/core/host.ts";
import { newId } from "../../../src/core/ids.ts";
import { asOwner, send } from "../../owners-host.ts";
import { openHost } from "../../../src/host/index.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { type CodexTalaria, processesOf, talariaOnCodex } from "./codex-talaria.ts";

const says = { reply: [{ text: "Here." }] };

describe("codex that is started for a turn which is expected", { concurrency: 2 }, () => {
  test("is there before anybody asks, and is the one that runs the turn", async () => {
    await using it = await talariaOnCodex([says]);
    await using host = await opened(it, systemClock);
    let early = await appServers(it);
    for (; early.length === 0; early = await appServers(it))
      await systemClock.sleep(20, undefined, { hold: true });
    assert.equal(early.length, 1, early.join("\n"));
    assert.equal(await ask(host, it.cwd), "Here.");
    assert.deepEqual(await appServers(it), early);
  });

  test("asks no model for anything, and is closed when the turn does not come for long", async () => {
    await using it = await talariaOnCodex([]);
    const { clock, idle, pass } = idleClock();
    await using host = await opened(it, clock);
    await idle;
    assert.equal((await appServers(it)).length, 1);
    pass();
    while ((await appServers(it)).length > 0) await systemClock.sleep(20, undefined, { hold: true });
    assert.deepEqual(it.model.requests, []);
    assert.equal((await asOwner(host).call("host.status", {})).runtime, "loop");
  });

  test(
    "keeps nobody waiting who only opens a session, and is left alone when they go",
    { timeout: 60_000 },
    async () => {
      await using it = await talariaOnCodex([]);
      const silent = join(it.folder, "silent-codex");
      await writeFile(silent, "#!/bin/sh\nexec sleep 600\n", { mode: 0o700 });
      const settings = join(it.home, "config.yaml");
      const usual = await readFile(settings, "utf8");
      await writeFile(settings, usual.replace("model: {", `model: { codex_bin: "${silent}",`));
      const host = await opened(it, { ...systemClock, sleep: withoutEnd(versionMs) });
      assert.match((await processesOf(it)).join(), /sleep 600/);
      await host[Symbol.asyncDispose]();
    },
  );

  test("is gone with a host that is closed while it starts", async () => {
    await using it = await talariaOnCodex([]);
    const host = await opened(it, systemClock);
    await host[Symbol.asyncDispose]();
    assert.deepEqual(await processesOf(it), []);
  });
});

const opened = (it: CodexTalaria, clock: Clock): Promise<Host> =>
  openHost({
    env: { PATH: process.env["PATH"], HOME: it.folder, TALARIA_HOME: it.home, ...it.env },
    homeDir: it.folder,
    cwd: it.cwd,
    version: "0.0.0",
    firstTurn: { runtime: "codex" },
    seams: { clock },
  });

const appServers = async (it: CodexTalaria): Promise<readonly string[]> =>
  (await processesOf(it)).filter((line) => / app-server /.test(line));

async function ask(host: Host, cwd: string): Promise<string | undefined> {
  const id = newId("ses", systemClock.now());
  const sent = await send(host, {
    key: { surface: "cli", account: "", chat: id, messageId: "1" },
    session: { id, cwd, surface: "cli", audience: "owner" },
    input: [{ type: "text", text: "hello" }],
    choices: { runtime: "codex" },
    whenBusy: "refuse",
    attended: "none",
  });
  return (await sent.ended)?.text;
}

/** How long codex may take to say which version it is. */
const versionMs = 10_000;

/** Whoever waits for so long, waits until they are told to stop. */
const withoutEnd =
  (length: number): Clock["sleep"] =>
  (ms, signal, options) =>
    systemClock.sleep(ms === length ? 2 ** 30 : ms, signal, options);

const idleMs = 10 * 60_000;

/** `idle`: an app-server that is up has begun to wait for who wants it. `pass` ends the wait. */
function idleClock(): { readonly clock: Clock; readonly idle: Promise<void>; readonly pass: () => void } {
  const [begun, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const sleep: Clock["sleep"] = (ms, signal, options) => {
    if (ms !== idleMs) return systemClock.sleep(ms, signal, options);
    begun.resolve();
    const left = Promise.withResolvers<void>();
    signal?.addEventListener("abort", () => left.reject(signal.reason as Error), { once: true });
    return Promise.race([passed.promise, left.promise]);
  };
  return { clock: { ...systemClock, sleep }, idle: begun.promise, pass: passed.resolve };
}
