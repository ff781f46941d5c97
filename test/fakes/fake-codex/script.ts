import { parseAction } from "./fault-kinds.ts";
import type { Fault } from "./fault-kinds.ts";
import {
  any,
  boolean,
  count,
  either,
  integer,
  list,
  object,
  oneOf,
  record,
  regex,
  ShapeError,
  string,
  tagged,
  yes,
} from "./shape.ts";
import type { Shape } from "./shape.ts";

/**
 * What the fake does. A turn that the client starts takes the first unused turn of the script whose `expect` fits the
 * words of the user (none fits all). Turns are used up for a CODEX_HOME, not for a process: after a restart the next
 * one is played. The same rule holds for words that steer a running turn; if nothing fits them, the turn goes on.
 */
export type FakeScript = {
  /** What `--version` says. An old one does without what it had not learned: src/runtimes/codex/version.ts. */
  readonly version: string;
  /** Makes ids and garbage repeatable. */
  readonly seed: number;
  /** Threads that are there before the first process starts, each with finished turns. */
  readonly threads: readonly SeedThread[];
  readonly turns: readonly ScriptTurn[];
  /** For a turn that the script does not foresee. Without it such a turn fails, and counts as a violation. */
  readonly otherwise?: readonly Step[];
  readonly faults: readonly Fault[];
  /** The answer of `account/read`. Default: no account, and none needed. */
  readonly account?: { readonly account: unknown; readonly requiresOpenaiAuth: boolean };
  /** What `model/list` offers. */
  readonly models: readonly string[];
  /** What a codex configuration would set: `model`, `model_provider`, `sandbox_mode`, `approval_policy`. `-c` wins. */
  readonly config: Readonly<Record<string, string>>;
  /** Where to log and where the schema is, if the environment does not say; relative to the script. */
  readonly log?: string;
  readonly schema?: string;
};

export type SeedThread = {
  readonly id: string;
  readonly cwd?: string;
  readonly turns: readonly { readonly user: string; readonly agent: string }[];
};

export type ScriptTurn = { readonly expect?: string; readonly emit: readonly Step[] };

/** One thing that happens in a turn. Tool-like steps end a model response, which brings a token usage. */
export type Step =
  /** `hang`: streams its text and then nothing, so the message never completes. */
  | { readonly agent: string; readonly phase?: "commentary" | "final_answer"; readonly hang?: true }
  /** Summaries, one or many; `raw` is the model's own words. */
  | { readonly reasoning: string | readonly string[]; readonly raw?: string }
  | { readonly exec: Exec }
  | { readonly patch: Patch }
  /** `namespace` none or null: a tool without one. */
  | {
      readonly dynamicTool: {
        readonly namespace?: string | null;
        readonly tool: string;
        readonly args?: unknown;
      };
    }
  | { readonly mcp: McpCall }
  /** An MCP tool that asks the user something. `url` makes it a page to visit instead of a form. */
  | {
      readonly elicit: {
        readonly server: string;
        readonly tool: string;
        readonly message: string;
        readonly schema?: object;
        readonly url?: string;
      };
    }
  | { readonly permissions: { readonly permissions: object; readonly reason?: string } }
  | { readonly userInput: { readonly questions: readonly object[]; readonly isBlocking?: boolean } }
  /** Calls that the model makes at once. */
  | { readonly parallel: readonly Step[] }
  /** The numbers of the response that ends here, in place of the usual ones. */
  | { readonly usage: Readonly<Record<string, number>> }
  /** Any notification; `threadId` and `turnId` are filled in if left out. */
  | { readonly notify: { readonly method: string; readonly params?: object } }
  | { readonly sleep: number }
  /** Nothing more happens until somebody interrupts or steers. */
  | { readonly silence: true }
  | { readonly fail: Failure }
  /** An item of a type that nobody knows. */
  | { readonly unknownItem: { readonly type: string } & Readonly<Record<string, unknown>> };

export type Exec = {
  readonly cmd: string;
  readonly cwd?: string;
  readonly output?: string;
  readonly exitCode?: number;
  /** Ask first. */
  readonly approve?: boolean;
  /** The reason the model gives for leaving the sandbox. Asks, too. */
  readonly escalate?: string;
  /** Also send the output as deltas. */
  readonly stream?: boolean;
  /** Never ends by itself: the turn waits until it is interrupted, and the command outlives it. */
  readonly running?: boolean;
  /** Goes on while the turn goes on, and ends when the client cleans up. */
  readonly background?: boolean;
};

export type Patch = {
  readonly changes: readonly {
    readonly path: string;
    readonly kind: "add" | "delete" | "update";
    readonly diff: string;
  }[];
  readonly approve?: boolean;
  readonly grantRoot?: string;
  readonly reason?: string;
};

export type McpCall = {
  readonly server: string;
  readonly tool: string;
  readonly args?: unknown;
  /** Text of the result. */
  readonly result?: string;
  /** It fails with this message. */
  readonly error?: string;
  readonly approve?: boolean;
  /** Never answers. */
  readonly running?: boolean;
};

export type Failure = {
  readonly codexErrorInfo: string;
  readonly message: string;
  readonly httpStatusCode?: number | null;
  /** How often codex says "Reconnecting..." before. */
  readonly retries?: number;
};

/** Throws an error that names the place in the script. */
export function parseScript(json: unknown): FakeScript {
  try {
    script(json, "script");
    for (const { do: action } of (json as { faults?: readonly Fault[] }).faults ?? []) parseAction(action);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new Error(
      `The script of the fake codex cannot be played: ${error.message}. test/fakes/fake-codex/script.ts says what it may hold.`,
      { cause: error },
    );
  }
  return { ...defaults, ...(json as Partial<FakeScript>) };
}

const defaults = {
  version: "0.166.0",
  seed: 1,
  threads: [],
  turns: [],
  faults: [],
  models: ["gpt-5.5"],
  config: {},
} as const;

const exec = object({
  cmd: string,
  "cwd?": string,
  "output?": string,
  "exitCode?": integer,
  "approve?": boolean,
  "escalate?": string,
  "stream?": boolean,
  "running?": boolean,
  "background?": boolean,
});
const patch = object({
  changes: list(object({ path: string, kind: oneOf("add", "delete", "update"), diff: string })),
  "approve?": boolean,
  "grantRoot?": string,
  "reason?": string,
});
const mcp = object({
  server: string,
  tool: string,
  "args?": any,
  "result?": string,
  "error?": string,
  "approve?": boolean,
  "running?": boolean,
});
const fail = object({
  codexErrorInfo: string,
  message: string,
  "httpStatusCode?": either(integer, oneOf(null)),
  "retries?": count,
});
const elicit = object({ server: string, tool: string, message: string, "schema?": record, "url?": string });
const dynamicTool = object({ "namespace?": either(string, oneOf(null)), tool: string, "args?": any });

const step: Shape = tagged({
  agent: object({ agent: string, "phase?": oneOf("commentary", "final_answer"), "hang?": yes }),
  reasoning: object({ reasoning: either(string, list(string)), "raw?": string }),
  exec: object({ exec }),
  patch: object({ patch }),
  dynamicTool: object({ dynamicTool }),
  mcp: object({ mcp }),
  elicit: object({ elicit }),
  permissions: object({ permissions: object({ permissions: record, "reason?": string }) }),
  userInput: object({ userInput: object({ questions: list(record), "isBlocking?": boolean }) }),
  parallel: object({ parallel: list((value, place) => step(value, place)) }),
  usage: object({ usage: record }),
  notify: object({ notify: object({ method: string, "params?": record }) }),
  sleep: object({ sleep: count }),
  silence: object({ silence: yes }),
  fail: object({ fail }),
  unknownItem: object({ unknownItem: record }),
});

const everyOr = (shape: Shape): Shape => either(shape, oneOf("every"));
const fault = object({
  at: tagged({
    event: object({ event: string, "n?": everyOr(count) }),
    frame: object({ frame: count }),
  }),
  do: string,
  "process?": everyOr(count),
});

const script = object({
  "version?": string,
  "seed?": integer,
  "threads?": list(
    object({ id: string, "cwd?": string, turns: list(object({ user: string, agent: string })) }),
  ),
  "turns?": list(object({ "expect?": regex, emit: list(step) })),
  "otherwise?": list(step),
  "faults?": list(fault),
  "account?": object({ account: any, requiresOpenaiAuth: boolean }),
  "models?": list(string),
  "config?": record,
  "log?": string,
  "schema?": string,
});
