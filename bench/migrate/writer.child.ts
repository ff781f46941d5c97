/** Migrates again and again, each time to another block. */
import { readFile } from "node:fs/promises";
import { argv, env, stdout } from "node:process";
import { writeFileAtomic } from "../../src/lib/files/atomic-file.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { rewrite } from "../../src/runtimes/codex/settings-file/rewrite.ts";
import { fileIn, migrateAt } from "./world.ts";

const [, , home = "", start = "", times = "", how = ""] = argv;
for (let count = 0; count < Number(times); count++) {
  await (how === "naive" ? naive(count) : migrateAt(home, Number(start) + count, env));
  stdout.write("done\n");
}

/** Reads, works for as long as a migration does, and writes in one step: what most programs do. */
async function naive(count: number): Promise<void> {
  const text = await readFile(fileIn(home), "utf8");
  await systemClock.sleep(25, undefined, { hold: true });
  const server = { settings: { command: `server-${Number(start) + count}` }, off: false };
  const wish = { servers: new Map([["files", server]]), plugins: new Map() };
  await writeFileAtomic(fileIn(home), rewrite("config.toml", text, wish).text);
}
