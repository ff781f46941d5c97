import type { SessionId } from "./ids.ts";

/**
 * How the older part of a session is given to models from now on. It changes no row: it is a way of looking at them, and
 * removing it brings the whole back.
 */
export type StoredCompaction = {
  readonly id: number;
  readonly session: SessionId;
  /** The last row (`seq`) that it covers. */
  readonly upTo: number;
  /** The newest row of the session when it was made: what was measured before that is out of date. */
  readonly seen: number;
  /** Takes the place of the rows. Without one only their large tool results are left out. */
  readonly summary?: string;
  /** Lines that the person wants to be kept word for word. */
  readonly pinned: readonly string[];
  /** What the person asked it to be about. */
  readonly focus?: string;
  readonly at: number;
  /** Who wrote the summary. */
  readonly model?: string;
  /** The compaction whose summary this one carries on. */
  readonly previous?: number;
};

export type NewCompaction = Omit<StoredCompaction, "id" | "session">;

/** What is asked of `/compress`. */
export type Compress =
  | { readonly do: "compress"; readonly focus?: string }
  | { readonly do: "undo" }
  | { readonly do: "pin"; readonly text: string }
  | { readonly do: "unpin"; readonly number: number }
  | { readonly do: "pins" };
