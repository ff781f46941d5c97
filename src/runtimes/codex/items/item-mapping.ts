import type { ItemId } from "../../../core/ids.ts";
import type { Item, OpenItem, TextItem } from "../../../core/items.ts";
import { type MappingContext, callHead, callItem } from "./call-mapping.ts";
import { noteItem } from "./note-mapping.ts";
import type { WireCall } from "../wire/call-item.ts";
import type { WireBody } from "../wire/item.ts";
import type { MessageItem, ReasoningItem } from "../wire/other-item.ts";

/**
 * A finished codex item as ours, also for items read back from a thread. `seen` is what came of it in pieces.
 * `undefined`: it says nothing that is not known already (the echo of the input, an empty thought).
 */
export function itemOf(body: WireBody, id: ItemId, context: MappingContext, seen: string): Item | undefined {
  if (isCall(body)) return callItem(body, id, context, seen);
  switch (body.type) {
    case "userMessage":
      return undefined;
    case "agentMessage": {
      const text = messageText(body) || seen;
      return text.trim() === "" ? undefined : { id, kind: "text", text, phase: phaseOf(body) };
    }
    case "reasoning": {
      const text = thoughts(body) || seen;
      return text.trim() === "" ? undefined : { id, kind: "thinking", text };
    }
    default:
      return noteItem(body, id, context.mask);
  }
}

/** What a screen can show of an item that has just started. Notes are shown when they are finished. */
export function beginOf(body: WireBody, id: ItemId, context: MappingContext): OpenItem | undefined {
  if (isCall(body)) {
    const { tool, args } = callHead(body, id, context);
    return { id, kind: "call", tool, args };
  }
  if (body.type === "agentMessage") return { id, kind: "text" };
  return body.type === "reasoning" ? { id, kind: "thinking" } : undefined;
}

export const isCall = (body: WireBody): body is WireCall => callTypes.has(body.type);

const callTypes: ReadonlySet<string> = new Set<WireCall["type"]>([
  "commandExecution",
  "fileChange",
  "mcpToolCall",
  "dynamicToolCall",
  "collabAgentToolCall",
]);

/** A message without a phase may be either; only what is called commentary, or asks while the work goes on, is it. */
export const phaseOf = ({ phase, questions }: MessageItem): NonNullable<TextItem["phase"]> =>
  phase === "commentary" || questions.length > 0 ? "commentary" : "answer";

/** Codex writes questions into the text as well. */
function messageText({ text, questions }: MessageItem): string {
  const asked = questions
    .map(({ title, options }) => [title, ...options.map((option) => `- ${option}`)].join("\n"))
    .filter((question) => !text.includes(question));
  return [text, ...asked].filter((part) => part !== "").join("\n\n");
}

/** The summary, or where there is none the thoughts themselves. */
const thoughts = ({ summary, content }: ReasoningItem): string =>
  (summary.length > 0 ? summary : content).join("\n\n");
