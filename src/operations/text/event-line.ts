import { decidedText, closedTexts } from "../../core/asking-words.ts";
import { callLine } from "../../core/call-words.ts";
import type { FollowedEvent, LoggedEvent } from "../../core/event-log.ts";
import type { Item } from "../../core/items.ts";
import { messageText, userMessage } from "../../core/messages.ts";
import { counted, short } from "../../core/plain-text.ts";

const longest = 100;

/** An event as one line for people. Nothing: it is only for programs. */
export function eventLine(event: FollowedEvent): string | undefined {
  if (event.type === "resume")
    return event.resume === "ok" ? undefined : "· something before this is not kept any more, or was missed";
  if (!("cursor" in event)) return undefined;
  const time = new Date(event.at).toISOString().slice(0, 19).replace("T", " ");
  return `${time}  ${event.session}  ${short(eventWords(event), longest)}`;
}

function eventWords(event: LoggedEvent): string {
  switch (event.type) {
    case "began":
      return `session began in ${event.cwd}`;
    case "changed":
      return `session is now ${event.title ?? "without a title"}, ${event.runtime ?? "default runtime"}`;
    case "started":
      return `› ${messageText(userMessage(event.input))}`;
    case "steered":
      return `› ${messageText(userMessage(event.input))} (into the running turn)`;
    case "item":
      return itemWords(event.item);
    case "notice":
      return `· ${event.text}`;
    case "approval":
      return `? ${event.approval.question.summary}: ${decidedText(event.approval) ?? "asked"}`;
    case "inquiry":
      return `? ${event.inquiry.form.title}: ${inquiryWords(event.inquiry.closed)}`;
    case "ended":
      return `turn ended: ${event.outcome}, ${counted(event.calls, "call")}`;
    case "undone":
      return "turn taken back";
    case "redone":
      return "turn holds again";
    case "compacted":
      return "earlier part shortened";
    case "uncompacted":
      return "earlier part whole again";
    case "deleted":
      return "session deleted";
    case "other":
      return event.name;
  }
}

function itemWords(item: Item): string {
  switch (item.kind) {
    case "text":
      return item.text;
    case "thinking":
      return `(thinking) ${item.text}`;
    case "call":
      return callLine(item);
    case "note":
      return item.text;
  }
}

const inquiryWords = (closed: keyof typeof closedTexts | undefined): string =>
  closed === undefined ? "asked" : (closedTexts[closed] ?? "answered");
