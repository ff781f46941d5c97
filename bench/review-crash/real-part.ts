import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { SessionId } from "../../src/core/ids.ts";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import { ownSources } from "../own-child.ts";
import { check } from "../crash/checker.ts";
import { fileIn } from "../crash/disk.ts";
import type { Said } from "../crash/job.ts";
import { type Random, randomFrom } from "../random.ts";
import { sentence } from "./facts.ts";
import { type Hand, startHand } from "./hand.ts";
import { type Home, firstFiles, makeHome, speak } from "./home.ts";
import { startReviewModel } from "./review-model.ts";
import { verdict } from "./verdict.ts";

export type Life = {
  readonly home: string;
  readonly cwd: string;
  readonly text: string;
  readonly session?: SessionId;
};

export type CrashReport = {
  readonly crashes: number;
  /** Of which a review was under way. */
  readonly inReview: number;
  readonly handSaves: number;
  /** Saves that are not in the file any more, but in its history or beside it. */
  readonly moved: number;
  /** What reviews had written before they were killed, over all lives. */
  readonly written: number;
  readonly faults: readonly string[];
};

/** Real processes, killed at random moments of a review while somebody edits the same files. */
export async function realPart(
  kills: number,
  seed: number,
  progress: (line: string) => void,
): Promise<CrashReport> {
  await using model = await startReviewModel();
  await using it = await makeHome(model.url);
  await firstFiles(it);
  const random = randomFrom(seed);
  await using store = await openSqliteStore(join(it.home, "talaria.db"));
  const said: Said & { session?: SessionId } = { acked: [], shown: [], ended: [] };
  const faults: string[] = [];
  let [crashes, inReview, saves, moved] = [0, 0, 0, 0];
  {
    await using hand = await startHand(it.home, seed);
    for (let n = 1; inReview < kills && n < kills * 2 + 10; n++) {
      if (n % 20 === 1) delete said.session;
      const life = { home: it.home, cwd: it.cwd, text: sentence(n), ...sessionOf(said) };
      inReview += Number(await oneLife(it, life, said, model, random));
      crashes += 1;
      await hand.pause();
      const wrong = await verdict(it.home, store, hand);
      faults.push(...wrong.map((one) => `crash ${n}: ${one}`));
      await hand.resume();
      if (n % 25 === 0) progress(`${inReview} of ${crashes} real kills fell into a review`);
    }
    [saves, moved] = [savesOf(hand), hand.moved.size];
  }
  await afterwards(it);
  faults.push(...(await check(fileIn(it.home), said, "TALARIA_REVIEW_CRASH")), ...(await left(it)));
  const written = await writtenIn(store);
  faults.push(...idleness(written, crashes));
  return { crashes, inReview, handSaves: saves, moved, written, faults };
}

/** How often reviews have written. */
export async function writtenIn({ revisions }: Pick<Store, "revisions">): Promise<number> {
  const rows = await revisions.list({ states: ["active"], limit: 100_000 });
  return rows.filter(({ by }) => by === "review").length;
}

/** Where reviews write next to nothing, nothing can be torn or lost. */
export const idleness = (written: number, crashes: number): readonly string[] =>
  crashes < 20 || written * 10 >= crashes ? [] : [`${crashes} reviews wrote ${written} times`];

const sessionOf = ({ session }: { readonly session?: SessionId }): Pick<Life, "session"> =>
  session === undefined ? {} : { session };

export const savesOf = ({ saves }: Hand): number =>
  [...saves.values()].reduce((sum, { saved }) => sum + saved, 0);

const program = fileURLToPath(new URL("worker.child.ts", import.meta.url));

/** Was a review under way when it was killed? */
async function oneLife(
  it: Home,
  life: Life,
  said: Said & { session?: SessionId },
  model: Awaited<ReturnType<typeof startReviewModel>>,
  random: Random,
): Promise<boolean> {
  const child = await spawnChild({
    command: process.execPath,
    args: [...ownSources, program, JSON.stringify(life)],
    cwd: life.cwd,
    env: { ...it.env, TALARIA_REVIEW_CRASH: "1" },
    kind: "review-crash-bench",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  const [request, plusMs] = [1 + random.below(4), random.below(random.oneIn(3) ? 150 : 30)];
  let isUnderWay = false;
  const strike = async (): Promise<void> => {
    await model.reviewRequest(request);
    await systemClock.sleep(plusMs, undefined, { hold: true });
    isUnderWay = isRunning(it, child.pid);
    process.kill(child.pid, "SIGKILL");
  };
  model.newLife();
  void strike();
  for await (const line of lines(child.stdout)) {
    const { acked, shown, ended, session } = JSON.parse(line) as Partial<Record<keyof Said, never>> & {
      readonly session?: SessionId;
    };
    if (acked !== undefined) said.acked.push(acked);
    if (shown !== undefined) said.shown.push(shown);
    if (ended !== undefined) said.ended.push(ended);
    if (session !== undefined) said.session = session;
  }
  const { signal, stderrTail } = await child.exited;
  if (signal !== "SIGKILL") throw new Error(`the worker ended by itself: ${stderrTail}`);
  return isUnderWay;
}

function isRunning({ home }: Home, pid: number): boolean {
  using db = new DatabaseSync(join(home, "talaria.db"), { readOnly: true });
  return db.prepare("select 1 from review where state = 'running' and owner_pid = ?").get(pid) !== undefined;
}

/** A last start that is left alone, and a turn: whatever was open is closed, and people can go on. */
async function afterwards(it: Home): Promise<void> {
  await using host = await it.open();
  await speak(host, it.cwd, "Is all well?");
}

/** Processes that have the home in their command line or environment, and should have ended with their parents. */
async function left({ home }: Home): Promise<readonly string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [command, environment] = await Promise.all(
        ["cmdline", "environ"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "")),
      );
      return Number(pid) !== process.pid && `${command}${environment}`.includes(home)
        ? [`still runs: ${command}`]
        : [];
    }),
  );
  return found.flat();
}
