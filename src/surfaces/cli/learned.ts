import { learnedPlot } from "../../operations/text/learned-plot.ts";
import {
  benefitText,
  forgettableText,
  forgettingText,
  forgottenText,
  learnedListText,
  revisionText,
  unforgottenText,
} from "../../operations/text/learned-text.ts";
import { parseSince } from "../../operations/text/since.ts";
import type { Client } from "../../core/calls.ts";
import { type Revision, learnedFileName } from "../../core/learning.ts";
import { short } from "../../core/plain-text.ts";
import { systemClock } from "../../lib/clock.ts";
import { type Action, type Actions, type Output, type Typed, limitOf, textOf } from "./action.ts";
import { usage } from "./failure.ts";
import { lineInput } from "./line-input.ts";
import type { CliPorts } from "./ports.ts";

const list: Action = async (client, { words, options, ports }) => {
  if (words.length > 0)
    throw usage(
      `talaria learned has no command "${short(words.join(" "), 40)}".`,
      "`talaria learned show ID` shows one change; `talaria learned --help` lists all.",
    );
  const wantsPlot = options["plot"] === true;
  const since = parseSince(textOf(options["since"]) ?? (wantsPlot ? "30d" : "7d"), systemClock.now());
  if (wantsPlot) return plot(client, since.at, ports);
  const limit = limitOf(options, 100);
  const pending = await client.call("learned.list", { limit, states: ["proposed"] });
  const rows = await client.call("learned.list", { limit, since: since.at });
  const known = new Set(rows.map(({ id }) => id));
  return {
    text: learnedListText(pending, rows, since.words, "talaria learned"),
    rows: [...pending.filter(({ id }) => !known.has(id)), ...rows],
  };
};

const dayMs = 86_400_000;
const mostDays = 3650;

async function plot(client: Client, from: number, { stdout, env }: CliPorts): Promise<Output> {
  const days = Math.min(mostDays, Math.max(1, Math.ceil((systemClock.now() - from) / dayMs)));
  const history = await client.call("learned.history", { days });
  const benefit = await client.call("learned.benefit", {});
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

const show: Action = async (client, { words }) => {
  const rows = await each(words, (id) => client.call("learned.show", { id }));
  return { text: rows.map((row) => revisionText(row, "talaria learned")).join("\n\n"), rows };
};

const decide =
  (how: "learned.approve" | "learned.reject" | "learned.revert", word: string): Action =>
  async (client, { words }) => {
    const rows = await each(words, (id) => client.call(how, { id }));
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
const forget: Action = async (client, typed) => {
  const { words, options } = typed;
  const text = words.join(" ");
  if (options["yes"] !== true) {
    const would = await client.call("learned.forgettable", { text });
    const shown = forgettableText(would, text, "talaria learned");
    const isNothing = would.files.length === 0 && would.revisions === 0;
    if (isNothing || !(await isSure(typed, shown)))
      return { text: shown, rows: [would], code: isNothing ? 0 : 2 };
  }
  if (options["now"] === true) {
    const gone = await client.call("learned.forgetForGood", { text });
    return { text: forgottenText(gone), rows: [gone] };
  }
  const forgotten = await client.call("learned.forget", { text });
  return { text: forgettingText(forgotten, "talaria learned"), rows: [forgotten] };
};

async function isSure({ options, ports }: Typed, shown: string): Promise<boolean> {
  if (options.json === true || ports.stdin.isTTY !== true || ports.stdout.isTTY !== true) return false;
  ports.stdout.write(`${shown.replace(/\n.*$/, "")}\nForget all of this? [y/N] `);
  const answer = await lineInput(ports.stdin, systemClock).next();
  return /^\s*y(?:es)?\s*$/i.test(answer ?? "");
}

const unforget: Action = async (client, { words }) => {
  const back = await client.call("learned.unforget", words.length === 0 ? {} : { text: words.join(" ") });
  return { text: unforgottenText(back), rows: [back] };
};

/** `talaria learned …`. */
export const actions: Actions = {
  list,
  show,
  approve: decide("learned.approve", "Accepted"),
  reject: decide("learned.reject", "Rejected"),
  revert: decide("learned.revert", "Done"),
  forget,
  unforget,
};
