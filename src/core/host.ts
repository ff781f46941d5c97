import type { Caller, Principal } from "./principal.ts";
import type { Client } from "./calls.ts";
import type { HttpBehind } from "./access.ts";
import type { GatewayBehind } from "./gateway/gateway.ts";
import type { ChatKey } from "./gateway/tables.ts";
import type { EndedEnvelope, Envelope, Running } from "./events.ts";
import type { Fault, FaultCode } from "./faults.ts";
import type { InboxId, SessionId, TurnId } from "./ids.ts";
import type { Json } from "./json.ts";
import type { InputPart } from "./messages.ts";
import type { InputKey, NewSession, StartedSession } from "./session.ts";
import type { TurnLimit } from "./spend.ts";
import type { OpenTools, ToolServer } from "./tooling.ts";

/** The whole program in this process. Surfaces see a Client of it, and never reach the store or a runtime. */
export interface Host extends AsyncDisposable {
  /** The way in of this caller. */
  as(caller: Caller): Client;
  /** In this process only; elsewhere a session is followed by `sessions.follow`. */
  subscribe(session: SessionId, listener: Listener, by?: Follower): Unsubscribe;
  /** For the door over HTTP. */
  readonly http: HttpBehind;
  /** For the door to chat apps. */
  readonly gateway: GatewayBehind;
  /** Our tools for a program that has a model of its own. Rejects with a Refusal when what it wants is not offered. */
  openTools(options: OpenTools): Promise<ToolServer>;
  readonly executing?: Executing;
  /** How many sessions have a turn that runs or waits, and how many questions wait for somebody. */
  activity(): Promise<{ readonly running: number; readonly questions: number }>;
  /** Begins no more work that nobody typed. */
  takeNoMore(): void;
  /** Resolves when nothing runs and nothing is queued. */
  drain(): Promise<void>;
  /** Lets another process have the session. False: a turn of it runs here. */
  release(session: SessionId): Promise<boolean>;
  /** Masks secrets in a text that is to be shown or kept. */
  redact(text: string): string;
  /** What another process has to agree with to use this host instead of opening the home itself. */
  readonly about: HostAbout;
}

/** `run`: the folder for what lives as long as a process. `variables`: names of those in the environment that matter. */
export type HostAbout = {
  readonly home: string;
  readonly run: string;
  readonly variables: readonly string[];
};

/** Of an executor: whether it still is. */
export type Executing = {
  /** Aborts when another process has taken that over. */
  readonly replaced: AbortSignal;
  /** Looks when it is so long ago that another process may have; `undefined`: none can have. */
  look(): Promise<void> | undefined;
};

/** A client that its holder opened, and closes. */
export type OpenClient = Client & AsyncDisposable;

/** A client of one that has our tools for a program with a model of its own. */
export type ToolClient = OpenClient & Pick<Host, "openTools">;

export type Listener = (event: Envelope) => void;
export type Unsubscribe = () => void;
export type Follower = "person" | "program";

export type Incoming = {
  readonly key: InputKey;
  readonly from: Principal;
  readonly session: SessionId | NewSession;
  readonly input: readonly InputPart[];
  /** What to do when a turn of this session runs in this process. */
  readonly whenBusy: "queue" | "steer" | "refuse";
  readonly attended: Attended;
  /** Chosen for this turn; `runtime`, `model`, `effort` and `cwd` stay with the session. */
  readonly choices?: TurnChoices;
  /** The message that was set aside and is sent by this. Rejects with a Refusal `not_found` when it is not there any more. */
  readonly again?: InboxId;
};

/** What a caller sends: who they are is known, and what they leave out is as it is for them. */
export type Outgoing = Omit<Incoming, "from" | "key" | "session"> & {
  readonly key: Omit<InputKey, "surface"> & Partial<Pick<InputKey, "surface">>;
  readonly session: SessionId | StartedSession;
};

export type TurnChoices = {
  readonly runtime?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly cwd?: string;
  readonly outputSchema?: Json;
  readonly memory?: boolean;
  readonly context?: boolean;
  /** No tools: it runs on the loop, because another runtime brings its own. */
  readonly tools?: false;
  /** Keep every frame between us and the runtime in a file. */
  readonly record?: boolean;
  /** Work that nobody watches is given less than a person's own turns. */
  readonly budget?: TurnLimit;
};

/**
 * Who can be asked: a person now, nobody, or nobody because everything was allowed beforehand. `yolo`: everything was
 * allowed beforehand, and a person is there for what that does not cover.
 */
export type Attended = "ask" | "none" | "all" | "yolo";

/** Only the owner at this machine can allow everything beforehand; from others it counts as not said. */
export function attendedFor({ role, local }: Pick<Principal, "role" | "local">, wish: Attended): Attended {
  if (role === "owner" && local) return wish;
  if (wish === "all") return "none";
  return wish === "yolo" ? "ask" : wish;
}

/** What is known of an input once it is durable. */
export type Acknowledged = {
  readonly session: SessionId;
  readonly inbox: InboxId;
  /** running: next in line, nothing before it · duplicate: admitted before, not run again */
  readonly state: "running" | "queued" | "steered" | "unconfirmed" | "duplicate";
};

export type Sent = Acknowledged & {
  /** How the turn that took this input ended. Never rejects; `undefined` if it was set aside before it started. */
  readonly ended: Promise<EndedEnvelope | undefined>;
};

/** `turns`: those that were left out or taken back, oldest first. `changes`: files that they had changed, which stay as they are. */
export type Undone = {
  readonly turns: readonly { readonly id: TurnId; readonly input: readonly InputPart[] }[];
  readonly changes: number;
};

/** `detail`: what it is and where, for people. `warning`: it works, but there is something to know. */
export type Readiness =
  | { readonly ok: true; readonly detail: string; readonly version?: string; readonly warning?: string }
  | { readonly ok: false; readonly fault: Fault };

/** `ended`: what turns had left running. `answered`: the chat that hears of the end of the turn by itself. */
export type Stopped = {
  readonly interrupted: boolean;
  readonly answered?: ChatKey;
  readonly setAside: number;
  readonly ended: readonly Running[];
};

/** Why an input was not taken, before any turn exists. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly next: string;
  constructor(code: RefusalCode, message: string, next: string, cause?: unknown) {
    super(message, { cause });
    this.name = "Refusal";
    this.code = code;
    this.next = next;
  }
}
export type RefusalCode = "busy" | "usage" | "not_found" | "stopping" | FaultCode;

export type DiffOf =
  | { readonly what: "folder"; readonly cwd: string }
  | { readonly what: "turn" | "session"; readonly session: SessionId };

/** `text`: unified. `note`: what it does not show, or why there is none. */
export type Diff = { readonly text: string; readonly note?: string };

/** `output`: both streams, the end of it when it is long. */
export type ShellResult = {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly output: string;
  readonly cut: boolean;
};
/** Both streams as they come, secrets masked; last, how it ended. */
export type ShellOutput = { readonly text: string } | ShellResult;

/** Where the settings say a model answers, when nobody names one, and what is known of costs there. */
export type Prices = {
  readonly model: string;
  readonly provider: string;
  /** Models of the provider that have a price; missing where none can have one. */
  readonly priced?: readonly string[];
};

/** In place of a name, where the provider chooses the model. */
export const unnamedModel = "chosen by the provider";

export type HostStatus = Prices & {
  readonly version: string;
  /** For the owner at this machine alone. */
  readonly home?: string;
  readonly profile: string;
  /** Models of the provider that the settings name. */
  readonly models: readonly string[];
  /** Of new sessions in which nobody chose one. */
  readonly runtime: string;
  /** What the settings say, which may be one that cannot be used with the provider. */
  readonly runtimeSetting: string;
  /** The same for sessions that exist: they keep what held when Talaria started. */
  readonly knownRuntime: string;
  readonly display: DisplaySettings;
  /** Settings without effect and other things said once at start. */
  readonly warnings: readonly string[];
};

export type DisplaySettings = {
  /** What Enter does while a turn runs. */
  readonly busyInput: "queue" | "steer" | "interrupt";
  /** Ring when a turn ends or a question waits. */
  readonly bell: boolean;
  /** How much of the model's thinking is shown at first. */
  readonly reasoning: "fold" | "show" | "hide";
};

/** One line of `doctor`. `next` is set whenever `ok` is not. */
export type Check = {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly next?: string;
  /** It works, but there is something to know. */
  readonly level?: "note";
  /** `doctor --fix` can do the next step. */
  readonly fixable?: true;
};
