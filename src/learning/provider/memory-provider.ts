import type { SessionId, TurnId } from "../../core/ids.ts";

/** Whose conversation it is about. */
export type ProviderSession = { readonly session: SessionId; readonly cwd: string };

/** A good turn, in the words of both sides. */
export type ProviderTurn = ProviderSession & {
  readonly turn: TurnId;
  readonly user: string;
  readonly assistant: string;
};

/** A memory service that somebody else runs. Both methods reject when it cannot be reached. */
export interface MemoryProvider {
  /** For people. */
  readonly name: string;
  /** What it knows about this; empty: nothing. */
  prefetch(query: string, of: ProviderSession, signal: AbortSignal): Promise<string>;
  /** Tells it about a turn; it may come twice. */
  sync(turn: ProviderTurn, signal: AbortSignal): Promise<void>;
}

/** Why it could not be asked or told. `again`: it may be able to, later. */
export class ProviderError extends Error {
  readonly again: boolean;
  constructor(message: string, again: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = "ProviderError";
    this.again = again;
  }
}

/** How people call it: without a login that may stand in its address. */
export function providerName(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "at an invalid address";
  }
}
