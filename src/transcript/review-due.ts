import type { TurnId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import type { TurnRecord } from "../core/session.ts";

/** After how many user turns memory, and after how many tool calls skills are reviewed. 0 is never. */
export type ReviewEvery = { readonly turns: number; readonly calls: number };

export type ReviewFacts = {
  /** The last turn that a review had before it. One that is not among the records lies before all of them. */
  readonly reviewed?: { readonly memory?: TurnId; readonly skills?: TurnId };
  /** Is the tool on with which a review would write? Yes, if nothing is said. */
  readonly enabled?: { readonly memory?: boolean; readonly skills?: boolean };
};

export type ReviewDue = { readonly memory: boolean; readonly skills: boolean };

/**
 * What is due after the last of these turns. It is read off the transcript, so no path can forget to tick a counter:
 * user turns since memory was reviewed or the model used `memory` itself, and tool calls since skills were reviewed or
 * it used `skill_manage`. The moment for a review is a turn that is done and ends with an answer; what a worse turn
 * makes due waits for the next good one. A turn that was taken back does not count, but what it wrote is written, and a
 * review after it has been: the records are those of all turns.
 */
export function reviewDue(
  records: readonly TurnRecord[],
  every: ReviewEvery,
  facts: ReviewFacts = {},
): ReviewDue {
  const { reviewed = {}, enabled = {} } = facts;
  if (!isGood(records.at(-1))) return { memory: false, skills: false };
  return {
    memory:
      enabled.memory !== false &&
      every.turns > 0 &&
      turnsSince(after(records, reviewed.memory)) >= every.turns,
    skills:
      enabled.skills !== false &&
      every.calls > 0 &&
      callsSince(after(records, reviewed.skills)) >= every.calls,
  };
}

function isGood(record: TurnRecord | undefined): boolean {
  const last = record?.messages.at(-1);
  if (record?.turn.state !== "done" || !isHeld(record) || last?.role !== "assistant") return false;
  return calledTools(last).length === 0 && last.content.trim() !== "";
}

/** `findIndex` says -1 for an unknown turn, and then all of them count. */
const after = (records: readonly TurnRecord[], turn: TurnId | undefined): readonly TurnRecord[] =>
  records.slice(records.findIndex((record) => record.turn.id === turn) + 1);

/** The turn that used the tool is not counted itself. */
function turnsSince(records: readonly TurnRecord[]): number {
  const lastUse = records.findLastIndex((record) => record.messages.flatMap(calledTools).includes("memory"));
  return records.slice(lastUse + 1).filter((record) => isHeld(record) && hasUser(record)).length;
}

function callsSince(records: readonly TurnRecord[]): number {
  const calls = records.flatMap((record) =>
    record.messages.flatMap(calledTools).map((tool) => ({ tool, held: isHeld(record) })),
  );
  const lastUse = calls.findLastIndex(({ tool }) => tool === "skill_manage");
  return calls.slice(lastUse + 1).filter(({ held }) => held).length;
}

const calledTools = (message: Message): readonly string[] =>
  message.role === "assistant" ? (message.toolCalls ?? []).map((call) => call.name) : [];

const isHeld = ({ turn }: TurnRecord): boolean => turn.undone !== true;

const hasUser = (record: TurnRecord): boolean => record.messages.some(({ role }) => role === "user");
