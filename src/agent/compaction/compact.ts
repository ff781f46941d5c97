import type { Auxiliary } from "../../core/auxiliary.ts";
import type { NewCompaction, StoredCompaction } from "../../core/compaction.ts";
import type { Session } from "../../core/session.ts";
import { type Todo, todoLines } from "../../core/todo.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Lease, Store } from "../../store/store.ts";
import { compactionBorder, type Tail } from "../../transcript/compaction-border.ts";
import { fullness, isFull, viewSize } from "../../transcript/compaction-due.ts";
import { readSummary, summaryRequest, summaryRoom, tokenSize } from "../../transcript/compaction-prompt.ts";
import { compactedHistory, largeResults } from "../../transcript/compaction.ts";
import { type SessionHistory, loadGivenHistory } from "../session-history.ts";

export type CompactionDeps = {
  readonly auxiliary: Auxiliary;
  /** Share of the window from which on a conversation is shortened before its next turn. */
  readonly threshold: number;
  /** Tokens that the model of this session can read, if anybody knows. */
  readonly window: (session: Session) => number | undefined;
};

export type CompactTarget = {
  readonly session: Session;
  readonly lease: Lease;
  /** Who runs its turns. */
  readonly runtime: string;
};

/**
 * full: when the last turn left the context too full · overflow: the model has refused it for that · asked: the person
 * wants it, and less stays as it is
 */
export type CompactionCause = "full" | "overflow" | "asked";

/** `done`: what a person is told of it. Otherwise nothing was changed; `failed`: it should have been. */
export type Compacted =
  | { readonly done: string }
  | { readonly failed: string }
  | { readonly notNeeded: string };

type Parts = CompactionDeps & { readonly store: Store; readonly clock: Clock };

/**
 * Shortens what the model is given of a session, if the cause wants it. Large old tool results go first, which takes no
 * model; if that is not enough, or the person asked, a summary takes the place of the older messages. One commit makes
 * it hold; until then, and if anything fails, the whole history does. `begin` is told before it takes time.
 */
export async function compact(
  parts: Parts,
  target: CompactTarget,
  cause: CompactionCause,
  signal: AbortSignal,
  options: {
    readonly focus?: string;
    readonly past?: SessionHistory;
    readonly begin?: (model: string) => void;
  } = {},
): Promise<Compacted> {
  const past = options.past ?? (await loadGivenHistory(parts.store, target.session.id));
  const window = parts.window(target.session);
  const full = fullness({ ...past, runtime: target.runtime, window });
  if (cause === "full" && (full === undefined || !isFull(full, parts.threshold))) return notDue;
  options.begin?.(past.turns.at(-1)?.turn.model ?? "");
  const tail = tailOf(cause, full?.window, parts.threshold);
  if (cause === "full" && full !== undefined) {
    const pruned = pruning(past, tail, full.used, (parts.threshold * full.window * 2) / 3);
    if (pruned !== undefined) {
      await parts.store.compactions.add(target.lease, { ...made(past, parts), upTo: pruned.upTo });
      return { done: prunedText(pruned) };
    }
  }
  return summarise(parts, target, past, { ...options, tail, window: full?.window, signal });
}

const notDue: Compacted = { notNeeded: "The conversation is not too long." };

/** What the person has just been saying stays, unless it alone would fill a fifth of what may be used. */
function tailOf(cause: CompactionCause, window: number | undefined, threshold: number): Tail {
  const messages = cause === "asked" ? 6 : 20;
  return {
    messages,
    characters: window === undefined ? 48_000 : Math.floor(window * threshold * 0.2 * tokenSize),
  };
}

const made = ({ newest }: SessionHistory, { clock }: Parts): Omit<NewCompaction, "upTo"> => ({
  seen: newest,
  pinned: [],
  at: clock.now(),
});

type Pruned = { readonly upTo: number; readonly results: number; readonly characters: number };

/** Leaving out large results, when that alone brings it under `enough` tokens. */
function pruning(past: SessionHistory, tail: Tail, used: number, enough: number): Pruned | undefined {
  const upTo = compactionBorder(past.turns, tail);
  if (upTo === undefined) return undefined;
  const from = Math.max(0, ...past.compactions.map((one) => one.upTo));
  const { results, characters } = largeResults(past.turns, from, upTo);
  const size = viewSize(past.view);
  if (characters === 0 || used * (1 - characters / size) > enough) return undefined;
  return { upTo, results, characters };
}

const prunedText = ({ results, characters }: Pruned): string =>
  `The conversation was shortened: ${results} old tool results (${characters} characters) are no longer given to the model. They are kept; /compress undo takes it back.`;

type Summary = {
  readonly tail: Tail;
  readonly window: number | undefined;
  readonly signal: AbortSignal;
  readonly focus?: string;
};

async function summarise(
  parts: Parts,
  { session, lease }: CompactTarget,
  past: SessionHistory,
  { tail, window, signal, focus }: Summary,
): Promise<Compacted> {
  const previous = past.compactions.findLast(({ summary }) => summary !== undefined);
  const upTo = compactionBorder(past.turns, tail, previous?.upTo);
  if (upTo === undefined) return { notNeeded: tooShort(past, previous) };
  const pinned = await parts.store.compactions.pins(session.id);
  const room = summaryRoom(window);
  const limit = window === undefined ? 200_000 : Math.floor(window * 0.6 * tokenSize);
  const wanted = { turns: past.turns, upTo, pinned, room, limit };
  const asked = summaryRequest({ ...wanted, ...(previous && { previous }), ...(focus && { focus }) });
  const answer = await parts.auxiliary({ task: "compression", session: session.id, ...asked }, signal);
  if ("unavailable" in answer) return { failed: answer.unavailable };
  const model = `${answer.provider}/${answer.model}`;
  const notes = readSummary(answer.text, room);
  if (notes === undefined) return { failed: `${model} did not answer with a summary.` };
  const summary = [notes, ...thingsToDo(await parts.store.todos.get(session.id))].join("\n\n");
  const next = { ...made(past, parts), upTo, summary, pinned, model };
  const compaction: NewCompaction = {
    ...next,
    ...(focus === undefined ? {} : { focus }),
    ...(previous === undefined ? {} : { previous: previous.id }),
  };
  const shorter = compactedHistory(past.turns, [...past.compactions, compaction]);
  if (viewSize(shorter) >= viewSize(past.view)) {
    return { notNeeded: "A summary would be as long as what it stands for. Nothing was changed." };
  }
  await parts.store.compactions.add(lease, compaction);
  const { messages, takenBack } = await parts.store.sessions.count(session.id, upTo);
  return {
    done: `The conversation was shortened: its first ${messages - takenBack} messages are given to the model as a summary of ${summary.length} characters by ${model}. They are all kept; /compress undo takes it back.`,
  };
}

/** The list is kept elsewhere, but the model has to know that there is one, and where it stands. */
const thingsToDo = (todos: readonly Todo[]): readonly string[] =>
  todos.length === 0 ? [] : [`The list of the todo tool:\n${todoLines(todos).join("\n")}`];

const tooShort = ({ messages }: SessionHistory, previous: StoredCompaction | undefined): string =>
  previous === undefined
    ? `There is nothing to shorten: of ${messages.length} messages, all are recent. Nothing was changed.`
    : "There is nothing new to shorten since the last time. Nothing was changed.";
