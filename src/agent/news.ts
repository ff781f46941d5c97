import { argumentWords, callDetail, withoutShell } from "../core/call-words.ts";
import type { NoticeEvent } from "../core/events.ts";
import { goalText } from "../core/goal.ts";
import type { SessionId } from "../core/ids.ts";
import { type CallItem, type Item, unknownOutcome } from "../core/items.ts";
import { type Json, isPlainObject } from "../core/json.ts";
import { messageText, userMessage } from "../core/messages.ts";
import { short } from "../core/plain-text.ts";
import type { StoredInput, StoredTurn } from "../core/session.ts";
import type { Store } from "../store/store.ts";
import type { AgentDeps } from "./index.ts";
import { endedWithTalariaNotice } from "./recovery/still-running.ts";

/** What a crash or a Stop left behind in a session, said once. */
export async function crashNotices(
  { store, isGone }: Pick<AgentDeps, "store" | "isGone">,
  session: SessionId,
): Promise<readonly NoticeEvent[]> {
  const turns = await store.turns.takeUnreported(session);
  const inputs = await store.inbox.takeUnreported(session);
  const questions = await store.approvals.takeUnreported(session);
  const goals = await store.goals.takeUnreported(session);
  const left = await store.leftRunning.takeLeft(session, isGone);
  return [
    ...(left.length === 0 ? [] : [endedWithTalariaNotice(left)]),
    ...(await Promise.all(turns.map((turn) => turnNotice(store, turn)))),
    ...goals.map((goal) => notice("goal", goalText(goal))),
    ...inputs.map((input) => notice("input_kept", keptText(input))),
    ...questions.map(({ question }) =>
      notice(
        "question_expired",
        `A question was open when Talaria was ended, so it was not done: ${question.summary}`,
      ),
    ),
  ];
}

/** The input of a turn that nobody asked for is itself the explanation. */
async function turnNotice(store: Store, turn: StoredTurn): Promise<NoticeEvent> {
  const input = await store.inbox.get(turn.inbox);
  if (input?.key.surface !== unaskedSurface) return recovered(store, turn);
  return notice("unasked", messageText(userMessage(input.input)));
}

const notice = (code: string, text: string): NoticeEvent => ({ type: "notice", code, text });

async function recovered({ turns }: Store, turn: StoredTurn): Promise<NoticeEvent> {
  const items = await turns.items(turn.id);
  const unknown = items.filter(hasUnknownOutcome);
  const ran = unknown.length === 0 ? "" : ` Nobody can say how this ended: ${unknown.map(named).join("; ")}.`;
  return notice("turn_recovered", `${recoveredText(turn)}${ran}`);
}

const hasUnknownOutcome = (item: Item): item is CallItem =>
  item.kind === "call" && item.output === unknownOutcome;

const named = ({ tool, args }: CallItem): string =>
  short(`${tool} ${commandIn(args) ?? callDetail(tool, args) ?? argumentWords(args)}`, 120);

const commandIn = (args: Json): string | undefined =>
  isPlainObject(args) && typeof args["command"] === "string" ? withoutShell(args["command"]) : undefined;

const recoveredText = ({ state, fault }: StoredTurn): string => {
  if (state === "done") return "The last turn had finished when Talaria was ended; its answer was recovered.";
  if (state === "failed" && fault !== undefined)
    return `The last turn has failed: ${fault.message} What it had finished is in the session.`;
  return `The last turn was cut off when Talaria was ended, and is kept as ${state}. What it had finished is in the session.`;
};

const keptText = (input: StoredInput): string =>
  `An earlier message was kept but not run: "${excerpt(input)}". \`/queue\` in the chat sends or drops it.`;

export const unconfirmedText = (input: StoredInput): string =>
  `Nobody can say whether the running turn has received: "${excerpt(input)}". It is not sent again by itself.`;

export const arrivedText = (input: StoredInput): string =>
  `The turn has received this after all: "${excerpt(input)}".`;

function excerpt(input: StoredInput): string {
  const text = messageText(userMessage(input.input)).replaceAll(/\s+/g, " ");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Where the input of a turn comes from that a runtime began by itself. */
export const unaskedSurface = "codex";
