import type { z } from "zod";
import type { Ask, Inquire, Question, SideEffect } from "../core/asking.ts";
import type { SessionId, TurnId } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import type { Clock } from "../lib/clock.ts";

/** Something a turn may do. Definitions for every protocol derive from `schema`. */
export type Tool<Schema extends z.ZodObject = z.ZodObject> = {
  /** `[a-z][a-z0-9_]{0,63}`: valid in every protocol. */
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly effect: SideEffect;
  readonly timeoutMs: number;
  /** Longer output is cut in the middle, and says so. */
  readonly maxOutputChars: number;
  /** An interactive tool waits for the person and runs alone. */
  readonly interactive?: boolean;
  /** Calls of such tools wait for each other, question included: one may build on what the one before it did. */
  readonly inOrder?: boolean;
  /** Why it cannot be used here, or `undefined` when it can. */
  readonly unavailable?: () => string | undefined;
  /** What the policy and the person need to know of a call; without it they see its arguments and `effect`. */
  asks?(args: z.infer<Schema>, context: ToolContext): Promise<AskedOf>;
  run(args: z.infer<Schema>, context: ToolContext): Promise<ToolResult>;
};

/**
 * `refused`: it will not be run, whoever allows it, and why. `run`: does exactly what was asked about, in place of the
 * tool's own `run`.
 */
export type AskedOf =
  | (Pick<Question, "effect" | "action" | "summary" | "reason" | "cwd"> & {
      readonly run?: (context: ToolContext) => Promise<ToolResult>;
    })
  | { readonly refused: string };

/** `ok: false` is an answer for the model, not an exception. */
export type ToolResult = {
  readonly ok: boolean;
  readonly output: string;
  /** Of a program that was run to its end. */
  readonly exitCode?: number;
  readonly diff?: string;
};

export type ToolContext = {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly ask: Ask;
  readonly inquire: Inquire;
  readonly clock: Clock;
  /** Shows what it writes while it runs. For screens only: the result has all that matters. */
  readonly progress?: (text: string) => void;
};

/** How a tool is described to a model, whatever the protocol. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Json;
  readonly interactive: boolean;
};

/**
 * The tools of one turn, as a runtime sees them. `call` never throws. `progress` is told what the tool writes while it
 * runs, and nothing after its result.
 */
export interface ToolBox {
  readonly specs: readonly ToolSpec[];
  call(
    name: string,
    args: unknown,
    signal: AbortSignal,
    progress?: (text: string) => void,
  ): Promise<ToolResult>;
}
