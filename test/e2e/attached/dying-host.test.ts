import assert from "node:assert/strict";
import { readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  type CodexTalaria,
  endless,
  endlessBegun,
  pidOf,
  processesOf,
  talariaOnCodex,
} from "../codex/codex-talaria.ts";
import { whenChanged } from "../codex/watching.ts";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import type { Started } from "../talaria.ts";
import { serving } from "./serving.ts";

const unaccounted = { unaccounted: "what a killed host had asked for is nobody's to count" };

describe("a run whose host is long in closing, since codex hangs", { concurrency: 2 }, () => {
  test("ends also when the host dies of it: the turn is closed, and nothing is left running", async () => {
    await using it = await talariaOnCodex([{ reply: [endless] }], unaccounted);
    const host = await serving(it, it.env);
    const child = await it.startTurn(["work"]);
    await leftAlone(it, host, child);
    await openedHome(it, child);
    host.signal("SIGKILL");
    const { code, lines } = await child.finished;
    assert.deepEqual([code, lines.at(-1)?.type, lines.at(-1)?.["outcome"]], [130, "ended", "interrupted"]);
    assert.deepEqual((await onDisk(it.home))[0]?.turns, ["interrupted"]);
    assert.deepEqual(await processesOf(it), []);
  });

  test("waits for the end of a turn in a session that went on, and says how it was", async () => {
    await using it = await talariaOnCodex([says("One."), { reply: [endless] }], unaccounted);
    assert.equal((await it.turn(["first"])).code, 0);
    const host = await serving(it, it.env);
    const child = await it.startTurn(["--continue", "work"]);
    await leftAlone(it, host, child);
    const { code, lines, stderr } = await child.finished;
    assert.deepEqual([code, lines.at(-1)?.type, lines.at(-1)?.["outcome"]], [130, "ended", "interrupted"]);
    assert.doesNotMatch(stderr, /unsettled/);
    assert.equal((await host.finished).code, 0);
  });
});

/** It works alone, and has tried to take the turn from the host that still has it, which is a write. */
async function openedHome({ home }: CodexTalaria, { pid }: Started): Promise<void> {
  let before: number | undefined;
  await whenChanged(home, async () => {
    const open = await readdir(`/proc/${pid}/fd`);
    const files = await Promise.all(open.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
    if (!files.includes(join(home, "talaria.db"))) return false;
    const { size } = await stat(join(home, "talaria.db-wal"));
    before ??= size;
    return size !== before;
  });
}

/** The host has closed its doors, and still has the turn: its codex does not answer. */
async function leftAlone(it: CodexTalaria, host: Started, child: Started): Promise<void> {
  await endlessBegun(it, child);
  process.kill(await pidOf(it, /codex app-server/), "SIGSTOP");
  host.signal("SIGTERM");
  await child.shows(/"code":"host_gone"/);
}
