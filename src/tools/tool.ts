import type { z } from "zod";
import type { Ask, Inquire, Question, SideEffect } from "../core/asking.ts";
import type { SessionId, TurnId } from "../core/ids.ts";
import type { BegunCall, CallHead } from "../core/items.ts";
import type { Json } from "../core/json.ts";
import type { Audience, Principal } from "../core/principal.ts";
import type { Clock } from "../lib/clock.ts";

/** Something a turn may do. Definitions for every protocol derive from `schema`. */
export type Tool<Schema extends z.ZodObject = z.ZodObject> = {
  /** `[A-Za-z][A-Za-z0-9_-]{0,63}`: valid in every protocol. */
  readonly name: string;
  /** What it is switched on and off with: `web`, `browser`, `mcp-<server>`… */
  readonly toolset: string;
  readonly description: string;
  readonly schema: Schema;
  /** JSON Schema of its arguments as somebody else wrote it (an MCP server); then `schema` lets every object pass. */
  readonly parameters?: Json;
  /** Not shown to the model up front: it finds it by searching. */
  readonly deferred?: boolean;
  readonly effect: SideEffect;
  /** It needs no permission but leaves something behind: a call is recorded before it starts, like those that ask. */
  readonly lasting?: true;
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
  asks?(args: z.infer<Schema>, context: ToolContext): Promise<ApprovalRequest>;
  run(args: z.infer<Schema>, context: ToolContext): Promise<ToolResult>;
};

/**
 * `refused`: it will not be run, whoever allows it, and why. `run`: does exactly what was asked about, in place of the
 * tool's own `run`. `args`: what the answer is about, when that is wider than the arguments (all pages of a host): a
 * yes for the session or for always covers every call that gives the same. `lasting`: as a tool's own, for a call that
 * needs no permission.
 */
export type ApprovalRequest =
  | (Pick<Question, "effect" | "action" | "summary" | "reason" | "cwd"> & {
      readonly args?: Json;
      readonly lasting?: true;
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
  /** Names of deferred tools that the model was told about, and is to be given from now on. */
  readonly found?: readonly string[];
};

export const failed = (output: string): ToolResult => ({ ok: false, output });

export type ToolContext = {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly cwd: string;
  /** Who the turn is for. */
  readonly from: Principal;
  readonly audience: Audience;
  /** The attempt at a card that another program works on, and whose calls these are. */
  readonly task?: string;
  /** Files and folders in its working folder that are not for this turn, although they are for others. */
  readonly hidden?: readonly string[];
  /** Somebody is there, who could be asked. */
  readonly attended?: true;
  readonly signal: AbortSignal;
  readonly ask: Ask;
  readonly inquire: Inquire;
  readonly clock: Clock;
  /** Masks secrets. A text is cut only after it was masked, or half of a secret could stay in it. */
  readonly mask: (text: string) => string;
  /** Shows what it writes while it runs. For screens only: the result has all that matters. */
  readonly progress?: (text: string) => void;
  /** Epoch of the lease by which the turn may write its session. Without it no call is recorded: it is no turn of a session. */
  readonly epoch?: number;
  /** Records a call that nobody is asked about, before it starts. */
  readonly begin?: (call: BegunCall) => Promise<void>;
  /** This call. */
  readonly call?: BegunCall;
};

/** What a turn tells its tools; the rest comes with each call. */
export type TurnContext = Omit<ToolContext, "signal" | "mask">;

/** How a tool is described to a model, whatever the protocol. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Json;
  readonly interactive: boolean;
  readonly deferred: boolean;
};

/**
 * The tools of one turn, as a runtime sees them. `specs`: all that can be called, deferred ones included. `enabled`:
 * names of all that are switched on, also of those that cannot be used here now. `call` never throws. `progress` gets what the
 * tool writes while it runs, and nothing after its result. `head`: the item that the call will be; a call that leaves
 * something behind is recorded before it starts.
 */
export interface ToolBox {
  readonly specs: readonly ToolSpec[];
  readonly enabled: readonly string[];
  call(
    name: string,
    args: unknown,
    signal: AbortSignal,
    progress?: (text: string) => void,
    head?: CallHead,
  ): Promise<ToolResult>;
}
