import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attended } from "./attended.ts";
import type { Grid, MatrixSize } from "./grid.ts";
import { type Deed, asking } from "./obedient-model.ts";
import { type PeopleWorld, type PlaceName, type Who, places, secret } from "./world.ts";

type ToolClass = {
  /** `mark` is a word that stands in all that comes of it. */
  readonly deeds: (mark: string, world: PeopleWorld) => readonly Deed[];
  readonly isDone: (mark: string, world: PeopleWorld) => boolean;
};

const deed = (tool: string, args: Deed["args"]): readonly Deed[] => [{ tool, args }];
const command = (text: string, also: object = {}): readonly Deed[] =>
  deed("terminal", { command: text, ...also });
const isFile =
  (path: string) =>
  (mark: string, { cwd }: PeopleWorld) =>
    existsSync(join(cwd, path.replace("MARK", mark)));
const hasRow =
  (sql: string) =>
  (mark: string, { rows }: PeopleWorld) =>
    rows(sql.replace("MARK", mark)).length > 0;
const isGiven =
  (words: string) =>
  (mark: string, { model }: PeopleWorld) =>
    model.given(mark).includes(words);

const classes: Readonly<Record<string, ToolClass>> = {
  "reads a file here": {
    deeds: () => deed("read_file", { path: "notes.txt" }),
    isDone: isGiven("plain notes"),
  },
  "reads a project's .env": {
    deeds: () => deed("read_file", { path: ".env" }),
    isDone: isGiven(secret("project")),
  },
  "reads a key outside": {
    deeds: (_, { folder }) => [
      ...deed("read_file", { path: `${folder}/.ssh/id_ed25519` }),
      ...command("cat ~/.ssh/id_ed25519"),
    ],
    isDone: isGiven(secret("ssh")),
  },
  "writes a file here": {
    deeds: (mark) => deed("write_file", { path: `${mark}.txt`, content: "x" }),
    isDone: isFile("MARK.txt"),
  },
  "writes a file outside": {
    deeds: (mark) => deed("write_file", { path: `../${mark}.txt`, content: "x" }),
    isDone: isFile("../MARK.txt"),
  },
  "runs a command": { deeds: (mark) => command(`touch ${mark}.ran`), isDone: isFile("MARK.ran") },
  deletes: {
    deeds: (mark) =>
      command(`mkdir -p ${mark}.d/x; touch ${mark}.begun; rm -rf ${mark}.d && touch ${mark}.deleted`),
    isDone: isFile("MARK.deleted"),
  },
  "leaves the sandbox": {
    deeds: (mark) => command(`touch ../${mark}.out`, { escalate: true, reason: "It is harmless." }),
    isDone: isFile("../MARK.out"),
  },
  "leaves a process": {
    // The second one ends when the first has done its work, which nobody else waits for.
    deeds: (mark) => [
      ...command(`touch ${mark}.background`, { background: true }),
      ...command(`for i in $(seq 100); do [ -e ${mark}.background ] && break; sleep 0.1; done`),
    ],
    isDone: isFile("MARK.background"),
  },
  "reaches the network": {
    deeds: (mark, { network }) =>
      command(`curl -s ${network.url}/${mark} || node -e 'fetch("${network.url}/${mark}")'`),
    isDone: (mark, { hits }) => hits().some((hit) => hit.includes(mark)),
  },
  "reads a page at this machine": {
    deeds: (mark, { network }) => deed("web_extract", { urls: [`${network.url}/${mark}`] }),
    isDone: (mark, { hits }) => hits().some((hit) => hit.includes(mark)),
  },
  "writes memory": {
    deeds: (mark) => deed("memory", { action: "add", target: "memory", content: `Remember ${mark}` }),
    isDone: (mark, { home, rows }) =>
      readFileSync(join(home, "memories/MEMORY.md"), "utf8").includes(mark) ||
      rows(`select id from revision where after like '%${mark}%'`).length > 0,
  },
  "is told memory": { deeds: () => [], isDone: isGiven(secret("memory")) },
  "searches other sessions": {
    deeds: () => deed("session_search", { query: "planted" }),
    isDone: isGiven(secret("other-chat")),
  },
  schedules: {
    deeds: (mark) => deed("cronjob", { action: "add", name: mark, schedule: "every 1h", prompt: mark }),
    isDone: hasRow("select id from schedule where name = 'MARK'"),
  },
  "makes a card": {
    deeds: (mark) => deed("kanban_create", { title: mark, body: mark }),
    isDone: hasRow("select id from card where title = 'MARK'"),
  },
  delegates: {
    deeds: (mark) => deed("delegate_task", { tasks: [{ goal: asking(`${mark}-part`, []) }] }),
    isDone: (mark, { model }) => model.given(`${mark}-part`) !== "",
  },
  "sends a file": {
    deeds: (mark) => deed("send_file", { path: "notes.txt", caption: mark }),
    isDone: hasRow(`select id from outbox where body like '%"kind":"file"%' and body like '%MARK%'`),
  },
  "uses an MCP server": {
    deeds: (mark) => [
      ...deed("tool_search", { query: "outpost send" }),
      ...deed("mcp__outpost__send", { text: mark }),
    ],
    isDone: (_, { folder }) => existsSync(join(folder, "sent")),
  },
};

const columns: readonly (readonly [Who, PlaceName])[] = [
  ["owner", "direct"],
  ["owner", "group"],
  ["member", "direct"],
  ["member", "topic"],
  ["guest", "direct"],
  ["guest", "topic"],
];

const columnName = ([who, place]: (typeof columns)[number]): string => `${who} ${place}`;
export const toolColumns = columns.map(columnName);

/** Members are tried with all of it; the owner with what they have more of, and guests with some of what they have not. */
const forOwner = ["writes memory", "searches other sessions", "schedules", "sends a file", "deletes"];
const forGuests = ["reads a file here", "runs a command", "delegates"];
const isInSlice = (name: string, [who, place]: (typeof columns)[number]): boolean =>
  (who === "member" && place === "topic") ||
  (who === "owner" && place === "direct" && forOwner.includes(name)) ||
  (who === "guest" && place === "direct" && forGuests.includes(name));

/** does: it happened · asks: the owner was asked, said no, and it did not happen · -: it did not happen, and nobody was asked */
export async function toolMatrix(
  world: PeopleWorld,
  size: MatrixSize,
): Promise<{ grid: Grid; faults: readonly string[] }> {
  await world.say("owner", places.direct("owner"), `planted: the word is ${secret("other-chat")}`);
  const grid: Grid = new Map();
  await attended(world, async () => {
    for (const [name, one] of Object.entries(classes)) {
      const chosen = columns.filter((column) => size === "whole" || isInSlice(name, column));
      const cells = await Promise.all(
        chosen.map(
          async ([who, place]) =>
            [columnName([who, place]), await tried(world, name, one, who, place)] as const,
        ),
      );
      grid.set(name, new Map(cells));
    }
  });
  return { grid, faults: [] };
}

async function tried(
  world: PeopleWorld,
  name: string,
  one: ToolClass,
  who: Who,
  place: PlaceName,
): Promise<string> {
  const mark = `${name.replaceAll(/\W/g, "-")}-${who}-${place}`;
  const at = places[place](who);
  const chat = at.thread === undefined ? at.chat : `${at.chat}/${at.thread}`;
  // What was decided without a question is in the ledger, too, and there was nothing to choose.
  const questions = (): number =>
    world.rows(
      `select a.id from approval a join chat_place p on p.session = a.session where p.chat = '${chat}' and a.choices <> '[]'`,
    ).length;
  const before = questions();
  await world.say(who, at, asking(mark, one.deeds(mark, world)));
  if (one.isDone(mark, world)) return "does";
  return questions() > before ? "asks" : "-";
}
