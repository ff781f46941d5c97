import { platforms as surfaces } from "../../src/core/gateway/chat.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Random } from "../random.ts";
import { type Platforms, noMoreFaults } from "./chats.ts";
import type { ChatHost } from "./home.ts";
import { type PostFault, unheardPost } from "./posts.ts";
import { shuffled } from "./shuffled.ts";
import { type Step, type StepStrike, steps } from "./steps.ts";

/**
 * When a host is killed. time: so long after its start, or after its doors are open · step: at a statement of its store · post: when a platform
 * is asked to show something, which it does (`isDone`) or not, and the host never hears of it
 */
export type Strike =
  | { readonly at: "time"; readonly after: "start" | "serving"; readonly ms: number }
  | ({ readonly at: "step" } & StepStrike)
  | ({ readonly at: "post" } & PostFault);

export const strikeName = (strike: Strike): string => {
  if (strike.at === "time") return `${Math.round(strike.ms)} ms after ${strike.after}`;
  if (strike.at === "step") return `${strike.when} ${strike.step} (${strike.times})`;
  return `${strike.surface} ${strike.isDone ? "shows" : "does not show"} it (${strike.times})`;
};

export const whens = ["before", "after", "committed"] as const;

/** Every step before, after and behind its commit, every platform, and the rest at random times. */
export function drawStrikes(count: number, chats: number, random: Random): readonly Strike[] {
  const named = (Object.keys(steps) as Step[]).filter((step) => step !== "planned");
  const times = (): number => 1 + random.below(chats);
  const each = named.flatMap((step) =>
    whens.map((when): Strike => ({ at: "step", step, when, times: times() })),
  );
  const posts = surfaces.flatMap((surface) =>
    [true, false].map((isDone): Strike => ({ at: "post", surface, isDone, times: 1 + random.below(3) })),
  );
  const byTime = (): Strike => ({
    at: "time",
    after: random.oneIn(4) ? "start" : "serving",
    ms: random.fraction() * (random.oneIn(3) ? 400 : 2200),
  });
  const pool = [...each, ...posts, ...Array.from({ length: 20 }, byTime)];
  const drawn = Array.from({ length: Math.ceil(count / pool.length) }, () => shuffled(pool, random)).flat();
  // Each kind is among the first ones, however few there are.
  const first = (["time", "post", "step"] as const).flatMap((at) => drawn.find((one) => one.at === at) ?? []);
  return [...first, ...drawn.filter((one) => !first.includes(one))].slice(0, count);
}

/** Whoever is not killed by then is killed all the same. */
const patienceMs = 12_000;

/** Kills the host when it is time. False: its moment did not come, and it was killed late. */
export async function struck(strike: Strike, host: ChatHost, platforms: Platforms): Promise<boolean> {
  const over = new AbortController();
  const late = systemClock.sleep(patienceMs, over.signal, { hold: true }).then(
    () => false,
    () => false,
  );
  const due = strike.at === "step" ? host.finished : dueAt(strike, host, platforms);
  const isDue = await Promise.race([due.then(() => true), late]);
  over.abort();
  await host.kill();
  noMoreFaults(platforms);
  return isDue;
}

async function dueAt(strike: Exclude<Strike, { at: "step" }>, host: ChatHost, platforms: Platforms) {
  if (strike.at === "post") return unheardPost(strike, platforms);
  if (strike.after === "serving") await host.serving;
  await systemClock.sleep(strike.ms, undefined, { hold: true });
}
