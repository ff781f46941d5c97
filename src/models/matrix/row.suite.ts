import type { RawReply } from "../../../test/fakes/raw-provider.ts";
import type { FaultCode } from "../../core/faults.ts";
import type { ConverseEvent } from "../converse.ts";
import type { Kit } from "./kit.suite.ts";

/** One thing a provider may do, and what has to come of it. */
export type Row = {
  readonly name: string;
  /** What the server does, request by request; the last reply is repeated. */
  readonly raw?: (kit: Kit) => readonly RawReply[];
  /** The same as replies of the demo model's script. */
  readonly demo?: readonly (readonly object[])[];
  readonly want: Want;
  /** Where the route leads instead of the server. */
  readonly address?: (url: string) => string;
  readonly fetch?: typeof fetch;
  /** The request carries sealed reasoning. */
  readonly sealed?: true;
  /** Time that passes whenever a delta was heard. */
  readonly perDeltaMs?: number;
  /** Where the person presses Stop. */
  readonly stopAt?: (event: ConverseEvent) => boolean;
};

export type Want = {
  readonly end: "completed" | "aborted" | FaultCode;
  /** In the fault's message. */
  readonly says?: RegExp;
  /** In the fault's next step. */
  readonly next?: RegExp;
  /** In what is said about an answer that counts although it was ended early. */
  readonly early?: RegExp;
  /** What the person has read of this answer. */
  readonly text?: string;
  /** Requests for this answer; 1 unless said. */
  readonly requests?: number;
  /** How long was waited by the clock; nothing unless said. */
  readonly waits?: readonly [leastMs: number, mostMs: number];
  /** Calls that ran, as name and arguments. */
  readonly ran?: readonly string[];
  /** What the model was told instead of a result. */
  readonly told?: RegExp;
  readonly notice?: string;
  /** Whether requests have the same idempotency key as the one before, from the second on. */
  readonly sameKey?: readonly boolean[];
  /** Whether the last request asked for no stream. */
  readonly whole?: true;
};

export const fine: Want = { end: "completed", text: "ok" };
