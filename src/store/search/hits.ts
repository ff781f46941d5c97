import type { SearchHit, SearchQuery } from "../../core/session.ts";

/** Of a hit, as both engines select them from `message m` and `session s`. */
export const hitColumns = "m.seq, m.session, m.turn_id as turn, m.role, m.at, s.title";

export type HitRow = Omit<SearchHit, "title" | "snippet"> & { readonly title: string | null };

export const hitOf = ({ session, title, turn, seq, role, at }: HitRow, snippet: string): SearchHit => ({
  session,
  ...(title !== null && { title }),
  turn,
  seq,
  role,
  at,
  snippet,
});

/** What a fork has copied is found where it was said, unless that is gone. Where there is no fork, nothing is looked up for each hit. */
export const withoutForkCopies = `and (not exists (select 1 from inbox where surface = 'fork') or not exists (
  select 1 from turn copy join inbox i on i.id = copy.inbox_id join turn origin on origin.id = i.account
  where copy.id = m.turn_id and i.surface = 'fork'))`;

/** Written out: as a bound parameter it makes small searches a third slower. */
export const hitLimit = ({ limit }: SearchQuery): number => Math.max(0, Math.trunc(limit)) || 0;
