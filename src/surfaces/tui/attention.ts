import type { Clock } from "../../lib/clock.ts";
import type { Terminal } from "./toolkit.ts";

/** Calls the person back to the terminal: by the bell, and by a title that is seen in a row of tabs. */
export interface Attention {
  /** `undefined`: nothing waits and nothing runs. */
  waiting(why: "question" | "done" | undefined): void;
  /** A turn runs. It is the same turn until it is `done`. */
  working(): void;
  /** Gives the title back. Nothing is written afterwards. */
  end(): void;
}

/** A shorter turn ends before the person looks away, so it rings no bell. */
const longTurnMs = 10_000;

export function attention({
  terminal,
  bell,
  name,
  clock,
}: {
  readonly terminal: Pick<Terminal, "write" | "setTitle">;
  readonly bell: () => boolean;
  /** Of the session; empty when it has none. */
  readonly name: () => string;
  readonly clock: Clock;
}): Attention {
  let since: number | undefined;
  let asking = false;
  let shown = "";
  let ended = false;
  const title = (text: string): void => {
    const called = titleOf(name());
    const next = called === "" ? text : `${text} – ${called}`;
    if (ended || next === shown) return;
    shown = next;
    terminal.setTitle(next);
  };
  const ring = (): void => {
    if (!ended && bell()) terminal.write("\u0007");
  };
  return {
    waiting(why) {
      if (why === "question") {
        title("● Talaria: a question waits");
        if (!asking) ring();
        asking = true;
        return;
      }
      const long = why === "done" && since !== undefined && clock.monotonic() - since > longTurnMs;
      asking = false;
      since = undefined;
      title(long ? "✓ Talaria: done" : "Talaria");
      if (long) ring();
    },
    working() {
      asking = false;
      since ??= clock.monotonic();
      title("Talaria: working");
    },
    end() {
      if (!ended) terminal.setTitle("");
      ended = true;
    },
  };
}

const longestTitle = 80;

/** A title ends where a control character stands, and what follows would be for the terminal. */
function titleOf(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const steering = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]+/g;
  const line = text.replaceAll(/\s+/g, " ").replaceAll(steering, "").trim();
  return Array.from(line).slice(0, longestTitle).join("");
}
