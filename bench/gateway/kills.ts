import type { Random } from "../random.ts";
import { newChatHome, soon } from "./home.ts";
import { caughtMutants } from "./mutant-runs.ts";
import type { MutantName } from "./mutants.ts";
import { type Strike, drawStrikes, strikeName, struck, whens } from "./strikes.ts";
import { type Verdict, countOf } from "./verdict.ts";

export type KillSize = {
  readonly kills: number;
  readonly chats: number;
  /** Kills that a home goes through. */
  readonly perHome: number;
  /** Homes beside each other. */
  readonly lanes: number;
};

export type KillReport = Omit<Verdict, "broken"> & {
  readonly kills: Readonly<Record<Strike["at"], number>>;
  /** Whose moment did not come, and who were killed anyway. */
  readonly late: number;
  readonly broken: readonly string[];
  readonly mutants: number;
  readonly mutantsCaught: readonly MutantName[];
};

/** Hosts with a turn in every chat are killed (kill -9) at named steps and at random, and started again. */
export async function killedHosts(
  size: KillSize,
  random: Random,
  log: (line: string) => void,
): Promise<KillReport> {
  const strikes = drawStrikes(size.kills, size.chats, random);
  const homes = Array.from({ length: Math.ceil(strikes.length / size.perHome) }, (_, at) =>
    withPlanning(strikes.slice(at * size.perHome, (at + 1) * size.perHome), at, random),
  );
  const left = [...homes.entries()];
  const lives: Life[] = [];
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, wanted] = next;
      lives.push(await live(size, wanted, (line) => log(`home ${at + 1}: ${line}`)));
    }
  };
  const [mutants] = await Promise.all([
    caughtMutants(log),
    ...Array.from({ length: Math.min(size.lanes, homes.length) }, lane),
  ]);
  return { ...summed(lives), ...mutants };
}

/** Sessions are planned only once, when a home is new. */
function withPlanning(strikes: readonly Strike[], home: number, random: Random): readonly Strike[] {
  if (strikes.length < 6) return strikes;
  const when = whens[home % whens.length] ?? "committed";
  return strikes.with(1, { at: "step", step: "planned", when, times: 1 + random.below(4) });
}

type Life = Verdict & { readonly done: readonly { readonly at: Strike["at"]; readonly isDue: boolean }[] };

/** One home through all its kills, so that damage would add up. */
async function live(size: KillSize, strikes: readonly Strike[], log: (line: string) => void): Promise<Life> {
  await using home = await newChatHome(size.chats);
  const done: { at: Strike["at"]; isDue: boolean }[] = [];
  // A platform can be asked for what was missed only in chats that the bot knows.
  const first = await home.start();
  await first.connected;
  home.askAll();
  while (!home.allReceived()) await soon();
  await first.kill();
  done.push({ at: "time", isDue: true });
  for (const [at, strike] of strikes.slice(1).entries()) {
    const { chats } = home.platforms;
    // Some ask while nobody is there.
    for (const chat of chats) if ((chat.index + at) % 3 === 0) chat.ask();
    const host = await home.start(strike.at === "step" ? { strike } : undefined);
    const isOver = struck(strike, host, home.platforms);
    await host.serving;
    for (const chat of chats) if ((chat.index + at) % 3 !== 0) chat.ask();
    const isDue = await isOver;
    done.push({ at: strike.at, isDue });
    log(`killed ${strikeName(strike)}${isDue ? "" : ": too late"}`);
    if (at % 6 === 5) await home.settle();
  }
  await home.settle();
  const verdict = home.verdict();
  log(`${verdict.messages} messages, ${verdict.broken.length} broken`);
  return { ...verdict, done };
}

function summed(lives: readonly Life[]): Omit<KillReport, "mutants" | "mutantsCaught"> {
  const sum = (of: keyof Omit<Verdict, "broken">): number => lives.reduce((total, one) => total + one[of], 0);
  const done = lives.flatMap((life) => life.done);
  const kills = (at: Strike["at"]): number => done.filter((one) => one.at === at).length;
  return {
    kills: { time: kills("time"), step: kills("step"), post: kills("post") },
    late: done.filter(({ isDue }) => !isDue).length,
    messages: sum("messages"),
    answered: sum("answered"),
    interrupted: sum("interrupted"),
    ambiguous: sum("ambiguous"),
    ambiguousTold: sum("ambiguousTold"),
    toldAgain: sum("toldAgain"),
    statusLinesLeft: sum("statusLinesLeft"),
    broken: lives.flatMap(({ broken }) => broken),
  };
}

export const wordsOf = ({ broken }: Pick<KillReport, "broken">) => ({
  lost: countOf({ broken }, "lost"),
  doubled: countOf({ broken }, "doubled"),
  misplaced: countOf({ broken }, "misplaced"),
  outOfOrder: countOf({ broken }, "order"),
  open: countOf({ broken }, "open"),
});
