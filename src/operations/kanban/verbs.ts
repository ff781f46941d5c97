import type { Client } from "../../core/calls.ts";
import { type BlockKind, type Card, type CardState, blockKinds, cardStates } from "../../core/cards/cards.ts";
import { Refusal } from "../../core/host.ts";
import { boardText, boardsText, cardText, foldersText, movedText, runsText } from "../text/card-text.ts";

/** What was typed behind a verb, in a shell or in a chat. */
export type Typed = {
  readonly words: readonly string[];
  readonly options: KanbanOptions;
  readonly cwd: string;
  readonly now: number;
  readonly width: number;
  /** How such commands begin there. */
  readonly typed: string;
};

export type KanbanOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** What to say to people, and to a program. */
export type Verb = (
  client: Client,
  typed: Typed,
) => Promise<{ readonly text: string; readonly rows: readonly object[] }>;

const list: Verb = async (client, { options, width, typed }) => {
  const wanted = texts(options["state"]).map((state) => oneOf("state", cardStates, state));
  const board = textOf(options["board"]);
  const limit = wholeNumber("--limit", textOf(options["limit"]) ?? "200");
  const rows = await client.call("kanban.list", {
    limit,
    ...(board === undefined ? {} : { board }),
    ...(wanted.length === 0 ? {} : { states: wanted as CardState[] }),
  });
  return { text: boardText(rows, width, typed), rows };
};

const add: Verb = async (client, { words, options, cwd, typed }) => {
  const parents = texts(options["parent"]);
  const allow = texts(options["allow"]);
  const priority = textOf(options["priority"]);
  const given = ["body", "board", "runtime", "model", "check"].flatMap((name) => {
    const value = textOf(options[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  const card = await client.call("kanban.add", {
    title: words.join(" "),
    cwd,
    ...Object.fromEntries(given),
    ...workspaceOf(textOf(options["workspace"])),
    ...(priority === undefined ? {} : { priority: numberOf("--priority", priority) }),
    ...(parents.length === 0 ? {} : { parents }),
    ...(allow.length === 0 ? {} : { allow }),
    ...(options["triage"] === true ? { triage: true } : {}),
  });
  const { text, rows } = said(card, typed, "Added");
  // What waits for a person or another card is not begun by a host either.
  const waits = card.state === "ready" && (await client.call("work.status", {})).runner !== "running";
  return { text: waits ? `${text}\n${nobodyWorks}` : text, rows };
};

const nobodyWorks =
  "It waits: no host is running. `talaria serve` works on it while it runs, `talaria service install` makes one that stays.";

const show: Verb = async (client, { words, width }) => {
  const card = await client.call("kanban.show", { card: idOf(words) });
  return { text: cardText(card, width), rows: [card] };
};

const comment: Verb = async (client, { words, typed }) => {
  const card = idOf(words);
  return said(
    await client.call("kanban.comment", { card, text: words.slice(1).join(" ") }),
    typed,
    "Noted at",
  );
};

const linking =
  (name: "link" | "unlink"): Verb =>
  async (client, { words, typed }) => {
    const [card = "", parent = ""] = words;
    if (parent === "") throw usage(`${name} needs two ids: the card, and the one that it waits for.`);
    return said(await client.call(`kanban.${name}`, { card, parent }), typed);
  };

const moving =
  (name: "ready" | "unblock" | "archive" | "reopen"): Verb =>
  async (client, { words, typed }) =>
    said(await client.call(`kanban.${name}`, { card: idOf(words) }), typed);

const block: Verb = async (client, { words, options, now, typed }) => {
  const kind = oneOf("kind", blockKinds, textOf(options["kind"]) ?? "needs_input") as BlockKind;
  const until = textOf(options["until"]);
  const parent = texts(options["parent"])[0];
  const card = await client.call("kanban.block", {
    card: idOf(words),
    kind,
    reason: textOf(options["reason"]) ?? words.slice(1).join(" "),
    ...(until === undefined ? {} : { until: timeOf(until, now) }),
    ...(parent === undefined ? {} : { parent }),
  });
  return said(card, typed);
};

const complete: Verb = async (client, { words, options, typed }) => {
  const summary = textOf(options["summary"]) ?? words.slice(1).join(" ");
  return said(await client.call("kanban.complete", { card: idOf(words), summary }), typed);
};

const workspaces: Verb = async (client, { options, typed }) => {
  const remove = options["remove"] === true;
  const rows = await client.call("kanban.workspaces", remove ? { remove } : {});
  return { text: foldersText(rows, typed), rows };
};

const boards: Verb = async (client, { typed }) => {
  const rows = await client.call("kanban.boards", {});
  return { text: boardsText(rows, typed), rows };
};

const runs: Verb = async (client, { words: [card], options }) => {
  const limit = wholeNumber("--limit", textOf(options["limit"]) ?? "50");
  const rows = await client.call("kanban.runs", { limit, ...(card === undefined ? {} : { card }) });
  return { text: runsText(rows), rows };
};

export const kanbanVerbs: Readonly<Record<string, Verb>> = {
  list,
  add,
  show,
  comment,
  link: linking("link"),
  unlink: linking("unlink"),
  ready: moving("ready"),
  block,
  unblock: moving("unblock"),
  complete,
  archive: moving("archive"),
  reopen: moving("reopen"),
  workspaces,
  boards,
  runs,
};

const said = (card: Card, typed: string, word?: string) => ({
  text: movedText(card, typed, word),
  rows: [card],
});

const usage = (message: string): Refusal =>
  new Refusal("usage", message, "docs/user/kanban.md has the commands.");

function idOf([id]: readonly string[]): string {
  if (id === undefined) throw usage("Which card? Its id comes first.");
  return id;
}

const textOf = (value: KanbanOptions[string]): string | undefined =>
  typeof value === "string" ? value : undefined;

const texts = (value: KanbanOptions[string]): readonly string[] =>
  value === undefined || typeof value === "boolean" ? [] : [value].flat();

function oneOf(what: string, all: readonly string[], typed: string): string {
  if (all.includes(typed)) return typed;
  throw usage(`"${typed.slice(0, 40)}" is not a ${what}: ${all.join(", ")}.`);
}

function numberOf(option: string, typed: string): number {
  const number = Number(typed);
  if (typed.trim() !== "" && Number.isSafeInteger(number)) return number;
  throw usage(`${option} ${typed.slice(0, 40)}: not a whole number.`);
}

function wholeNumber(option: string, typed: string): number {
  const number = numberOf(option, typed);
  if (number > 0) return number;
  throw usage(`${option} ${typed}: not a whole number above 0.`);
}

function workspaceOf(typed: string | undefined): Partial<Pick<Card, "workspace">> {
  if (typed === undefined) return {};
  if (typed === "scratch" || /^(folder|worktree):./s.test(typed))
    return { workspace: typed as Card["workspace"] };
  throw usage(`"${typed.slice(0, 60)}" is not a workspace: scratch, folder:PATH or worktree:REPO.`);
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30m`, `2h`, `3d`, or a time. */
function timeOf(typed: string, now: number): number {
  const [, count = "", unit = ""] = /^(\d{1,5})([mhd])$/.exec(typed) ?? [];
  if (unit !== "") return now + Number(count) * units[unit as keyof typeof units];
  const at = /^\d{4}-\d{2}-\d{2}/.test(typed) ? Date.parse(typed) : Number.NaN;
  if (Number.isNaN(at))
    throw usage(`"${typed.slice(0, 40)}" is not a time: 30m, 2h, 3d or 2026-01-31T09:00.`);
  return at;
}
