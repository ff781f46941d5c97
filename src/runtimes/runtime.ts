import type { Ask, Inquire, Question } from "../core/asking.ts";
import type { EndedEvent, Running, TurnEvent, Usage } from "../core/events.ts";
import type { Fault } from "../core/faults.ts";
import type { ItemId, SessionId, TurnId } from "../core/ids.ts";
import type { BegunCall, Item } from "../core/items.ts";
import type { Json } from "../core/json.ts";
import type { InputPart, Message } from "../core/messages.ts";
import type { StoredTurn } from "../core/session.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProcessRegistry } from "../lib/process/child.ts";
import type { ToolBox } from "../tools/tool.ts";

/** One input and all that a runtime needs to work on it. Optional fields are set only if somebody chose them. */
export type Turn = {
  readonly id: TurnId;
  readonly session: SessionId;
  readonly cwd: string;
  /** What was said before. It is read when it is first asked for: who keeps the conversation itself mostly need not. */
  readonly past: () => Promise<Past>;
  /** The same as a model is given it, where that takes less than to read all of it: after a summary, what is behind it. */
  readonly given?: () => Promise<readonly Message[]>;
  /** What was kept with the turn before this one, where that is known without reading the past. */
  readonly previous?: Pick<StoredTurn, "side">;
  readonly input: readonly InputPart[];
  /**
   * What another runtime had finished of this very turn when it had to stop: messages that follow the input and end with
   * the result of a call. Set only for a runtime that takes a turn over.
   */
  readonly doneElsewhere?: readonly Message[];
  /** Persona, memory and skills: the same for the whole session. */
  readonly instructions: string;
  /** What the project asks of helpers (AGENTS.md); empty when it asks nothing, or is to be left out. */
  readonly project: string;
  /** What changed since the session's instructions were made. */
  readonly context: readonly string[];
  readonly model?: string;
  readonly effort?: string;
  readonly sandbox?: string;
  /** Nobody is there who could allow anything. */
  readonly unattended?: true;
  /** JSON Schema that the final text must follow. */
  readonly outputSchema?: Json;
};

export type Past = {
  /** Everything before a turn, roles strictly alternating. */
  readonly history: readonly Message[];
  /** The same in fewer words, when it was shortened: what a model is to be given that does not know it yet. */
  readonly view?: readonly Message[];
  /** The turns that it is of. `from`: where in `history` each begins. */
  readonly turns?: readonly (Pick<StoredTurn, "side"> & { readonly from: number })[];
};

export type Ports = {
  readonly signal: AbortSignal;
  readonly ask: Ask;
  readonly inquire: Inquire;
  readonly tools: ToolBox;
  readonly binding: Binding;
  readonly processes: ProcessRegistry;
  readonly clock: Clock;
  /** The lease epoch of the turn's writes. Unset: it is no turn of a session, and its calls are not recorded. */
  readonly epoch?: number;
  /** Keeps a call that the runtime itself runs and has begun, so that a crash cannot hide it. */
  readonly begin?: (call: BegunCall) => Promise<void>;
  /** The turn's history in fewer words, when the model cannot read all of it. `undefined`: it cannot be had. */
  readonly compact?: () => Promise<readonly Message[] | undefined>;
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

/** A turn that has begun, as far as the runtime has said so. */
export type BegunTurn = Turn & Pick<StoredTurn, "side">;

/** A turn that a crash left open, with the items that were committed. `begun`: calls that are noted and became none. */
export type OpenTurn = BegunTurn & { readonly items: readonly Item[]; readonly begun?: readonly ItemId[] };

/** What it says is for the person. `spent`: which model was asked, and what it used as far as that is known. */
export type CompactionResult = ({ readonly done: string } | { readonly notNeeded: string } | Fault) & {
  readonly spent?: { readonly model: string; readonly usage?: Usage };
};

/** What a runtime did in a session beside its turns, and nobody asked for. It is over. */
export type UnaskedWork = {
  readonly session: SessionId;
  readonly cwd: string;
  /** What it was, in plain words: the input of the turn that it becomes. */
  readonly text: string;
  readonly model: string;
  readonly items: readonly Item[];
  /** What it asked to be allowed, and was refused. */
  readonly refused: readonly Question[];
  readonly ended: EndedEvent;
};

/** What is known of a turn that is being made ready. */
export type ExpectedTurn = Pick<Turn, "model">;

/**
 * Who runs a turn. Iterating `run` never throws: trouble is an `ended` event. The first event is `started`, the last
 * is `ended`, and there is exactly one of each. Once `signal` aborts, the turn ends as `interrupted` within 5 s.
 */
export interface Runtime extends AsyncDisposable {
  readonly name: string;
  /**
   * A turn is being made ready: slow things (a process) can start now. Resolves when they have been started, never rejects:
   * failures are reported by `run`.
   */
  expect?(turn: ExpectedTurn, signal: AbortSignal): Promise<void>;
  /** An input for this session is being written down: what its turn has to ask first can be asked now, and nothing be done. */
  onInput?(session: SessionId): void;
  run(turn: Turn, ports: Ports): AsyncIterable<TurnEvent>;
  /** `name`: identifies the input in `arrivedInputs`. */
  steer(turn: TurnId, input: readonly InputPart[], name?: string): Promise<Steered>;
  /** The rest of this turn runs on another runtime. All of it will be in the history of the next turn. */
  leave?(turn: BegunTurn, ports: Ports): Promise<void>;
  /** Another process wants the session, of which no turn runs here: lets go of what it keeps of it between turns. */
  release?(session: SessionId): Promise<void>;
  /**
   * Shortens what it keeps of this session itself. A runtime with this one decides by itself when that is due, and is
   * not given less history. `turn` has no input.
   */
  compact?(turn: Turn, ports: Ports): Promise<CompactionResult>;
  /**
   * Runs an input beside the conversation, on all that this runtime knows of it: nothing of it is kept, neither here nor
   * in the runtime, and nothing on the machine can be changed by it but through `ports.tools`. Never throws, as `run`.
   */
  sideTurn?(turn: Turn, ports: Ports): AsyncIterable<TurnEvent>;
  /** What really happened in a turn that our own death left open: missed items, and `ended` if it is known. */
  recover(turn: OpenTurn, ports: Ports): Promise<readonly TurnEvent[]>;
  /** `take` is given whatever happens in a session without a turn of ours. Called once. */
  onUnasked?(take: (work: UnaskedWork) => void): void;
  /** Work of `onUnasked` is a row now: the side on which it happened need not be told of it. */
  markKnown?(binding: Binding, side: Json, before: Past, after: Past): Promise<void>;
  /** Resolves when `take` has been given everything that is still on its way. Called at shutdown, when no turn runs. Never rejects. */
  flushUnasked?(): Promise<void>;
  /** What turns of this session have left running in this process. */
  running?(session: SessionId): readonly Running[];
  /** Ends it, or the one with this id. Resolves with what was ended. Never rejects. */
  endRunning?(session: SessionId, id?: string): Promise<readonly Running[]>;
  /** Names of steered inputs that have certainly reached such a turn. */
  arrivedInputs?(turn: OpenTurn, ports: Ports): Promise<ReadonlySet<string>>;
}

/** What was said before, as a model is given it that does not know it yet. */
export async function givenTo({ given, past }: Pick<Turn, "given" | "past">): Promise<readonly Message[]> {
  if (given !== undefined) return given();
  const { history, view = history } = await past();
  return view;
}

/** Tool calls in one turn, on whatever runtime. */
export const mostCalls = 100;

/** What the project asks of helpers, as every runtime tells it; empty when it asks nothing. */
export const projectText = (project: string): string =>
  project === "" ? "" : `The project says how to work in it:\n\n${project}`;
