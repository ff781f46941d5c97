import type { NoticeEvent } from "../core/events.ts";
import type { SessionId } from "../core/ids.ts";
import { messageText, userMessage } from "../core/messages.ts";
import type { StoredInput, StoredTurn } from "../core/session.ts";
import type { Store } from "../store/store.ts";

/** What a crash or a Stop left behind in a session, said once. */
export async function newsOf(store: Store, session: SessionId): Promise<readonly NoticeEvent[]> {
  const turns = await store.turns.takeUntold(session);
  const inputs = await store.inbox.takeUntold(session);
  const questions = await store.approvals.takeUntold(session);
  return [
    ...turns.map((turn) => notice("turn_recovered", recoveredText(turn))),
    ...inputs.map((input) => notice("input_kept", keptText(input))),
    ...questions.map(({ question }) =>
      notice(
        "question_expired",
        `A question was open when Talaria was ended, so it was not done: ${question.summary}`,
      ),
    ),
  ];
}

const notice = (code: string, text: string): NoticeEvent => ({ type: "notice", code, text });

const recoveredText = ({ state }: StoredTurn): string =>
  state === "done"
    ? "The last turn had finished when Talaria was ended; its answer was recovered."
    : `The last turn was cut off when Talaria was ended, and is kept as ${state}. What it had finished is in the session.`;

const keptText = (input: StoredInput): string =>
  `An earlier message was kept but not run: "${excerpt(input)}". \`/queue\` in the chat sends or drops it.`;

export const unconfirmedText = (input: StoredInput): string =>
  `Nobody can say whether the running turn has received: "${excerpt(input)}". It is not sent again by itself.`;

function excerpt(input: StoredInput): string {
  const text = messageText(userMessage(input.input)).replaceAll(/\s+/g, " ");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
