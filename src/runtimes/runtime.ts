import type { Ask, Inquire } from "../core/asking.ts";
import type { TurnEvent } from "../core/events.ts";
import type { SessionId, TurnId } from "../core/ids.ts";
import type { Item } from "../core/items.ts";
import type { Json } from "../core/json.ts";
import type { InputPart, Message } from "../core/messages.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProcessRegistry } from "../lib/child.ts";
import type { ToolBox } from "../tools/tool.ts";

/** One input and all that a runtime needs to work on it. Optional fields are set only if somebody chose them. */
export type Turn = {
  readonly id: TurnId;
  readonly session: SessionId;
  readonly cwd: string;
  /** Everything before this turn, roles strictly alternating. */
  readonly history: readonly Message[];
  readonly input: readonly InputPart[];
  /** Persona, memory and skills: the same for the whole session. */
  readonly instructions: string;
  /** What the project asks of helpers (AGENTS.md). A runtime that reads the file itself leaves it out. */
  readonly project: string;
  /** What changed since the session's instructions were made. */
  readonly context: readonly string[];
  readonly model?: string;
  readonly effort?: string;
  readonly sandbox?: string;
  /** JSON Schema that the final text must follow. */
  readonly outputSchema?: Json;
};

export type Ports = {
  readonly signal: AbortSignal;
  readonly ask: Ask;
  readonly inquire: Inquire;
  readonly tools: ToolBox;
  readonly binding: Binding;
  readonly processes: ProcessRegistry;
  readonly clock: Clock;
  /** Receives every frame of the turn, for a recording. */
  readonly record?: RecordFrame;
};

/** `dir` is `c>s`, `s>c`, `exit` or `note`. */
export type RecordFrame = (frame: { readonly dir: string; readonly msg: Json }) => void;

/** The runtime's own side of this session and cwd (a codex thread id). */
export type Binding = {
  load(): Promise<Json | undefined>;
  save(value: Json | undefined): Promise<void>;
};

/** taken: the running turn has it · refused: it does not, the caller may queue it · indeterminate: nobody can say */
export type Steered = "taken" | "refused" | "indeterminate";

/** A turn that a crash left open, with the items that were committed. */
export type OpenTurn = Turn & {
  readonly items: readonly Item[];
  readonly thread?: string;
  readonly codexTurn?: string;
};

/**
 * Who runs a turn. Iterating `run` never throws: trouble is an `ended` event. The first event is `started`, the last
 * is `ended`, and there is exactly one of each. Once `signal` aborts, the turn ends as `interrupted` within 5 s.
 */
export interface Runtime extends AsyncDisposable {
  readonly name: string;
  run(turn: Turn, ports: Ports): AsyncIterable<TurnEvent>;
  steer(turn: TurnId, input: readonly InputPart[]): Promise<Steered>;
  /** What really happened in a turn that our own death left open: missed items, and `ended` if it is known. */
  recover(turn: OpenTurn, ports: Ports): Promise<readonly TurnEvent[]>;
}
