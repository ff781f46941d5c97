import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Item } from "../../src/core/items.ts";
import type { StoredTurn } from "../../src/core/session.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { check } from "../crash/checker.ts";
import type { Said } from "../crash/job.ts";
import { contextOf, journalOf } from "./context.ts";
import type { Cut } from "./cut.ts";
import type { Place } from "./place.ts";
import type { Seen } from "./seen.ts";
import { tripwire } from "./story.ts";

type Kept = { readonly turn: StoredTurn; readonly words: string; readonly items: readonly Item[] };

/** Compares what was said and seen with what is on the disk, in codex's thread and in the model's last request. */
export async function verdict(
  place: Place,
  said: Said,
  seen: Seen,
  { died, where }: { readonly died: "codex" | "self"; readonly where: string },
): Promise<Omit<Cut, "killed">> {
  const { job } = place;
  const turns = await keptTurns(place);
  const broken = [
    ...(await check(job.home, said, job.marker)),
    ...wrongEnds(turns, seen, died),
    ...lostItems(turns, seen),
    ...doubledItems(turns),
    ...strayThreads(place, turns),
    ...gapsInContext(place, turns, seen),
    ...commandRuns(place, turns),
    ...misunderstood(place),
  ];
  return {
    frames: seen.frames,
    commandFrames: seen.items.flatMap(({ type, frame }) => (type === "commandExecution" ? [frame] : [])),
    resumed: isResumed(turns, seen),
    broken: broken.map((line) => `${where}: ${line}`),
  };
}

/** Did the turns of later processes go on in the thread of those on the first one? */
function isResumed(turns: readonly Kept[], { began }: Seen): boolean {
  const { before = [], after = [] } = Object.groupBy(turns, ({ turn }) =>
    began.has(turn.codexTurn ?? "") ? "before" : "after",
  );
  const threads = new Set(before.map(({ turn }) => turn.thread));
  return after.some(({ turn }) => turn.thread !== undefined && threads.has(turn.thread));
}

async function keptTurns({ job }: Place): Promise<readonly Kept[]> {
  await using store = await openSqliteStore(join(job.home, "talaria.db"));
  const messages = await store.sessions.messages(job.session);
  const found: Kept[] = [];
  for (const turn of await store.sessions.turns(job.session)) {
    const row = messages.find((each) => each.turn === turn.id && each.message.role === "user");
    const words = typeof row?.message.content === "string" ? row.message.content : "";
    found.push({ turn, words, items: await store.turns.items(turn.id) });
  }
  return found;
}

/** I8: done if codex said so, else `lost`, or after our own death `interrupted`; and one kill ends at most one turn. */
function wrongEnds(turns: readonly Kept[], seen: Seen, died: "codex" | "self"): string[] {
  const cut = died === "codex" ? "failed" : "interrupted";
  const wrong = turns.filter(({ turn }) => {
    if (turn.state === "done") return false;
    if (seen.ended.has(turn.codexTurn ?? "")) return true;
    return turn.state !== cut || (died === "codex" && turn.fault?.code !== "lost");
  });
  const unfinished = turns.filter(({ turn }) => turn.state !== "done");
  return [
    ...wrong.map(({ words, turn }) => `end: "${words}" is ${turn.state} (${turn.fault?.code ?? "no fault"})`),
    ...(unfinished.length > 1 ? [`end: one kill ended ${unfinished.length} turns`] : []),
    ...(turns.at(-1)?.turn.state === "done" ? [] : ["end: the conversation does not go on"]),
  ];
}

const kinds: ReadonlySet<string> = new Set(["agentMessage", "commandExecution", "reasoning"]);

/** I4: what codex had finished before anybody died is in the transcript. */
function lostItems(turns: readonly Kept[], seen: Seen): string[] {
  const kept = new Set(turns.flatMap(({ items }) => items.map(({ id }) => String(id))));
  return seen.items
    .filter(({ item, type }) => kinds.has(type) && !kept.has(item))
    .map(({ item, type }) => `lost: ${type} ${item} was finished and is not in the transcript`);
}

function doubledItems(turns: readonly Kept[]): string[] {
  const ids = turns.flatMap(({ items }) => items.map(({ id }) => String(id)));
  return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `doubled: item ${id} is in two turns`);
}

/** A conversation stays in its thread once codex has written down something of it. */
function strayThreads(place: Place, turns: readonly Kept[]): string[] {
  const threads = [...new Set(turns.flatMap(({ turn }) => turn.thread ?? []))];
  return threads
    .slice(0, -1)
    .filter((thread) => turns.some(({ words }) => journalOf(place, thread).includes(words)))
    .map((thread) => `thread: ${thread} was not resumed, but another one started`);
}

/** What was said before is in what the model is given for the last turn; words stand there once. */
function gapsInContext(place: Place, turns: readonly Kept[], seen: Seen): string[] {
  const last = turns.at(-1);
  if (last === undefined) return ["lost: no turn is stored"];
  const context = contextOf(place, last.turn.thread ?? "");
  const times = (text: string): number => context.filter((piece) => piece.includes(quoted(text))).length;
  const finished = new Set(seen.items.map(({ item }) => item));
  const items = turns.slice(0, -1).flatMap((turn) => turn.items.filter(({ id }) => finished.has(id)));
  const words = [
    ...turns.map((turn) => turn.words),
    ...items.flatMap((item) => (item.kind === "text" ? [item.text] : [])),
  ];
  const results = items.flatMap((item) => (item.kind === "call" ? [item.output.trim()] : []));
  return [
    ...[...words, ...results]
      .filter((text) => times(text) === 0)
      .map((text) => `lost: the model does not know "${text}"`),
    ...words
      .filter((text) => times(text) > 1)
      .map((text) => `doubled: the model was told "${text}" ${times(text)} times`),
  ];
}

/** As it stands inside of a JSON string. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

/** I7: what was allowed once ran at most once, and ran if its result is there. */
function commandRuns({ job, story, codex }: Place, turns: readonly Kept[]): string[] {
  if (codex === "fake") return []; // it runs nothing
  const file = join(job.cwd, tripwire);
  const runs = existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
  const calls = turns.flatMap(({ items }) => items.filter((item) => item.kind === "call"));
  const told = calls.some((item) => item.output.includes(`written ${story.number}`));
  if (runs > 1) return [`doubled: the command ran ${runs} times`];
  return told && runs === 0 ? ["lost: the command has a result but did not run"] : [];
}

/** What the fake codex did not understand of us. */
function misunderstood({ job, codex }: Place): string[] {
  if (codex === "real") return [];
  const lines = readFileSync(join(job.codexHome, "wire.jsonl"), "utf8").split("\n");
  return lines
    .filter((line) => line.includes('"violation"'))
    .map((line) => `protocol: ${line.slice(0, 300)}`);
}
