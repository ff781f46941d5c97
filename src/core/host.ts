import type { Answered, Answers, Choice, Principal } from "./asking.ts";
import type { Compress } from "./compaction.ts";
import type { EndedEnvelope, Envelope } from "./events.ts";
import type { FaultCode } from "./faults.ts";
import type { ApprovalId, InboxId, InquiryId, SessionId } from "./ids.ts";
import type { Json } from "./json.ts";
import type { StoredApproval, StoredGrant } from "./ledger.ts";
import type { InputPart } from "./messages.ts";
import type {
  InputKey,
  ListedSession,
  NewSession,
  SearchHit,
  SearchQuery,
  Session,
  StoredMessage,
  StoredTurn,
} from "./session.ts";
import type { UsageReport } from "./usage.ts";

/** What surfaces see of the whole program. They never reach the store or a runtime. */
export interface Host extends AsyncDisposable {
  /** Resolves once the input is durable; rejects with a Refusal, and then nothing was stored. */
  send(input: Incoming): Promise<Sent>;
  subscribe(session: SessionId, listener: Listener): Unsubscribe;
  /** Interrupts the running turn and sets queued input aside. */
  stop(session: SessionId): Promise<Stopped>;
  /**
   * Shortens what models are given of a session, or takes that back. Resolves with what to tell the person; rejects with
   * a Refusal while a turn of it runs, or with a FaultError.
   */
  compress(session: SessionId, asked: Compress): Promise<string>;
  /** A question of a turn that runs in this process or in another one of this home. */
  answer(approval: ApprovalId, choice: Choice, by: Principal): Promise<Answered>;
  /** `undefined` declines to answer. */
  reply(inquiry: InquiryId, answers: Answers | undefined, by: Principal): Promise<Answered>;
  readonly approvals: Approvals;
  command(line: string, from: CommandContext): Promise<CommandReply>;
  readonly sessions: Sessions;
  /** What was spent: by a session or by all, in the last days (today is one) or ever. */
  usage(filter: { readonly session?: SessionId; readonly days?: number }): Promise<UsageReport>;
  status(): HostStatus;
  /** What `doctor` looks at, in the order in which it matters. Changes nothing. */
  checks(): Promise<readonly Check[]>;
  /** Settings without effect and other things said once at start. */
  readonly warnings: readonly string[];
}

export type Listener = (event: Envelope) => void;
export type Unsubscribe = () => void;

export type Incoming = {
  readonly key: InputKey;
  readonly session: SessionId | NewSession;
  readonly input: readonly InputPart[];
  /** What to do when a turn of this session runs in this process. */
  readonly whenBusy: "queue" | "steer" | "refuse";
  readonly attended: Attended;
  /** Chosen for this turn; `runtime`, `model`, `effort` and `cwd` stay with the session. */
  readonly choices?: TurnChoices;
};

export type TurnChoices = {
  readonly runtime?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly cwd?: string;
  readonly outputSchema?: Json;
  readonly memory?: boolean;
  readonly context?: boolean;
  /** Keep every frame between us and the runtime in a file. */
  readonly record?: boolean;
};

/** Who can be asked: a person now, nobody, or nobody because everything was allowed beforehand. */
export type Attended = "ask" | "none" | "all";

export type Sent = {
  readonly session: SessionId;
  readonly inbox: InboxId;
  /** running: next in line, nothing before it · duplicate: admitted before, not run again */
  readonly state: "running" | "queued" | "steered" | "unconfirmed" | "duplicate";
  /** How the turn that took this input ended. Never rejects; `undefined` if it was set aside before it started. */
  readonly ended: Promise<EndedEnvelope | undefined>;
};

export type Stopped = { readonly interrupted: boolean; readonly setAside: number };

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

export interface Sessions {
  /** By id or a unique beginning of it. Rejects with a Refusal `not_found`, which says when it is ambiguous. */
  get(idOrPrefix: string): Promise<Session>;
  list(filter: { readonly limit: number; readonly cwd?: string }): Promise<readonly ListedSession[]>;
  messages(session: SessionId): Promise<readonly StoredMessage[]>;
  turns(session: SessionId): Promise<readonly StoredTurn[]>;
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
  /** The whole session as lines: chat-completions JSON, or Markdown for people. */
  export(session: SessionId, format: "jsonl" | "md"): Promise<Iterable<string>>;
  /** Rejects with a Refusal `busy` while a turn of it runs anywhere. */
  delete(session: SessionId): Promise<void>;
}

/** The ledger of what was asked and decided, and the rules that came of it. */
export interface Approvals {
  list(filter: { readonly limit: number; readonly pending?: boolean }): Promise<readonly StoredApproval[]>;
  /** By id or a unique beginning of it. Rejects with a Refusal `not_found`. */
  get(idOrPrefix: string): Promise<StoredApproval>;
  /** What holds now. */
  grants(): Promise<readonly StoredGrant[]>;
  /** By id or a unique beginning of it. Rejects with a Refusal `not_found`. */
  revoke(idOrPrefix: string): Promise<StoredGrant>;
  /** The rules in plain words: mode, sandbox, deny list, what always asks, what is never done. */
  rules(): Promise<readonly string[]>;
}

export type CommandContext = {
  readonly session?: SessionId;
  readonly surface: string;
  readonly cwd: string;
};

/** `session`: the surface goes on in this one (`null`: in a new one). `quit`: the person wants to leave. */
export type CommandReply = {
  readonly text: string;
  readonly session?: SessionId | null;
  readonly quit?: boolean;
};

export type HostStatus = {
  readonly version: string;
  readonly home: string;
  readonly profile: string;
  readonly model: string;
  readonly provider: string;
  readonly runtime: string;
};

/** One line of `doctor`. `next` is set whenever `ok` is not. */
export type Check = {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly next?: string;
};
