import { type Each, type SideName, sideNames } from "./side.ts";
import { type Fate, type Verdict, targets } from "./verdict.ts";

/** For people. */
export function table(said: Verdict): string {
  const { warm, cold, met, load } = said;
  return [
    `codex ${said.codex}; medians; load ${load.before.toFixed(2)} before, ${load.after.toFixed(2)} after`,
    row("", "   codex-acp     talaria"),
    row(
      "warm prompt: first word, ms",
      of(warm, ({ wordMs }) => wordMs),
    ),
    row(
      "warm prompt: end, ms",
      of(warm, ({ endedMs }) => endedMs),
    ),
    row(
      "start: introduced, ms",
      of(cold, ({ introducedMs }) => introducedMs),
    ),
    row(
      "start: session opened, ms",
      of(cold, ({ openedMs }) => openedMs),
    ),
    row(
      "start: first word, ms",
      of(cold, ({ wordMs }) => wordMs),
    ),
    row(
      "start: first answer, ms",
      of(cold, ({ endedMs }) => endedMs),
    ),
    row(
      "memory after it, MiB",
      of(cold, ({ memoryMiB }) => memoryMiB),
    ),
    goal(`warm prompt: at most ${targets.warmRatio} of codex-acp`, said.warmRatio, met.warmRatio),
    goal(`first answer: at most ${targets.coldRatio} of codex-acp`, said.coldRatio, met.coldRatio),
    goal(`memory: at most + ${targets.memoryMoreMiB} MiB`, said.memoryMoreMiB, met.memoryMoreMiB),
    "",
    "codex killed in the middle of a command",
    ...fates(said.codexKilled),
    "the agent killed in the middle of a command",
    ...fates(said.agentKilled),
    "the editor gone in the middle of a command",
    ...sideNames.map((name) => leaving(name, said.editorGone[name])),
  ].join("\n");
}

const leaving = (name: SideName, { exitedMs, codes, left }: Verdict["editorGone"]["talaria"]): string =>
  `  ${names[name].padEnd(10)} ends after ${exitedMs.toFixed(0)} ms · exit ${codes.join(", ")} · processes left ${left}`;

const names: Each<string> = { adapter: "codex-acp", talaria: "talaria" };

const fates = (each: Each<Fate>): readonly string[] => sideNames.map((name) => fate(names[name], each[name]));

function fate(
  name: string,
  { deaths, seen, seenMs, left, wentOn, knewBefore, knewFinished, leftInTheEnd }: Fate,
): string {
  const known =
    knewBefore === undefined
      ? []
      : [`turn before shown ${knewBefore}/${deaths}`, `finished call shown ${knewFinished ?? 0}/${deaths}`];
  return [
    `  ${name.padEnd(10)} after ${seenMs.toFixed(0)} ms`,
    `processes left ${left}`,
    `goes on ${wentOn}/${deaths}`,
    ...known,
    `left in the end ${leftInTheEnd}`,
    `sees ${seen.map((text) => JSON.stringify(text)).join(", ")}`,
  ].join(" · ");
}

const of = <Row>(each: Each<Row>, pick: (row: Row) => number): string =>
  cell(pick(each.adapter)) + cell(pick(each.talaria));

const goal = (what: string, measured: number, isMet: boolean): string =>
  `${what}: ${measured.toFixed(2)}, ${isMet ? "met" : "NOT met"}`;

const row = (name: string, cells: string): string => name.padEnd(30) + cells;

const cell = (value: number): string => value.toFixed(1).padStart(12);
