import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { redactStream } from "../../lib/redact/redact-stream.ts";
import type { Redactor } from "../../lib/redact/redact.ts";
import { cutEnd } from "../cut-middle.ts";

const intervalMs = 50;
/** Nobody reads more of it while it runs. */
export const mostShown = 256 * 1024;
const rest = "\n[more came; from here on it is only in the result, which leaves out its middle]\n";

export type LiveOutput = {
  add(text: string): void;
  /** Tells what was held back. Afterwards nothing is told any more. */
  end(): void;
};

/**
 * What a tool writes while it runs, for screens: secrets masked, a few times a second, and not endlessly. It is no part
 * of the result, so nothing that goes wrong here reaches the tool.
 */
export function liveOutput(tell: (text: string) => void, redact: Redactor, clock: Clock): LiveOutput {
  const masked = redactStream(redact);
  const over = new AbortController();
  let fresh = "";
  let taken = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  let waits = false;

  const flush = (last = (): string => ""): void => {
    lastMs = clock.monotonic();
    try {
      const shown = masked.add(fresh) + last();
      fresh = "";
      if (shown !== "") tell(shown);
    } catch {
      over.abort(noLongerNeeded); // who cannot be told is not told more
    }
  };
  const flushSoon = async (): Promise<void> => {
    if (waits) return;
    waits = true;
    const dueMs = lastMs + intervalMs - clock.monotonic();
    if (dueMs > 0) await clock.sleep(dueMs, over.signal).catch(() => {});
    waits = false;
    if (!over.signal.aborted) flush();
  };
  return {
    add(text) {
      if (over.signal.aborted) return;
      fresh += cutEnd(text, mostShown - taken);
      taken += text.length;
      if (taken <= mostShown) return void flushSoon();
      // What is held back then may be the first half of a secret.
      flush(() => rest);
      over.abort(noLongerNeeded);
    },
    end() {
      if (over.signal.aborted) return;
      flush(masked.end);
      over.abort(noLongerNeeded);
    },
  };
}
