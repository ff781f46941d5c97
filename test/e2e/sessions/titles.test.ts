import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { systemClock } from "../../../src/lib/clock.ts";
import { noTerminal, terminalOf } from "../pseudo-terminal.ts";
import { type Talaria, talaria } from "../talaria.ts";

describe("titles", { concurrency: 2 }, () => {
  test("a chat gets a title after its first answer, offline too, and costs say what it was", async (t) => {
    await using it = await talaria();
    const terminal = await terminalOf(it);
    if (terminal === undefined) return t.skip(noTerminal);
    await terminal.shows(/\n› $/);
    await terminal.write("my name is Ada, and I like boats\n");
    await terminal.shows(/Nice to meet you[^]*\n› $/);
    await untilThereIs(it, "SELECT title FROM session WHERE title = 'my name is Ada and I'");
    await terminal.write("/sessions\n/quit\n");
    await terminal.shows(/my name is Ada and I\r?\n/);
    assert.equal((await terminal.finished).code, 0);
    await untilThereIs(it, "SELECT 1 FROM usage WHERE cause = 'title_generation'");
  });

  test("none is asked for when it is switched off, in one-shot runs, and for piped input", async (t) => {
    await using it = await talaria();
    await mkdir(it.home, { mode: 0o700 });
    await it.run(["run", "hello"]);
    await it.run([], { input: "hello\n" });
    const off = "auxiliary: { title_generation: { enabled: false } }\n";
    await writeFile(join(it.home, "config.yaml"), off, { mode: 0o600 });
    const terminal = await terminalOf(it);
    if (terminal === undefined) return t.skip(noTerminal);
    await terminal.shows(/\n› $/);
    await terminal.write("hello\n/quit\n");
    assert.equal((await terminal.finished).code, 0);
    const found = rows(it, "SELECT cause FROM usage");
    assert.deepEqual(
      found.map(({ cause }) => cause),
      ["turn", "turn", "turn"],
    );
  });
});

function rows({ home }: Talaria, query: string): readonly Record<string, unknown>[] {
  using db = new DatabaseSync(join(home, "talaria.db"), { readOnly: true });
  return db.prepare(query).all();
}

/** It is done in the background, so nothing on the screen tells when. */
async function untilThereIs(it: Talaria, query: string): Promise<void> {
  const deadline = AbortSignal.timeout(20_000);
  while (rows(it, query).length === 0) await systemClock.sleep(20, deadline, { hold: true });
}
