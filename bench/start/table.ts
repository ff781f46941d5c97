import { type StartName, startNames } from "./start.ts";
import { type Verdict, targets } from "./verdict.ts";

/** For people. */
export function table(said: Verdict): string {
  const { load, met, inFreshHomes: fresh } = said;
  return [
    `from the start of a program to its end, medians in ms; load ${load.before.toFixed(2)} before, ${load.after.toFixed(2)} after`,
    row("", "used home", "processor", "fresh home", "processor"),
    ...startNames.flatMap((name) => startRows(name, said)),
    "",
    row("", "used home", "fresh home"),
    row("--version / node", said.versionRatio, fresh.versionRatio),
    row("--help / node", said.helpRatio, fresh.helpRatio),
    row("run on the loop / node", said.loopRatio, fresh.loopRatio),
    row("run on the loop / pi", said.piRatio, fresh.piRatio),
    row("answer on codex / driver", said.driverRatio, fresh.driverRatio),
    row("run on codex / codex exec", said.codexRatio, fresh.codexRatio),
    row("the same, processor", said.codexCpuRatio, fresh.codexCpuRatio),
    row("first picture - node", said.paintLaterMs, fresh.paintLaterMs),
    row("everything there - node", said.readyLaterMs, fresh.readyLaterMs),
    goal(`--version: at most ${targets.versionRatio} of node`, said.versionRatio, met.versionRatio),
    goal(`run on the loop: at most ${targets.piRatio} of pi`, said.piRatio, met.piRatio),
    goal(`answer on codex: at most ${targets.driverRatio} of the driver`, said.driverRatio, met.driverRatio),
    goal(`first picture: at most + ${targets.paintLaterMs} ms`, said.paintLaterMs, met.paintLaterMs),
    `codex ${said.codex}`,
  ].join("\n");
}

function startRows(name: StartName, { warm, fresh }: Verdict): readonly string[] {
  const [used, unused] = [warm[name], fresh[name]];
  const rows = [row(words[name], used.ms, used.cpuMs, unused.ms, unused.cpuMs)];
  if (used.readyMs === undefined) return rows;
  return [...rows, row("chat, everything there", used.readyMs, "", unused.readyMs ?? Number.NaN)];
}

const words: Readonly<Record<StartName, string>> = {
  node: "node -e 0",
  version: "talaria --version",
  help: "talaria --help",
  loop: "talaria run, loop",
  codex: "talaria run, codex",
  pi: "pi --print",
  driver: "thinnest driver of codex",
  exec: "codex exec",
  chat: "chat, first picture",
};

function goal(what: string, measured: number, isMet: boolean | undefined): string {
  if (isMet === undefined) return `${what}: not measured`;
  return `${what}: ${measured.toFixed(2)}, ${isMet ? "met" : "NOT met"}`;
}

const row = (name: string, ...cells: readonly (number | string)[]): string =>
  [name.padEnd(26), ...cells.map((cell) => shown(cell).padStart(12))].join("");

function shown(cell: number | string): string {
  if (typeof cell === "string") return cell;
  return Number.isNaN(cell) ? "" : cell.toFixed(2);
}
