/** How an app-server ended, or why it is of no use any more. */
export type Gone = {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last it wrote to stderr, without colours and secrets. */
  readonly stderrTail: string;
  /**
   * exit: the process ended · line-too-long, garbage: what it wrote cannot be a conversation · write-stuck: it does not
   * read · closed: by us. Except after `exit` the process may still be ending.
   */
  readonly reason: "exit" | "line-too-long" | "garbage" | "write-stuck" | "closed";
};

/** No answer will come any more. `starting`: none has ever come. */
export class AppServerGone extends Error {
  readonly gone: Gone;
  readonly starting: boolean;
  constructor(gone: Gone, { starting }: { readonly starting: boolean }) {
    super(goneWords(gone));
    this.name = "AppServerGone";
    this.gone = gone;
    this.starting = starting;
  }
}

export class RequestTimedOut extends Error {
  readonly method: string;
  readonly timeoutMs: number;
  constructor(method: string, timeoutMs: number) {
    super(
      `codex did not answer ${method} within ${timeoutMs / 1000} seconds. It may be busy or stuck; try again.`,
    );
    this.name = "RequestTimedOut";
    this.method = method;
    this.timeoutMs = timeoutMs;
  }
}

/** One sentence, and codex's own last words if there are any. */
export function goneWords(gone: Gone): string {
  const words = lastWords(gone.stderrTail);
  return words === "" ? goneReason(gone) : `${goneReason(gone)} Its last words: ${words}`;
}

function goneReason({ reason, code, signal }: Gone): string {
  switch (reason) {
    case "exit":
      return signal === null
        ? `The codex app-server ended with exit code ${code ?? "unknown"}.`
        : `The codex app-server was ended by ${signal}.`;
    case "line-too-long":
      return "The codex app-server sent a message that is too large, so it was stopped.";
    case "garbage":
      return "The codex app-server wrote many lines that are no messages, so it was stopped.";
    case "write-stuck":
      return "The codex app-server does not accept input any more, so it was stopped.";
    case "closed":
      return "The codex app-server was closed.";
  }
}

const shownLines = 12;
const shownCharacters = 2_000;

const lastWords = (tail: string): string =>
  tail
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .slice(-shownLines)
    .join("\n")
    .slice(-shownCharacters);
