import type { Pressed } from "./keys.ts";

/** A part of rows that are too many to be shown at once. */
export type ScrollWindow = {
  /** The rows to show, at most so many. */
  part(rows: readonly string[], height: number): readonly string[];
  /** Was that all of them? */
  readonly long: boolean;
  /** Is the last row among them? */
  readonly atEnd: boolean;
  /** `lines 12–30 of 214` */
  readonly position: string;
  /** Moves, if it is such a key. */
  scroll(key: Pressed): boolean;
  /** Back to the first row, for other rows. */
  reset(): void;
};

export function scrollWindow(): ScrollWindow {
  let top = 0;
  let height = 1;
  let total = 0;
  return {
    part(rows, most) {
      total = rows.length;
      height = Math.max(1, Math.min(most, total));
      top = Math.max(0, Math.min(top, total - height));
      return rows.slice(top, top + height);
    },
    get long() {
      return total > height;
    },
    get atEnd() {
      return top + height >= total;
    },
    get position() {
      return `lines ${top + 1}–${top + height} of ${total}`;
    },
    scroll(key) {
      const move = key.kind === "key" ? moves[key.name] : undefined;
      if (move === undefined) return false;
      top = Math.max(0, Math.min(top + move(height), total - height));
      return true;
    },
    reset: () => void (top = 0),
  };
}

/** A page repeats one row of the previous one, so that the reader keeps their place. */
const page = (height: number): number => Math.max(1, height - 1);
const half = (height: number): number => Math.max(1, Math.floor(height / 2));

const moves: Readonly<Record<string, (height: number) => number>> = {
  up: () => -1,
  down: () => 1,
  pageUp: (height) => -page(height),
  pageDown: page,
  "ctrl+u": (height) => -half(height),
  "ctrl+d": half,
};
