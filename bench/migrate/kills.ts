import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ownSources } from "../own-child.ts";
import { randomFrom } from "../random.ts";
import { fileIn, migrateAt } from "./world.ts";

type Killed = { readonly kills: number; readonly broken: readonly string[] };

const childFile = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const person = 'model = "x"\n\n[features]\na = true\n';
const ways = { "with perl": process.env["PATH"] ?? "", "without perl": "/nowhere" };

/** Kills before every n-th step on the disk, with and without a file to begin with. */
export async function stepKills(folder: string, every: number): Promise<Killed> {
  await mkdir(folder);
  const broken: string[] = [];
  let kills = 0;
  for (const [way, PATH] of Object.entries(ways)) {
    for (const before of [person, undefined]) {
      const steps = Number((await finished(await start(folder, before, PATH, undefined))).stdout);
      if (!(steps > 10)) throw new Error(`the migration has only ${steps} steps`);
      for (let at = 1; at <= steps; at += every) {
        const { signal } = await finished(await start(folder, before, PATH, at));
        if (signal !== "SIGKILL") broken.push(`${way}: was not killed before step ${at} of ${steps}`);
        kills += 1;
        broken.push(...(await inspect(folder, before)).map((line) => `${way}, step ${at}: ${line}`));
      }
    }
  }
  return { kills, broken };
}

/** Kills a process that migrates again and again, and whatever it runs for that, at random moments. */
export async function randomKills(folder: string, times: number, seed: number): Promise<Killed> {
  await mkdir(folder);
  const random = randomFrom(seed);
  const broken: string[] = [];
  for (let count = 0; count < times; count++) {
    const home = await prepared(folder, person);
    const args = [childFile("writer.child.ts"), home, "1", "1000000", "talaria"];
    await using child = await spawned(args, count % 2 === 0 ? ways["with perl"] : ways["without perl"]);
    await child.stdout[Symbol.asyncIterator]().next();
    await systemClock.sleep(random.fraction() * 200, undefined, { hold: true });
    process.kill(random.oneIn(2) ? child.pid : -child.pid, "SIGKILL");
    await child.exited;
    broken.push(...(await inspect(folder, undefined)).map((line) => `random kill ${count}: ${line}`));
  }
  return { kills: times, broken };
}

async function prepared(folder: string, before: string | undefined): Promise<string> {
  const home = join(folder, "home");
  await rm(home, { recursive: true, force: true });
  await mkdir(home);
  if (before !== undefined) await writeFile(fileIn(home), before);
  return home;
}

async function start(
  folder: string,
  before: string | undefined,
  PATH: string,
  killAt: number | undefined,
): Promise<Child> {
  const home = await prepared(folder, before);
  return spawned([childFile("killed.child.ts"), home, "7", killAt === undefined ? "" : String(killAt)], PATH);
}

const spawned = (args: readonly string[], PATH: string): Promise<Child> =>
  spawnChild({
    command: process.execPath,
    args: [...ownSources, ...args],
    cwd: "/",
    env: { PATH },
    kind: "migrate-bench",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });

async function finished(child: Child): Promise<{ readonly signal: string | null; readonly stdout: string }> {
  const chunks = await Array.fromAsync(child.stdout);
  const { code, signal, stderrTail } = await child.exited;
  if (signal === null && code !== 0) throw new Error(`the migration ended with ${code}: ${stderrTail}`);
  return { signal, stdout: Buffer.concat(chunks).toString() };
}

/** The file is old or new and nothing else, and the next migration goes through at once and leaves nothing behind. */
async function inspect(folder: string, before: string | undefined): Promise<readonly string[]> {
  const home = join(folder, "home");
  const found = await readFile(fileIn(home), "utf8").catch(() => undefined);
  const twin = join(folder, "twin");
  await rm(twin, { recursive: true, force: true });
  await cp(home, twin, { recursive: true });
  const began = systemClock.monotonic();
  await migrateAt(home, 8, { PATH: ways["without perl"] });
  const took = systemClock.monotonic() - began;
  const after = await readFile(fileIn(home), "utf8");
  const isWhole =
    found === before ||
    (found !== undefined &&
      /^# >>> talaria[^]*server-\d+[^]*^# <<< talaria.*\n(?:\[features\]\na = true\n)?$/m.test(found));
  const left = (await readdir(home)).filter((name) => !/^config\.toml(?:\.talaria-backup)?$/.test(name));
  return [
    ...(isWhole ? [] : [`neither the old file nor a new one: ${JSON.stringify(found)}`]),
    ...(after.includes("server-8") ? [] : ["the next migration did nothing"]),
    ...(took < 2_000 ? [] : [`the next migration had to wait ${Math.round(took)} ms`]),
    ...left.map((name) => `left behind: ${name}`),
  ];
}
