import {
  type Board,
  type Card,
  type CardDetails,
  type CardFolder,
  type CardRun,
  cardStates,
} from "../../core/cards/cards.ts";
import { clean, counted, oneLine, short } from "../../core/plain-text.ts";
import { textWidth, wrapped } from "../../core/text/text-width.ts";
import { columns } from "./columns.ts";
import { minute } from "./time.ts";

/** A column that is narrower says too little. */
const narrowest = 24;
const gap = "  ";
/** Of what is done, the newest; the rest is counted. */
const mostDone = 8;

/** Cards by state: side by side where there is room, else one state below the other. */
export function boardText(cards: readonly Card[], width: number, typed: string): string {
  if (cards.length === 0) return `There are no cards. Add one: ${typed} add TITLE`;
  const boards = new Set(cards.map(({ board }) => board));
  if (boards.size > 1)
    return [...boards]
      .map((name) => {
        const own = cards.filter(({ board }) => board === name);
        return `Board ${name}\n\n${boardText(own, width, typed)}`;
      })
      .join("\n\n");
  const states = cardStates
    .map((state) => ({ state, cards: cards.filter((card) => card.state === state) }))
    .filter((column) => column.cards.length > 0);
  const room = Math.floor((width - gap.length * (states.length - 1)) / states.length);
  if (room >= narrowest) return sideBySide(states, Math.min(room, 40));
  return states.map((column) => columnLines(column, width).join("\n")).join("\n\n");
}

type Column = { readonly state: string; readonly cards: readonly Card[] };

function sideBySide(states: readonly Column[], width: number): string {
  const all = states.map((column) => columnLines(column, width));
  const height = Math.max(...all.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    all
      .map((lines) => lines[at] ?? "")
      .map((line) => line + " ".repeat(Math.max(0, width - textWidth(line))))
      .join(gap)
      .trimEnd(),
  ).join("\n");
}

function columnLines({ state, cards }: Column, width: number): readonly string[] {
  const newest = cards.toSorted((one, other) => other.changedAt - one.changedAt).slice(0, mostDone);
  const told = state === "done" ? newest : cards;
  const left = cards.length - told.length;
  return [
    `${state.toUpperCase()} (${cards.length})`,
    ...told.flatMap((card) => cardLines(card, width)),
    ...(left === 0 ? [] : [`and ${left} more`]),
  ];
}

function cardLines({ id, title, priority, block }: Card, width: number): readonly string[] {
  const indent = "  ";
  const lines = (text: string, most: number): readonly string[] =>
    wrapped(short(oneLine(clean(text)), 300), width - indent.length)
      .split("\n")
      .map((line) => cut(line.trim(), width - indent.length))
      .filter((line) => line !== "")
      .slice(0, most)
      .map((line) => `${indent}${line}`);
  return [
    `${id}${priority === 0 ? "" : `  !${priority}`}`,
    ...lines(title, 3),
    ...(block === undefined ? [] : lines(`${block.kind}: ${block.reason}`, 2)),
  ];
}

/** A word may be wider than its column. */
function cut(line: string, width: number): string {
  if (textWidth(line) <= width) return line;
  let kept = line;
  while (textWidth(kept) > width - 1) kept = [...kept].slice(0, -1).join("");
  return `${kept}…`;
}

/** What became of a card, and what it waits for. */
export function movedText(card: Card, typed: string, word = "Moved"): string {
  const { id, title, state, block } = card;
  const line = `${word} ${id}: ${short(oneLine(clean(title)), 100)} (${state})`;
  if (block !== undefined) return `${line}\n${releasedBy(card, typed)}`;
  return state === "triage" ? `${line}\nA person looks at it first: ${typed} ready ${id}` : line;
}

const releasedBy = ({ id, block }: Card, typed: string): string =>
  block?.until === undefined
    ? `Only a person lets it go on: ${typed} unblock ${id}`
    : `It goes on at ${minute(block.until)} UTC, or when a person says so: ${typed} unblock ${id}`;

/** One card, whole. */
export function cardText(card: CardDetails, width: number): string {
  const { id, board, title, body, state, priority, workspace, runtime, model, block } = card;
  const parts = [
    [short(oneLine(clean(title)), 300)],
    [
      `${id}  ${state}  board ${board}${priority === 0 ? "" : `  priority ${priority}`}`,
      [`workspace ${clean(workspace)}`, runtime, model === undefined ? undefined : clean(model)]
        .filter((part) => part !== undefined)
        .join("  "),
      `added ${minute(card.createdAt)} UTC by ${clean(card.madeBy)}`,
      ...(card.terms?.check === undefined ? [] : [`check ${clean(card.terms.check)}`]),
      ...(card.terms?.allow ?? []).map(({ command }) => `may run ${clean(command)}`),
    ],
    body === undefined ? [] : [clean(body)],
    block === undefined
      ? []
      : [`Blocked (${block.kind}): ${clean(block.reason)}`, releasedBy(card, "talaria kanban")],
    [...linked("waits for", card.parents), ...linked("before", card.children)],
    card.runs.map((run) => runLine(run)),
    card.comments.map(({ at, by, text }) => `${minute(at)}  ${clean(by)}: ${clean(text)}`),
    card.events.map(eventLine),
  ];
  const headings = ["", "", "", "", "Links", "Attempts", "Comments", "History (UTC)"];
  return parts
    .map((lines, at) => [...(headings[at] === "" ? [] : [headings[at] ?? ""]), ...lines])
    .filter((_, at) => (parts[at] ?? []).length > 0)
    .map((lines) => wrapped(lines.join("\n"), width))
    .join("\n\n");
}

const linked = (word: string, cards: CardDetails["parents"]): readonly string[] =>
  cards.map(
    (each) => `${word} ${each.id}  ${each.state.padEnd(8)}  ${short(oneLine(clean(each.title)), 80)}`,
  );

function eventLine({ at, what, by, from, to, detail }: CardDetails["events"][number]): string {
  const moved = from === to ? "" : `  ${from === undefined ? "" : `${from} → `}${to}`;
  const told = detail === undefined ? "" : `  ${short(oneLine(clean(detail)), 200)}`;
  return `${minute(at)}  ${what} by ${clean(by)}${moved}${told}`;
}

export function runsText(runs: readonly CardRun[]): string {
  return runs.length === 0 ? "Nobody has tried yet." : runs.map(runLine).join("\n");
}

function runLine({ id, claimedAt, endedAt, outcome, summary, error, owner }: CardRun): string {
  const who = owner === undefined ? "a person" : `${clean(owner.host)}:${owner.pid}`;
  const end = endedAt === undefined ? "under way" : `${outcome} ${minute(endedAt)}`;
  const told = summary ?? error;
  return [
    id,
    `${minute(claimedAt)} → ${end}`,
    who,
    told === undefined ? [] : short(oneLine(clean(told)), 120),
  ]
    .flat()
    .join("  ");
}

export function boardsText(boards: readonly Board[], typed: string): string {
  if (boards.length === 0) return `There are no boards. The first card makes one: ${typed} add TITLE`;
  return columns(
    boards.map(({ name, cards }) => [
      name,
      cardStates
        .flatMap((state) => (cards[state] === undefined ? [] : `${cards[state]} ${state}`))
        .join(", "),
      counted(
        Object.values(cards).reduce((sum, count) => sum + count, 0),
        "card",
      ),
    ]),
  );
}

/** Folders of cards: listed first, removed when somebody says so. */
export function foldersText(folders: readonly CardFolder[], typed: string): string {
  if (folders.length === 0) return "No card has a folder here.";
  const lines = folders.map(({ card, state, path, branch, kept, removed }) =>
    [
      card,
      state,
      removed ? "removed" : kept === undefined ? "can go" : `stays: ${kept}`,
      path,
      branch ?? "",
    ].map(clean),
  );
  const left = folders.some(({ kept, removed }) => kept === undefined && !removed);
  return `${columns(lines)}${left ? `\nWhat can go is removed by: ${typed} workspaces --remove (branches stay)` : ""}`;
}
