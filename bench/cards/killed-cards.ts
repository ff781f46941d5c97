import type { Random } from "../random.ts";
import { type Struck, type Victim, victims } from "./strike.ts";
import { newHome } from "./home.ts";
import { cardVerdict } from "./verdict.ts";

export type Size = {
  readonly kills: number;
  /** Homes beside each other, each with a host. */
  readonly lanes: number;
};

export type Report = {
  readonly cards: number;
  /** What was really killed. */
  readonly kills: Readonly<Record<Victim, number>>;
  /** Of these, when the card was done already. */
  readonly late: number;
  /** Cards that took a second attempt; the others went on, or had said before how it went. */
  readonly again: number;
  /** Commands that ran, over all attempts. */
  readonly commands: number;
  /** Of these, cut off before anybody heard how they went. */
  readonly unheard: number;
  readonly broken: readonly string[];
};

/** One card after the other on the real codex, and during each one process is killed (kill -9). */
export async function killedCards(
  { kills, lanes }: Size,
  random: Random,
  log: (line: string) => void,
): Promise<Report> {
  // All is drawn beforehand: the lanes take turns as the machine likes.
  const wanted = Array.from({ length: kills }, (_, at) =>
    strikeOf(victims[at % victims.length] as Victim, random),
  );
  const left = [...wanted.entries()];
  const struck: Struck[] = [];
  const broken: string[] = [];
  const verdicts: Awaited<ReturnType<typeof cardVerdict>>[] = [];
  const lane = async (): Promise<void> => {
    await using home = await newHome();
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, strike] = next;
      const { card, ...how } = await home.killed(strike);
      const verdict = await cardVerdict(home, card);
      struck.push(how);
      verdicts.push(verdict);
      const where = `kill ${at + 1} (${strike.victim}, request ${strike.request} + ${strike.plusMs} ms)`;
      broken.push(...verdict.broken.map((line) => `${where}: ${line}`));
      log(`${where}: ${how.killed ? "" : "nothing to kill, "}${verdict.attempts.join(", ")}`);
    }
    broken.push(...home.model.broken, ...(await home.end()));
  };
  await Promise.all(Array.from({ length: Math.min(lanes, kills) }, lane));
  const count = (victim: Victim): number =>
    struck.filter((one) => one.killed && one.victim === victim).length;
  return {
    cards: verdicts.length,
    kills: { codex: count("codex"), command: count("command"), host: count("host") },
    late: struck.filter(({ killed, late }) => killed && late).length,
    again: verdicts.filter(({ attempts }) => attempts.length > 1).length,
    commands: verdicts.reduce((sum, { commands }) => sum + commands, 0),
    unheard: verdicts.reduce((sum, { unheard }) => sum + unheard, 0),
    broken,
  };
}

/** A command runs after the first request alone; the others can be hit anywhere, from the claim to the end. */
function strikeOf(victim: Victim, random: Random) {
  const request = victim === "command" ? 1 : random.below(5);
  return { victim, request, plusMs: random.below(request === 0 ? 1200 : 350) };
}
