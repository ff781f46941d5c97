import type { StoreWork } from "../codex/side.ts";

/**
 * What is compared: the least that reads an answer, the same with the disk waited for, Talaria with everything it keeps,
 * the stream helper of the `openai` package and a public agent toolkit. Each runs in a process of its own against the
 * same scripted model.
 */
export type SideName = "plain" | "durable" | "talaria" | "openai" | "toolkit";

export interface Side extends AsyncDisposable {
  /** Leaves the conversation behind and begins another one. */
  open(): void;
  /** One turn of the conversation, to its end and to the end of what is done afterwards. */
  turn(): Promise<TurnTimes>;
}

/** Milliseconds since the input was handed over. */
export type TurnTimes = {
  readonly marks: Marks;
  /** Until nothing was left to do. */
  readonly afterMs: number;
  /** Processor time of the side's own process. */
  readonly cpuMs?: number;
  /** The whole answer has come. */
  readonly done: boolean;
  readonly store?: StoreWork;
};

/** When each thing happened first, in the order in which they do. */
export type Marks = Readonly<Partial<Record<Mark, number>>>;
export type Mark = (typeof markNames)[number];
export const markNames = ["admitted", "started", "request", "headers", "first", "text", "ended"] as const;

/** What a side needs to know. Everything that it is told about the model is what Talaria tells it. */
export type SideOptions = {
  readonly name: SideName;
  readonly modelUrl: string;
  /** HOME. */
  readonly folder: string;
  /** Where all of them work, so that they say the same of it. */
  readonly cwd: string;
  /** The body of a request of Talaria's. */
  readonly body: RequestBody;
  /** Where packages of others are installed. */
  readonly packages: string;
};

export type RequestBody = {
  readonly model?: string;
  readonly instructions?: string;
  readonly tools?: readonly ToolSpec[];
  readonly [field: string]: unknown;
};

type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
};

/** What the person says in every turn, and what the model answers. */
export const said = "go on";
export const answer =
  "Understood, and done as you said. There is nothing else that wants your attention now.";
