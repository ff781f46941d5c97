import type { FollowedSession } from "../../core/event-log.ts";
import { Refusal } from "../../core/host.ts";

/** What a cursor points into: the log of one home, of one session or of all. */
export type CursorScope = { readonly home: string; readonly of: FollowedSession };

/** Opaque to whoever keeps it: it says where it belongs, so that it is never taken for a place elsewhere. */
export const cursorAt = ({ home, of }: CursorScope, place: number): string =>
  `${home}.${nameOf(of)}.${place}`;

/** Rejects what is no cursor, or one of another home or session. */
export function placeOf(scope: CursorScope, cursor: string): number {
  const [, home, of, place] = /^([0-9a-f]{12})\.(all|ses_[0-9a-z]+)\.(\d{1,16})$/.exec(cursor) ?? [];
  if (home === undefined || !Number.isSafeInteger(Number(place)))
    throw refusal("That is not a cursor of the event log.");
  if (home !== scope.home) throw refusal("That cursor belongs to another home of Talaria.");
  if (of !== nameOf(scope.of)) throw refusal(`That cursor was read from ${described(of ?? "")}.`);
  return Number(place);
}

const nameOf = (of: FollowedSession): string => (of === "all" ? "all" : of.session);

const described = (name: string): string =>
  name === "all" ? "the events of all sessions" : `session ${name} alone`;

const refusal = (message: string): Refusal =>
  new Refusal("usage", message, "Go on with a cursor that was read there, or leave it out to begin now.");
