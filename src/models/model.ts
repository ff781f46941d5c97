import type { Usage } from "../core/events.ts";
import type { Fault } from "../core/faults.ts";
import type { Json } from "../core/json.ts";
import type { Message } from "../core/messages.ts";
import type { Clock } from "../lib/clock.ts";
import type { Post } from "./post.ts";

/** A model protocol at an address with a key. */
export type Route = {
  readonly name: string;
  readonly protocol: "responses" | "chat";
  /** The base, like `http://127.0.0.1:8080/v1`. */
  readonly url: string;
  readonly key?: string;
  /** The variable that holds the key, for messages. */
  readonly keyName?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What is asked for unless a request names another. */
  readonly model: string;
  /** Tokens that its models can read, if the settings say it. */
  readonly contextWindow?: number;
};

export type ModelTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Json;
};

/** One question to a model, whatever the protocol. Optional fields are sent only if they are set. */
export type ModelRequest = {
  readonly model: string;
  readonly instructions: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  readonly effort?: string;
  /** JSON Schema that the answer must follow. */
  readonly outputSchema?: Json;
  /** The same for the whole session, so that the provider finds its prompt cache. */
  readonly cacheKey?: string;
  /** Sealed reasoning that this very route gave out earlier, each put before `messages[before]`. */
  readonly sealed?: readonly { readonly before: number; readonly data: Json }[];
};

export type StreamOptions = {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly fetch?: Post;
  /** Asks for the answer in one piece instead of a stream. */
  readonly whole?: boolean;
  /** The same for requests that are the same, so that a provider that knows it does the work once. */
  readonly idempotencyKey?: string;
};

/**
 * What a model says while it answers. `completed`, `failed` or `aborted` comes once and last.
 * Calls may run only after `completed`: before that the answer they belong to is not whole. They come right before it.
 */
export type ModelEvent =
  | DeltaEvent
  | FinishedEvent
  | UsageEvent
  | CompletedEvent
  | FailedEvent
  | AbortedEvent;

/** For screens. `item` is the place of the item within the answer, from 0; the finished item carries the same. */
export type DeltaEvent = {
  readonly type: "delta";
  readonly item: number;
  readonly of: "text" | "thinking";
  readonly text: string;
};

export type FinishedEvent = { readonly type: "item"; readonly item: ModelItem };

export type ModelItem =
  | {
      readonly kind: "text";
      readonly item: number;
      /** Never blank. */
      readonly text: string;
      readonly phase?: "commentary" | "answer";
    }
  | {
      readonly kind: "thinking";
      readonly item: number;
      /** Empty when there is only sealed reasoning. */
      readonly text: string;
      /** Opaque, for this route only: goes back as `ModelRequest.sealed`. */
      readonly sealed?: Json;
    }
  | {
      readonly kind: "call";
      readonly item: number;
      readonly callId: string;
      /** As in `ModelRequest.tools`, or whatever the model made up. */
      readonly name: string;
      /** As the model wrote it: usually JSON, but nobody has checked. */
      readonly arguments: string;
    }
  | {
      /** What the provider did by itself. */
      readonly kind: "note";
      readonly item: number;
      readonly text: string;
    };

export type ModelUsage = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
};
export type UsageEvent = { readonly type: "usage" } & ModelUsage;

/** The answer holds text or a call. `skipped` counts frames nobody understood. */
export type CompletedEvent = {
  readonly type: "completed";
  readonly skipped: number;
  /** The provider ended it early, and this is why. What came is whole and counts; what was half said is not there. */
  readonly early?: Fault;
};

/** Items that came before it are whole, text that only came as deltas is not. */
export type FailedEvent = {
  readonly type: "failed";
  readonly fault: Fault;
  /** When the provider said how long to wait. */
  readonly retryAfterMs?: number;
  /** Set where asking again may help. */
  readonly trouble?: Trouble;
};

/** Why asking again may help, and so in which way. */
export type Trouble =
  | "busy" // the provider asks us to slow down
  | "down" // it was not reached, or cannot serve anybody
  | "broken" // the answer broke off or cannot be read
  | "empty" // there was no text and no call in it
  | "sealed"; // it does not take back the sealed reasoning

export type AbortedEvent = { readonly type: "aborted" };

/** An answer may take several requests: each costs, the last one fills the context. */
export const addedUsage = (before: Usage | undefined, now: ModelUsage): Usage => ({
  input: (before?.input ?? 0) + now.input,
  cached: (before?.cached ?? 0) + now.cached,
  output: (before?.output ?? 0) + now.output,
  reasoning: (before?.reasoning ?? 0) + now.reasoning,
  context: { used: now.input + now.output },
});
