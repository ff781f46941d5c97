import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, runBench } from "./bench.ts";

/** `node bench/run.ts crash --quick`: a bench is a folder here with a bench.ts that exports it. */
const [name = "", ...args] = process.argv.slice(2);
const names = (await readdir(import.meta.dirname, { recursive: true }))
  .filter((path) => path.endsWith("/bench.ts"))
  .map((path) => path.slice(0, -"/bench.ts".length));
if (names.includes(name)) {
  const { bench } = (await import(join(import.meta.dirname, name, "bench.ts"))) as { bench: Bench<unknown> };
  process.exitCode = await runBench(name, bench, args);
}
if (!names.includes(name)) {
  console.error(`There is no bench "${name}". There are: ${names.toSorted().join(", ")}.`);
  process.exitCode = 2;
}
