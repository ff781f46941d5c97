import { learnedPlot } from "../../commands/text/learned-plot.ts";
import {
  benefitText,
  forgettableText,
  forgettingText,
  forgottenText,
  learnedListText,
  revisionText,
  unforgottenText,
} from "../../commands/text/learned-text.ts";
import { parseSince } from "../../commands/text/since.ts";
import type { Host } from "../../core/host.ts";
import { type Revision, learnedFileName } from "../../core/learning.ts";
import { short } from "../../core/plain-text.ts";
import { systemClock } from "../../lib/clock.ts";
import { type CommandOutput, runOnHost } from "./command-output.ts";
import { usage } from "./failure.ts";
import { lineInput } from "./line-input.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

export type LearnedOptions = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly since?: string;
  readonly plot?: boolean;
  readonly limit?: string;
  readonly yes?: boolean;
  readonly now?: boolean;
};

type Action = (
  host: Host,
  words: readonly string[],
  options: LearnedOptions,
  ports: CliPorts,
) => Promise<CommandOutput>;

/** `talaria learned list|show|approve|reject|revert|forget|unforget`. */
export const learned = (
  ports: CliPorts,
  action: keyof typeof actions,
  words: readonly string[],
  options: LearnedOptions,
): Promise<ExitCode> =>
  runOnHost(ports, options, async (host) => {
    await host.learned.settleForgotten();
    return await actions[action](host, words, options, ports);
  });

const list: Action = async (host, words, options, ports) => {
  if (words.length > 0)
    throw usage(
      `talaria learned has no command "${short(words.join(" "), 40)}".`,
      "`talaria learned show ID` shows one change; `talaria learned --help` lists all.",
    );
  const since = parseSince(options.since ?? (options.plot === true ? "30d" : "7d"), host.learned.now());
  if (options.plot === true) return plot(host, since.at, ports);
  const limit = Number(options.limit ?? "100");
  if (!Number.isSafeInteger(limit) || limit <= 0)
    throw usage(`--limit ${options.limit}: not a whole number above 0.`);
  const pending = await host.learned.list({ limit, states: ["proposed"] });
  const rows = await host.learned.list({ limit, since: since.at });
  const known = new Set(rows.map(({ id }) => id));
  return {
    text: learnedListText(pending, rows, since.words, "talaria learned"),
    rows: [...pending.filter(({ id }) => !known.has(id)), ...rows],
  };
};

const dayMs = 86_400_000;
const mostDays = 3650;

async function plot(host: Host, from: number, { stdout, env }: CliPorts): Promise<CommandOutput> {
  const days = Math.min(mostDays, Math.max(1, Math.ceil((host.learned.now() - from) / dayMs)));
  const history = await host.learned.history(days);
  const benefit = await host.learned.benefit();
  const chart = learnedPlot(history, { width: stdout.columns ?? 80, unicode: isUtf8(env) });
  return {
    text: `${chart}\n\n${benefitText(benefit)}`,
    rows: [
      ...history.map((day) => ({ type: "day", ...day })),
      ...benefit.map((row) => ({ type: "benefit", ...row })),
    ],
  };
}

/** What the terminal can show, by the first of the variables that is set. */
const isUtf8 = (env: CliPorts["env"]): boolean =>
  /utf-?8/i.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "");

const show: Action = async (host, ids) => {
  const shown = await each(ids, async (id) => ({
    row: await host.learned.get(id),
    diff: await host.learned.diff(id),
  }));
  return {
    text: shown.map(({ row, diff }) => revisionText(row, diff, "talaria learned")).join("\n\n"),
    rows: shown.map(({ row, diff }) => ({ ...row, diff })),
  };
};

const decide =
  (how: "approve" | "reject" | "revert", word: string): Action =>
  async (host, ids) => {
    const rows = await each(ids, (id) => host.learned[how](id));
    return { text: rows.map((row) => `${word}: ${rowWords(row)}`).join("\n"), rows };
  };

const rowWords = ({ id, file, summary }: Revision): string =>
  `${short(summary, 200)} (${id}, ${short(learnedFileName(file), 200)})`;

/** One after the other: two may be about the same file. */
async function each<Row>(ids: readonly string[], act: (id: string) => Promise<Row>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const id of ids) rows.push(await act(id));
  return rows;
}

/** Only after the person has seen what would go, or with --yes. */
const forget: Action = async (host, words, options, ports) => {
  const text = words.join(" ");
  if (options.yes !== true) {
    const would = await host.learned.forgettable(text);
    const shown = forgettableText(would, text, "talaria learned");
    const isNothing = would.files.length === 0 && would.revisions === 0;
    if (isNothing || !(await isSure(ports, options, shown)))
      return { text: shown, rows: [would], code: isNothing ? 0 : 2 };
  }
  if (options.now === true) {
    const gone = await host.learned.forgetForGood(text);
    return { text: forgottenText(gone), rows: [gone] };
  }
  const forgotten = await host.learned.forget(text);
  return { text: forgettingText(forgotten, "talaria learned"), rows: [forgotten] };
};

async function isSure(ports: CliPorts, { json }: LearnedOptions, shown: string): Promise<boolean> {
  if (json === true || ports.stdin.isTTY !== true || ports.stdout.isTTY !== true) return false;
  ports.stdout.write(`${shown.replace(/\n.*$/, "")}\nForget all of this? [y/N] `);
  const answer = await lineInput(ports.stdin, systemClock).next();
  return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
}

const unforget: Action = async (host, words) => {
  const back = await host.learned.unforget(words.length === 0 ? undefined : words.join(" "));
  return { text: unforgottenText(back), rows: [back] };
};

const actions = {
  list,
  show,
  approve: decide("approve", "Accepted"),
  reject: decide("reject", "Rejected"),
  revert: decide("revert", "Done"),
  forget,
  unforget,
} as const;
