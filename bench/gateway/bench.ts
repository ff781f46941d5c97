import { rounded } from "../medians.ts";
import type { Bench } from "../bench.ts";
import { randomFrom } from "../random.ts";
import { type FloodSize, flooded } from "./floods.ts";
import { type HourSize, realHour } from "./hour.ts";
import { type KillReport, type KillSize, killedHosts, wordsOf } from "./kills.ts";
import { type SoakSize, soaked } from "./soak.ts";

type Size = {
  readonly kills: KillSize;
  readonly soak: SoakSize;
  readonly floods: FloodSize;
  readonly hour: HourSize;
};

/** `--part`: kills, soak, floods or hour alone. `--kills`: so many. `--minutes`: of the real hour. */
export const bench: Bench<Size> = {
  sizes: {
    quick: {
      kills: { kills: 3, chats: 6, perHome: 3, lanes: 1 },
      soak: { days: 0.1, chats: 12, messages: 45, restarts: 3 },
      floods: { updates: 100, chats: 5 },
      hour: { minutes: 0.04, chats: 6, everyMs: 60, warmUp: 10 },
    },
    full: {
      kills: { kills: 220, chats: 20, perHome: 20, lanes: 2 },
      soak: { days: 7, chats: 200, messages: 8000, restarts: 50 },
      floods: { updates: 1000, chats: 20 },
      hour: { minutes: 60, chats: 24, everyMs: 1000, warmUp: 2500 },
    },
  },
  flags: ["part", "kills", "minutes"],
  isSeeded: true,
  async run(size, { seed, flags, log }) {
    const wants = (part: string): boolean => flags["part"] === undefined || flags["part"] === part;
    const wanted = { ...size.kills, kills: Number(flags["kills"] ?? size.kills.kills) };
    const kills = wants("kills") ? await killedHosts(wanted, randomFrom(seed), log) : undefined;
    const floods = wants("floods") ? await flooded(size.floods, randomFrom(seed), log) : undefined;
    const soak = wants("soak") ? await soaked(size.soak, randomFrom(seed), log) : undefined;
    const wished = { ...size.hour, minutes: Number(flags["minutes"] ?? size.hour.minutes) };
    const hour = wants("hour") ? await realHour(wished, randomFrom(seed), log) : undefined;
    return {
      figures: {
        kills: kills && killFigures(kills),
        floods: floods?.figures,
        soak: soak?.figures,
        hour: hour?.figures,
      },
      faults: [
        ...(kills === undefined ? [] : killFaults(kills, wanted)),
        ...(floods?.faults ?? []),
        ...(soak?.faults ?? []),
        ...(hour?.faults ?? []),
      ],
      targets: {
        ...(soak && { "MiB more for 1,000 turns": { is: rounded(soak.grown), atMost: 1 } }),
        ...(hour && { "MiB more for 1,000 turns in real time": { is: rounded(hour.grown), atMost: 1 } }),
      },
    };
  },
};

const killFigures = ({ broken, ...counts }: KillReport): object => ({ ...counts, ...wordsOf({ broken }) });

function killFaults(
  { broken, kills, mutants, mutantsCaught }: KillReport,
  { kills: wanted }: KillSize,
): readonly string[] {
  const done = Object.values(kills).reduce((sum, many) => sum + many, 0);
  return [
    ...broken,
    ...(done >= wanted ? [] : [`only ${done} of ${wanted} kills`]),
    ...(mutantsCaught.length === mutants ? [] : [`of ${mutants} mutants only ${mutantsCaught.join(", ")}`]),
  ];
}
