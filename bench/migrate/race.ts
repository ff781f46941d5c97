import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { type Editor, editor } from "./editor.ts";
import { ownSources } from "../own-child.ts";
import { type Random, randomFrom } from "../random.ts";
import { fileIn } from "./world.ts";

const writerFile = fileURLToPath(new URL("writer.child.ts", import.meta.url));

type RaceOptions = {
  readonly seed: number;
  readonly migrations: number;
  readonly writer: "talaria" | "naive";
};

type Raced = {
  readonly migrations: number;
  readonly edits: number;
  readonly putAside: number;
  readonly broken: readonly string[];
};

/** Two processes migrate the same file as fast as they can while somebody saves it at random moments. */
export async function race(home: string, { seed, migrations, writer }: RaceOptions): Promise<Raced> {
  await mkdir(home);
  await writeFile(fileIn(home), '# mine\nmodel = "x"\n\n[features]\na = true\n');
  const random = randomFrom(seed);
  const person = editor(fileIn(home), random);
  const running = new AbortController();
  const broken: string[] = [];
  const editing = saveNowAndThen(person, random, broken, running.signal);
  const done = await Promise.all([0, 1].map((number) => write(home, number, migrations, writer)));
  running.abort();
  await editing;
  broken.push(...person.look(), ...(await wholeness(home)));
  const putAside = (await readdir(home)).filter((name) => name.includes("talaria-saved")).length;
  return { migrations: done.reduce((sum, count) => sum + count, 0), edits: person.edits, putAside, broken };
}

async function saveNowAndThen(
  person: Editor,
  random: Random,
  broken: string[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    broken.push(...person.look());
    person.edit();
    // Often at once again, sometimes long enough for a migration to come through.
    const pause = random.fraction() < 0.3 ? random.fraction() * 8 : 20 + random.fraction() * 250;
    await systemClock.sleep(pause, undefined, { hold: true });
  }
}

async function write(home: string, number: number, migrations: number, writer: string): Promise<number> {
  await using child = await spawnChild({
    command: process.execPath,
    args: [...ownSources, writerFile, home, String(number * 1_000_000), String(migrations), writer],
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "" },
    kind: "migrate-bench",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  let done = 0;
  for await (const line of lines(child.stdout)) done += line === "done" ? 1 : 0;
  const { code, stderrTail } = await child.exited;
  if (code !== 0) throw new Error(`a writer ended with ${code}: ${stderrTail}`);
  return done;
}

/** Nothing half, and nothing left behind. */
async function wholeness(home: string): Promise<readonly string[]> {
  parse(await readFile(fileIn(home), "utf8"));
  const known = /^config\.toml(?:\.talaria-(?:backup|saved-\w+))?$/;
  return (await readdir(home))
    .filter((name) => !known.test(basename(name)))
    .map((name) => `left behind: ${name}`);
}
