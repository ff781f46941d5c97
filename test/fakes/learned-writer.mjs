// Adds entries to a memory file, as one of several processes would. Arguments: the home, where its store is, a name, how many.
import { learnedFiles } from "../../src/learning/files/learned-files.ts";
import { redoMemory } from "../../src/learning/memory/redo.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { fileSwapper } from "../../src/lib/files/swap-file.ts";
import { openStoreAt } from "../../src/store/open.ts";

const [, , home, place, name, count] = process.argv;
const store = await openStoreAt(JSON.parse(place), {});
const redo = redoMemory({ memory: 100_000, user: 100_000, project: 100_000 });
const files = learnedFiles({
  home,
  revisions: store.revisions,
  redo: { memory: redo, skill: redo },
  clock: systemClock,
  swap: fileSwapper(process.env, systemClock),
  log: () => {},
});
await files.reconcile();
process.stdout.write("ready\n");
for (let at = 0; at < Number(count); at++) {
  const content = `entry ${name}-${at}`;
  await files.change(
    {
      kind: "memory",
      file: "memories/MEMORY.md",
      summary: content,
      change: { action: "add", target: "memory", content },
      from: { by: "agent", evidence: [], trusted: true },
    },
    "write",
  );
  process.stdout.write(`${content}\n`);
}
await store[Symbol.asyncDispose]();
