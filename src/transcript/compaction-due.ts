import type { StoredCompaction } from "../core/compaction.ts";
import type { Message } from "../core/messages.ts";
import type { StoredTurn } from "../core/session.ts";
import { tokenSize } from "./compaction-prompt.ts";
import { type NumberedTurn, messageSize } from "./numbered-turn.ts";

export type Fullness = { readonly used: number; readonly window: number };

/** `window`: what the model can read, as far as the settings know. */
export type Measuring = {
  readonly turns: readonly (NumberedTurn & { readonly turn: StoredTurn })[];
  readonly compactions: readonly Pick<StoredCompaction, "seen">[];
  readonly runtime: string;
  readonly window: number | undefined;
  readonly view: readonly Message[];
};

/**
 * How full the model's context was after the last turn that measured it on this runtime, since the last compaction.
 * Turns of another runtime measured something else: then it is guessed from the size of the view. `undefined`: nobody
 * knows how much the model can read.
 */
export function fullness({ turns, compactions, runtime, window, view }: Measuring): Fullness | undefined {
  const seen = compactions.at(-1)?.seen ?? Number.NEGATIVE_INFINITY;
  const last = turns.findLast(({ turn }) => turn.usage !== undefined);
  const isFresh = last?.rows.some(({ seq }) => seq > seen) === true;
  const measured = isFresh && last.turn.runtime === runtime ? last.turn.usage?.context : undefined;
  const size = window ?? measured?.window;
  if (size === undefined) return undefined;
  return { used: measured?.used ?? Math.ceil(viewSize(view) / tokenSize), window: size };
}

export const isFull = ({ used, window }: Fullness, threshold: number): boolean => used >= threshold * window;

/** In characters. */
export const viewSize = (view: readonly Message[]): number =>
  view.reduce((sum, message) => sum + messageSize(message), 0);
