import type { Agent } from "../../agent/index.ts";
import type { Titles } from "../../agent/titles.ts";
import type { Incoming, Sent } from "../../core/host.ts";
import type { Reviewer } from "../../learning/index.ts";
import type { Goals } from "../../work/index.ts";
import type { HostLearned } from "../learning/learned-access.ts";

export type SendingParts = {
  readonly agent: Pick<Agent, "send" | "isBusy">;
  readonly titling: Titles;
  readonly reviews: Reviewer;
  readonly learned: Pick<HostLearned, "after">;
  readonly goals: Pick<Goals, "after">;
  readonly wantsTitles: boolean;
  /** Whoever ends with the turn does not wait for a review either. */
  readonly longLived: boolean;
  /** With what the settings choose for it. */
  readonly withDefaultRuntime: (incoming: Incoming) => Incoming;
};

/** Takes input, and sees to what follows a turn beside the conversation. */
export function sending(parts: SendingParts): Agent["send"] {
  return async function send(incoming: Incoming): Promise<Sent> {
    const { session, choices } = incoming;
    const id = typeof session === "string" ? session : session.id;
    // The person comes first, and does not wait for it to end.
    void parts.reviews.cancel(id);
    const sent = await parts.agent.send(parts.withDefaultRuntime(incoming));
    // The turn before may have ended meanwhile, and its review have begun.
    void parts.reviews.cancel(id);
    if (parts.wantsTitles) void parts.titling.after(sent.session, sent.ended);
    parts.learned.after(sent, incoming);
    if (parts.longLived && choices?.memory !== false) void reviewAfter(parts, sent);
    if (parts.longLived) void parts.goals.after(sent.session, sent.ended, send);
    return sent;
  };
}

/** What a turn has made due waits for the next one when somebody has said more already. */
async function reviewAfter({ agent, reviews }: SendingParts, { session, ended }: Sent): Promise<void> {
  const how = await ended;
  if (how !== undefined && !agent.isBusy(session)) reviews.after(session, how);
}
