import type { AssistantMessage, UserMessage } from "../core/messages.ts";
import { oneLine } from "../core/plain-text.ts";
import type { TurnRecord } from "../core/session.ts";

/** Words that history puts in where the rows have none. They never change for a turn that has ended. */

export const cutOffResult =
  "[interrupted] This call was cut off before its result was kept; nobody can say whether it had an effect.";

export const missingInput: UserMessage = {
  role: "user",
  content: "[The message that began this turn is missing]",
};

/** Open and interrupted read the same, so that closing what a crash left open changes no prompt. */
export function withoutAnswer({ state, fault }: TurnRecord["turn"]): AssistantMessage {
  if (state === "open" || state === "interrupted") {
    return { role: "assistant", content: "[This turn was stopped before there was an answer]" };
  }
  const why = fault === undefined ? "" : `: ${shortLine(fault.message)}`;
  return { role: "assistant", content: `[This turn ended without an answer${why}]` };
}

const maxLine = 300;

/** By code points, so that no character is cut in two. */
function shortLine(text: string): string {
  const points = [...oneLine(text)];
  return points.length <= maxLine ? points.join("") : `${points.slice(0, maxLine).join("")}…`;
}
