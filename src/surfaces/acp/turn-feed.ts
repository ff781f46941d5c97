import { chatAdvice } from "../../core/advice.ts";
import type { EndedEvent, Envelope, Usage } from "../../core/events.ts";
import type { TurnId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import { type CallFeed, callId } from "./call-feed.ts";
import type { Permissions } from "./permissions.ts";
import type { Questions } from "./questions.ts";
import { showUser } from "./past.ts";
import type { SessionWriter } from "./session-writer.ts";

export type TurnFeedParts = {
  readonly writer: SessionWriter;
  readonly calls: CallFeed;
  readonly permissions: Permissions;
  readonly questions: Questions;
  /** Where the session works until a turn says so. */
  readonly cwd: string;
  readonly log: (line: string) => void;
};

/** Tells the editor what the turns of a session do, event by event and in their order. */
export interface TurnFeed {
  handle(event: Envelope): void;
  /** Resolves when all that was heard until now has been sent. */
  settled(): Promise<void>;
}

export function turnFeed(parts: TurnFeedParts): TurnFeed {
  const state: FeedState = { cwd: parts.cwd, streamed: new Map(), answered: new Set() };
  let last = Promise.resolve();
  return {
    handle(event) {
      last = last
        .then(() => show(parts, state, event))
        .catch((error: unknown) => parts.log(`${event.type} could not be shown: ${String(error)}`));
    },
    settled: () => last,
  };
}

type FeedState = {
  cwd: string;
  /** What was sent of messages that are not finished. */
  readonly streamed: Map<string, string>;
  /** Turns of which something was said. */
  readonly answered: Set<TurnId>;
};

async function show(parts: TurnFeedParts, state: FeedState, event: Envelope): Promise<void> {
  const { writer, calls, permissions, questions } = parts;
  const { turn } = event;
  switch (event.type) {
    case "said":
      return showUser(writer, `${turn} ${event.seq} ${event.message ?? ""}`.trim(), event.input);
    case "started":
      state.cwd = event.cwd;
      return;
    case "begin":
      if (event.item.kind === "call") calls.begin(turn, event.item, state.cwd);
      return;
    case "delta":
      return showDelta(parts, state, event);
    case "item":
      return showItem(parts, state, turn, event.item);
    case "status":
      if (event.state === "retrying")
        writer.think(`${turn}:retry`, `talaria: ${event.text ?? "trying again"}\n`);
      return;
    case "notice":
      return writer.remark(event.text);
    case "approval":
      return permissions.handle(event.approval, calls.askedBy(turn, event.approval));
    case "inquiry":
      return questions.handle(event.inquiry);
    case "usage":
      return showUsage(writer, event);
    case "ended":
      return showEnd(parts, state, turn, event);
  }
}

function showDelta(
  { writer, calls }: TurnFeedParts,
  { streamed, answered }: FeedState,
  { turn, item, of, text }: Extract<Envelope, { type: "delta" }>,
): void {
  if (of === "output") return calls.output(turn, item, text);
  const id = callId(turn, item);
  streamed.set(id, (streamed.get(id) ?? "") + text);
  if (of === "thinking") return writer.think(id, text);
  answered.add(turn);
  writer.say(id, text);
}

async function showItem(
  { writer, calls }: TurnFeedParts,
  { cwd, streamed, answered }: FeedState,
  turn: TurnId,
  item: Item,
): Promise<void> {
  if (item.kind === "call") return calls.finish(turn, item, cwd);
  if (item.kind === "note") return writer.remark(item.text);
  const id = callId(turn, item.id);
  const before = streamed.get(id) ?? "";
  streamed.delete(id);
  // What was sent cannot be taken back; where the whole goes on from it, the rest is added.
  const rest = item.text.startsWith(before) ? item.text.slice(before.length) : "";
  if (item.kind === "thinking") return writer.think(id, rest);
  if (item.text !== "") answered.add(turn);
  writer.say(id, rest);
}

function showUsage(writer: SessionWriter, { context: { used, window } }: Usage): void {
  if (window !== undefined) writer.send({ sessionUpdate: "usage_update", used, size: window });
}

function showEnd(
  { writer, calls, permissions, questions }: TurnFeedParts,
  { streamed, answered }: FeedState,
  turn: TurnId,
  { outcome, text, fault, elsewhere }: EndedEvent & Pick<Envelope, "elsewhere">,
): void {
  calls.closeAll(turn);
  permissions.closeAll();
  questions.closeAll();
  streamed.clear();
  if (!answered.delete(turn)) writer.say(`${turn}:answer`, text);
  if (fault !== undefined) writer.remark(`${fault.message}\n→ ${chatAdvice(fault.next)}`);
  // Of a turn of its own the editor hears that by the answer to its prompt.
  if (outcome === "interrupted" && elsewhere === true)
    writer.remark("Interrupted; what was finished is kept.");
  if (outcome === "unconfirmed") writer.remark("It probably finished, but that could not be confirmed.");
}
