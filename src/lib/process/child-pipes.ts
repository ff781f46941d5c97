import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../clock.ts";

const queueBytes = 4 * 1024 * 1024;

export type ChildInput = {
  /**
   * Resolves when the pipe has taken the text, rejects with `ChildInputError`. Texts keep their order. More than 4 MiB
   * are not queued, but a single text may be larger.
   */
  write(text: string): Promise<void>;
  /** The child reads what was written, then the end. False: it was closed before. */
  closeInput(): boolean;
};

/** `full`: the child does not read. `closed`: it has closed its input or ended, or we closed it. */
export class ChildInputError extends Error {
  readonly reason: "full" | "closed";
  constructor(reason: "full" | "closed", cause?: unknown) {
    super(
      reason === "full"
        ? `The process does not read its input: ${queueBytes / 1024 / 1024} MiB wait to be written already. Wait until it reads again, or restart it.`
        : "The process does not take input any more: it has ended or closed its input. Start it anew.",
      { cause },
    );
    this.name = "ChildInputError";
    this.reason = reason;
  }
}

export function childInput(stdin: Writable): ChildInput {
  stdin.on("error", () => {}); // a broken pipe is told by `write`
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (!stdin.writable) return reject(new ChildInputError("closed"));
        const waiting = stdin.writableLength;
        if (waiting > 0 && waiting + Buffer.byteLength(text) > queueBytes)
          return reject(new ChildInputError("full"));
        stdin.write(text, (error) => (error ? reject(new ChildInputError("closed", error)) : resolve()));
      }),
    closeInput() {
      const open = stdin.writable;
      stdin.end();
      return open;
    },
  };
}

const quietMs = 200;
/** More than the kernel holds for a pipe: what comes after it was not written by the process that ended. */
const leftInPipe = 1024 * 1024;

/** The chunks of an output of a child. Ends also where `endAfterExit` cut it. */
export async function* chunksOf(pipe: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* pipe as AsyncIterable<Uint8Array>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/**
 * Call when the child has ended. Its outputs end with it, unless a descendant that got away holds them open: then all
 * that the child wrote is read, and the pipe is closed as soon as nothing more comes.
 */
export async function endAfterExit(pipe: Readable, clock: Clock): Promise<void> {
  const closed = new AbortController();
  pipe.once("close", () => closed.abort());
  const atExit = bytesRead(pipe);
  for (let before = atExit; !pipe.destroyed; before = bytesRead(pipe)) {
    await clock.sleep(quietMs, closed.signal).catch(() => {});
    await new Promise((resolve) => setImmediate(resolve)); // lets what has arrived be read, if we were busy
    const quiet = pipe.readableLength === 0 && bytesRead(pipe) === before;
    if (quiet || bytesRead(pipe) - atExit > leftInPipe) pipe.destroy();
  }
}

/** Pipes of children are sockets. */
const bytesRead = (pipe: Readable): number => (pipe as Socket).bytesRead;
