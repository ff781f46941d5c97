import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Clock } from "./clock.ts";

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
