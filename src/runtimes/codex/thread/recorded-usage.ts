import { open } from "node:fs/promises";
import type { Usage } from "../../../core/events.ts";
import { addUsage } from "../../../core/spend.ts";
import { fieldsOf, textIn } from "../wire/fields.ts";
import { recordedCounts } from "../wire/token-usage.ts";

/**
 * What codex has written down of the tokens of a turn, answer by answer. It does so as soon as an answer is complete, and
 * tells only after it has run what the answer asked for: of a turn that was cut off, this is all there is to know.
 * `undefined`: nothing is written. Never rejects. `file`: where the thread is written down, if codex says.
 */
export async function recordedUsage(file: string | undefined, turnId: string): Promise<Usage | undefined> {
  if (file === undefined) return undefined;
  let sum: Usage | undefined;
  try {
    await using opened = await open(file);
    for await (const line of opened.readLines()) {
      const found = line.includes('"token_usage_record"') ? usageIn(line, turnId) : undefined;
      if (found !== undefined) sum = addUsage(sum, found);
    }
  } catch {
    // What cannot be read is not known.
  }
  return sum;
}

function usageIn(line: string, turnId: string): Usage | undefined {
  try {
    const { type, payload } = fieldsOf(JSON.parse(line));
    const fields = fieldsOf(payload);
    if (type !== "token_usage_record" || textIn(fields, "turn_id") !== turnId) return undefined;
    const { total, ...tokens } = recordedCounts(fields["usage"]);
    return { ...tokens, context: { used: total } };
  } catch {
    return undefined; // the last line of a killed process may be torn
  }
}

/** The end of a turn with all that is known of its tokens. What was heard last knows the size of the window. */
export function withRecorded<Ended extends { readonly usage?: Usage }>(
  ended: Ended,
  recorded: Usage | undefined,
): Ended {
  const { usage: heard } = ended;
  if (recorded === undefined || (heard !== undefined && heard.input >= recorded.input)) return ended;
  return { ...ended, usage: { ...heard, ...recorded, context: { ...heard?.context, ...recorded.context } } };
}
