import { type Fields, fieldsOf, listOf } from "../../../core/json.ts";
import type { Call } from "./calls.ts";
import type { CallFailure } from "./failures.ts";

/** Messages of a channel, or of a thread in it. `isWhole`: there are no more of them. */
export type Past =
  | { readonly messages: readonly Fields[]; readonly isWhole: boolean }
  | { readonly failure: CallFailure };

const pageSize = 200;

/** In the order in which Slack gives them: of a channel newest first, of a thread oldest first, after what it hangs on. */
export async function readPast(
  call: Call,
  place: {
    readonly channel: string;
    readonly thread?: string | undefined;
    readonly oldest?: string | undefined;
  },
  options: { readonly pages: number; readonly withMetadata?: boolean; readonly signal?: AbortSignal },
): Promise<Past> {
  const { channel, thread, oldest } = place;
  const method = thread === undefined ? "conversations.history" : "conversations.replies";
  const messages: Fields[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < options.pages; page += 1) {
    const args = {
      channel,
      ts: thread,
      oldest,
      limit: pageSize,
      cursor,
      include_all_metadata: options.withMetadata,
    };
    const answered = await call(method, args, options.signal === undefined ? {} : { signal: options.signal });
    if ("failure" in answered) return answered;
    messages.push(...listOf(answered.answer["messages"]).map(fieldsOf));
    cursor = nextCursor(answered.answer);
    if (cursor === undefined) return { messages, isWhole: true };
  }
  return { messages, isWhole: false };
}

function nextCursor(answer: Fields): string | undefined {
  const next = fieldsOf(answer["response_metadata"])["next_cursor"];
  return typeof next === "string" && next !== "" ? next : undefined;
}
