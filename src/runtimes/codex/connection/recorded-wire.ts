import type { Json } from "../../../core/json.ts";
import type { Gone } from "../process/gone.ts";
import type { Wire } from "../process/process-wire.ts";

/** Sees every frame: `c>s` and `s>c` with the message, `exit` with the `Gone`, `note` with a line that is no message. */
export type Recorder = {
  (dir: "c>s" | "s>c" | "exit" | "note", msg: Json): void;
  /** False: nobody looks just now, so frames need not be read for it. */
  readonly isWanted?: () => boolean;
};

/** The same wire, with every line shown to the recorder. A recorder that fails does not change what happens. */
export function recordedWire(
  wire: Wire,
  record: Recorder | undefined,
): Wire & { readonly recordEnd: (exit: Gone) => void } {
  if (record === undefined) return { ...wire, recordEnd: () => {} };
  const keep: Recorder = (dir, msg) => {
    try {
      record(dir, msg);
    } catch {
      // it is an aid for diagnosis, no part of the conversation
    }
  };
  const keepLine = (dir: "c>s" | "s>c", line: string): void => {
    if (record.isWanted?.() === false) return;
    const message = parsed(line);
    if (message === undefined) return keep("note", { line: line.slice(0, sampleLength) });
    keep(dir, message);
  };
  return {
    ...wire,
    lines: tapped(wire.lines, (line) => keepLine("s>c", line)),
    write(line) {
      keepLine("c>s", line);
      return wire.write(line);
    },
    recordEnd: (exit) => keep("exit", exit),
  };
}

const sampleLength = 1024;

async function* tapped(
  lines: AsyncIterable<string>,
  see: (line: string) => void,
): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) {
    see(line);
    yield line;
  }
}

function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}
