import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../../src/core/faults.ts";
import { check } from "../crash/checker.ts";
import { fileIn } from "../crash/disk.ts";
import type { Said } from "../crash/job.ts";
import { gapsInContext } from "./context.ts";
import type { Cut } from "./cut.ts";
import { notRecovered, strayThreads } from "./journal.ts";
import { type Kept, itemIds, keptTurns } from "./kept-turns.ts";
import type { Place } from "./place.ts";
import type { Seen } from "./seen.ts";
import { tripwire } from "./story.ts";
import { readSide } from "../../src/runtimes/codex/thread/turn-side.ts";

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
    ...(await check(fileIn(job.home), said, job.marker)),
    ...wrongEnds(turns, seen, died),
    ...lostItems(turns, seen),
    ...doubledItems(turns),
    ...strayThreads(place, turns),
    ...(died === "self" ? notRecovered(place, turns) : []),
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
    began.has(readSide(turn.side)?.turn ?? "") ? "before" : "after",
  );
  const threads = new Set(before.flatMap(({ turn }) => readSide(turn.side)?.thread ?? []));
  return after.some(({ turn }) => threads.has(readSide(turn.side)?.thread ?? ""));
}

/** I8: done if codex said so, else `lost`, or after our own death `interrupted`; and one kill ends at most one turn. */
function wrongEnds(turns: readonly Kept[], seen: Seen, died: "codex" | "self"): string[] {
  const cut = died === "codex" ? "failed" : "interrupted";
  const wrong = turns.filter(({ turn }) => {
    const isOver = seen.ended.has(readSide(turn.side)?.turn ?? "");
    if (turn.state === "done") return died === "codex" && !isOver;
    return isOver || turn.state !== cut || (died === "codex" && turn.fault?.code !== "lost");
  });
  const unfinished = turns.filter(({ turn }) => turn.state !== "done");
  return [
    ...wrong.map(({ words, turn: { state, fault } }) => `end: "${words}" is ${state} (${faultWords(fault)})`),
    ...(unfinished.length > 1 ? [`end: one kill ended ${unfinished.length} turns`] : []),
    ...(turns.at(-1)?.turn.state === "done" ? [] : ["end: the conversation does not go on"]),
  ];
}

const faultWords = (fault: Fault | undefined): string =>
  fault === undefined ? "no fault" : `${fault.code}: ${fault.message}`;

const kinds: ReadonlySet<string> = new Set(["agentMessage", "commandExecution", "reasoning"]);

/** I4: what codex had finished before anybody died is in the transcript. */
function lostItems(turns: readonly Kept[], seen: Seen): string[] {
  const kept = new Set(itemIds(turns));
  return seen.items
    .filter(({ item, type }) => kinds.has(type) && !kept.has(item))
    .map(({ item, type }) => `lost: ${type} ${item} was finished and is not in the transcript`);
}

function doubledItems(turns: readonly Kept[]): string[] {
  const ids = itemIds(turns);
  return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `doubled: item ${id} is in two turns`);
}

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
