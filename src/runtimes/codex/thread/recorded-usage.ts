import { open } from "node:fs/promises";
import type { EndedEvent, Usage } from "../../../core/events.ts";
import { addUsage } from "../../../core/spend.ts";
import { type Fields, textIn } from "../wire/fields.ts";
import { recordedCounts } from "../wire/token-usage.ts";
import { outputOf, readLine } from "./thread-file.ts";

/** What codex has written down of a turn's tokens. */
export type Recorded = {
  /** The sum of its answers. */
  readonly usage?: Usage;
  /** What there is of the last answer: all that it called was under way or done, codex waited for more, or a part had come. */
  readonly answer: "complete" | "awaited" | "begun";
};

/**
 * Codex writes the tokens of an answer down as soon as it is complete, and tells only after it has run what the answer
 * asked for: of a turn that was cut off, this is all there is to know. Never rejects. `file`: where the thread is written
 * down, if codex says.
 */
export async function recordedUsage(file: string | undefined, turnId: string): Promise<Recorded> {
  let usage: Usage | undefined;
  let [isOurs, isBegun] = [false, false];
  const running = new Set<string>();
  try {
    await using opened = file === undefined ? undefined : await open(file);
    for await (const line of opened?.readLines() ?? []) {
      const { kind, payload } = readLine(line);
      if (kind === "turn_context") isOurs = textIn(payload, "turn_id") === turnId;
      if (!isOurs) continue;
      const call = textIn(payload, "call_id") ?? "";
      if (kind === "token_usage_record") usage = addUsage(usage, usageIn(payload));
      if (kind === "token_usage_record") isBegun = false;
      if (isSaid(payload)) isBegun = true;
      if (isCall(payload)) running.add(call);
      if (isDone(payload)) running.delete(call);
    }
  } catch {
    // What cannot be read is not known.
  }
  const awaited = running.size === 0 ? "awaited" : "complete";
  return { ...(usage === undefined ? {} : { usage }), answer: isBegun ? "begun" : awaited };
}

const isCall = ({ type }: Fields): boolean => typeof type === "string" && type.endsWith("_call");

const isSaid = (payload: Fields): boolean =>
  isCall(payload) || payload["type"] === "reasoning" || payload["role"] === "assistant";

const isDone = (payload: Fields): boolean => {
  const output = outputOf(payload);
  return output !== undefined && !/^(Wall time: .*\n)?aborted/.test(output);
};

function usageIn(record: Fields): Usage {
  const { total, ...tokens } = recordedCounts(record["usage"]);
  return { ...tokens, context: { used: total } };
}

/**
 * The end of a turn with all that is known of its tokens. What was heard last knows the size of the window. A provider
 * that fails does not charge for the answer that codex waited for; whoever was stopped waiting does not know.
 */
export function withRecorded<Ended extends Omit<EndedEvent, "type" | "text" | "calls">>(
  ended: Ended,
  { usage: recorded, answer }: Recorded,
): Ended {
  const { usage: heard, outcome, fault } = ended;
  const isCut = outcome === "interrupted" || fault?.code === "lost";
  const isOpen = answer === "begun" || (answer === "awaited" && isCut);
  const known: Ended = isOpen ? { ...ended, uncounted: true } : ended;
  if (recorded === undefined || (heard !== undefined && heard.input >= recorded.input)) return known;
  return { ...known, usage: { ...heard, ...recorded, context: { ...heard?.context, ...recorded.context } } };
}
