import type { Writable } from "node:stream";

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
