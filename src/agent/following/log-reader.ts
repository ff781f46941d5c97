import type { FollowedEvent, LiveEvent, LoggedEvent } from "../../core/event-log.ts";
import type { TurnId } from "../../core/ids.ts";
import type { StoredEvent } from "../../store/schema/event-tables.ts";
import type { Store } from "../../store/store.ts";
import { type CursorScope, cursorAt } from "./cursor.ts";

const pageSize = 32;

/** Whoever reads slowly reads pages: what it has not come to stays in the database. */
export function logReader(
  { events }: Pick<Store, "events">,
  scope: CursorScope,
  first: number,
  isLeftOut?: (turn: TurnId) => boolean,
) {
  let place = first;
  return {
    place: () => place,
    cursor: () => cursorAt(scope, place),
    async *unread(signal: AbortSignal): AsyncGenerator<Exclude<FollowedEvent, LiveEvent>, void, void> {
      while (!signal.aborted) {
        const page = await events.after(scope.of, place, pageSize, isLeftOut);
        const gone = page.events.findLast(({ event }) => event.type === "deleted");
        if (page.lost) {
          place = (await events.extent(scope.of)).to;
          yield { v: 1, type: "resume", resume: "gap", cursor: cursorAt(scope, place) };
          if (gone !== undefined && scope.of !== "all") yield logged(scope, gone);
          return;
        }
        for (const event of page.events) {
          ({ place } = event);
          yield logged(scope, event);
        }
        place = page.to;
        if (!page.more) return;
      }
    },
  };
}

const logged = (scope: CursorScope, stored: StoredEvent): LoggedEvent => {
  const { place, number, at, session, turn, event } = stored;
  const header = { v: 1, cursor: cursorAt(scope, place), number, at, session } as const;
  return { ...header, ...(turn === undefined ? {} : { turn }), ...event };
};
