import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId, TurnId } from "../../src/core/ids.ts";
import { type Learning, openLearning } from "../../src/host/learning/learning.ts";
import type { RunReview } from "../../src/learning/review/one-review.ts";
import { reviewTurns, reviewer } from "../../src/learning/review/reviewer.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { selfIdentity } from "../../src/lib/process/process-identity.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Owner, Store } from "../../src/store/store.ts";
import { toolBox } from "../../src/tools/registry.ts";
import { randomFrom } from "../random.ts";
import { deeds, files, sentence } from "./facts.ts";
import { startHand } from "./hand.ts";
import { type Home, firstFiles, makeHome, speak } from "./home.ts";
import { type CrashReport, idleness, savesOf, writtenIn } from "./real-part.ts";
import { startReviewModel } from "./review-model.ts";
import { verdict } from "./verdict.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

/** `naive`: the red twin, whose reviews read a file and write it back as programs do that nobody has warned. */
export type Writer = "guarded" | "naive";

/** Reviews in this process that stop for ever at a chosen step: a call of the store, before or after it, or a wait. */
export async function exactPart(
  kills: number,
  seed: number,
  progress: (line: string) => void,
  how: Writer = "guarded",
): Promise<CrashReport & { readonly steps: number }> {
  await using model = await startReviewModel();
  await using it = await makeHome(model.url);
  await firstFiles(it);
  const session = await saysAll(it, kills * 2);
  await using store = await openSqliteStore(join(it.home, "talaria.db"));
  const random = randomFrom(seed);
  const faults: string[] = [];
  await using hand = await startHand(it.home, seed);
  let [steps, crashes] = [0, 0];
  for (let n = 1; crashes < kills && n < kills * 2; n++) {
    // The first one is left alone: it tells how many steps there are. Who is naive loses enough without any crash.
    const step = n === 1 || how === "naive" ? Infinity : 1 + random.below(steps);
    const ended = await oneLife(it, store, session, { n, step, how });
    if (ended.dead) await mourn(it);
    crashes += Number(ended.dead);
    steps = Math.max(steps, ended.steps);
    await hand.pause();
    const wrong = await verdict(it.home, store, hand);
    faults.push(...wrong.map((one) => `crash ${n} at step ${ended.steps}: ${one}`));
    await hand.resume();
    if (n % 100 === 0) progress(`${crashes} exact crashes`);
  }
  const written = await writtenIn(store);
  if (how === "guarded") faults.push(...idleness(written, crashes));
  return {
    crashes,
    inReview: crashes,
    steps,
    handSaves: savesOf(hand),
    moved: hand.moved.size,
    written,
    faults,
  };
}

/** What is longer is taken for copied, and then nothing rests on it. */
const atOnce = 20;

/** A session in which the person has stated all that reviews will write. */
async function saysAll(it: Home, count: number): Promise<SessionId> {
  await using host = await it.open();
  const sentences = Array.from({ length: count + 1 }, (_, n) => sentence(n + 1));
  const session = await speak(host, it.cwd, sentences.splice(0, atOnce).join("\n"));
  while (sentences.length > 0) await speak(host, it.cwd, sentences.splice(0, atOnce).join("\n"), session);
  return session;
}

type Fate = { readonly n: number; readonly step: number; readonly how: Writer };
type Ended = { readonly dead: boolean; readonly steps: number };

/** One review of the session, as a process of its own would do it; at that step it stops for ever. */
async function oneLife(it: Home, real: Store, session: SessionId, { n, step, how }: Fate): Promise<Ended> {
  let steps = 0;
  const dead = Promise.withResolvers<Ended>();
  const tick = async (): Promise<void> => {
    if (steps >= step) return new Promise<never>(() => {});
    steps += 1;
    if (steps < step) return;
    dead.resolve({ dead: true, steps });
    await new Promise<never>(() => {});
  };
  const store = stepping(real, tick);
  const clock: Clock = {
    ...systemClock,
    async sleep(ms, signal, options) {
      // A limit is no step, and nobody waits for it when its life is over.
      if (ms >= 1000) return systemClock.sleep(ms, signal);
      await tick();
      return systemClock.sleep(ms, signal, options);
    },
  };
  const owner: Owner = { ...selfIdentity(), startTime: `life ${n}` };
  const { config } = await it.config();
  const learning: Learning = openLearning({
    config,
    store,
    env: it.env,
    clock,
    log: () => {},
    isReview: () => true,
    toolNames: async () => new Set(),
  });
  const review = reviewer({
    turns: reviewTurns(),
    store,
    clock,
    owner,
    isGone: ({ startTime }) => startTime !== owner.startTime,
    priceOf: () => undefined,
    settings: {
      mode: "auto",
      every: { turns: 1, calls: 1 },
      limits: { tokens: 1e9, dayTokens: 1e12 },
      enabled: async () => ({ memory: true, skills: true }),
    },
    usedUp: async () => undefined,
    tell: () => true,
    log: () => {},
    run: how === "naive" ? runNaively(it, clock, n) : runDeeds(learning, it, clock, n),
  });
  const whole = review.now(session).then(() => ({ dead: false, steps }));
  return Promise.race([dead.promise, whole]);
}

const runDeeds =
  (learning: Learning, { cwd }: Home, clock: Clock, n: number): RunReview =>
  async ({ session, last }, signal) => {
    const nobody = {
      ask: async () => ({ choice: "deny", why: "policy" }) as const,
      inquire: async () => undefined,
    };
    const context = { session: session.id, turn: last.id as TurnId, ...ownersTurn, cwd, clock, ...nobody };
    const box = toolBox(await learning.tools(), context);
    for (const { tool, args } of deeds(n)) await box.call(tool, args as Record<string, string>, signal);
    return { provider: "p", model: "m", runtime: "loop", outcome: "done" };
  };

const runNaively =
  ({ home }: Home, clock: Clock, n: number): RunReview =>
  async () => {
    for (let count = 0; count < 3; count++) {
      const path = join(home, files.memory);
      const text = await readFile(path, "utf8");
      await clock.sleep(40);
      await writeFile(path, `${text}§\nFact number ${n} is kept in mind.\n`);
    }
    return { provider: "p", model: "m", runtime: "loop", outcome: "done" };
  };

/** Each call of each table is two steps: before it, and when it has happened. */
function stepping(store: Store, tick: () => Promise<void>): Store {
  const table = (found: object): object =>
    new Proxy(found, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...args: readonly unknown[]) => {
          await tick();
          const result: unknown = await Reflect.apply(method, target, args);
          await tick();
          return result;
        };
      },
    });
  return new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      return typeof found === "object" && found !== null ? table(found) : found;
    },
  });
}

/** The lock is signed by this process, which lives: as if its holder were gone. */
async function mourn({ home }: Home): Promise<void> {
  const lock = join(home, "run", "learned.lock");
  const held = await readFile(lock, "utf8").catch(() => undefined);
  if (held !== undefined) await writeFile(lock, JSON.stringify({ ...selfIdentity(), startTime: "long ago" }));
}
