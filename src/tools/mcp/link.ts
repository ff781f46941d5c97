import type { Transport } from "@modelcontextprotocol/client";
import type { ProcessRegistry } from "../../lib/process/child.ts";
import type { Clock } from "../../lib/clock.ts";

/** The way to a server. Disposing ends the program or the session, and whatever belongs to it. */
export type Link = {
  [Symbol.asyncDispose](): Promise<void>;
  readonly transport: Transport;
  /** What is known of its end, or of what goes wrong: a piece of a sentence, empty when there is nothing. */
  failureDetail(): string;
};

/** What every server needs of the world. */
export type LinkDeps = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where programs run whose settings name no folder. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly processes: ProcessRegistry;
  /** Marks the programs and all that they start. */
  readonly childVariable: string;
  readonly redact: (text: string) => string;
};

/** No message of a server may be longer. */
export const maxMessageBytes = 10 * 1024 * 1024;
