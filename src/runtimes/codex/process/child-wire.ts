import { stripVTControlCharacters } from "node:util";
import type { Child } from "../../../lib/child.ts";
import { ChildInputError } from "../../../lib/child-pipes.ts";
import type { Clock } from "../../../lib/clock.ts";
import { lines } from "../../../lib/jsonl.ts";
import { nobodyWaits } from "../../../lib/nobody-waits.ts";
import { processTree } from "../../../lib/process-tree.ts";
import { redactor } from "../../../lib/redact.ts";
import type { Wire } from "./process-wire.ts";

const takenMs = 10_000;
const exitMs = 1_000;

/** A connection's end of a child. `secrets` are not shown in what it wrote to stderr. */
export function childWire(child: Child, clock: Clock, secrets: readonly string[]): Wire {
  const redact = redactor(secrets);
  const shown = (stderr: string): string => redact(stripVTControlCharacters(stderr));
  return {
    lines: lines(child.stdout),
    async write(line) {
      try {
        await within(child.write(line), takenMs, clock);
      } catch (error) {
        const ended = error instanceof ChildInputError && error.reason === "closed";
        if (!ended) throw error;
        await within(child.exited, exitMs, clock); // then the exit tells more
      }
    },
    exited: child.exited.then(({ code, signal, stderrTail }) => ({
      code,
      signal,
      stderrTail: shown(stderrTail),
    })),
    stderrTail: () => shown(child.stderrTail()),
    async kill() {
      const tree = processTree(child);
      tree.look();
      tree.signal("SIGKILL");
      await child.kill().catch(() => {}); // the registry failed; the next start sweeps
    },
  };
}

async function within<T>(event: Promise<T>, ms: number, clock: Clock): Promise<T> {
  const settled = new AbortController();
  const late = clock.sleep(ms, settled.signal, { hold: true }).then(() => {
    throw new Error(`Nothing happened within ${ms} ms.`);
  });
  late.catch(() => {}); // it came in time
  return Promise.race([event, late]).finally(() => settled.abort(nobodyWaits));
}
