import type { Answered, Answers, Choice } from "./asking.ts";
import type { Compress } from "./compaction.ts";
import type { ContextBill } from "./context-bill.ts";
import type { EndedEnvelope, Envelope, Running } from "./events.ts";
import type { Fault, FaultCode } from "./faults.ts";
import type { ApprovalId, InboxId, InquiryId, SessionId, TurnId } from "./ids.ts";
import type { Item } from "./items.ts";
import type { Json } from "./json.ts";
import type { Learned } from "./learning.ts";
import type { StoredApproval, StoredGrant } from "./ledger.ts";
import type { InputPart } from "./messages.ts";
import type { Migration } from "./migration.ts";
import type { Principal } from "./principal.ts";
import type {
  InputKey,
  ListedSession,
  NewSession,
  SearchHit,
  SearchQuery,
  Session,
  StoredInput,
  StoredMessage,
  StoredTurn,
} from "./session.ts";
import type { TurnLimit } from "./spend.ts";
import type { CommandContext, CommandReply } from "./chat-state.ts";
import type { Delegated, ListedTool, McpServers, OpenTools, ToolServer, ToolSwitch } from "./tooling.ts";
import type { UsageReport } from "./usage.ts";

/** What surfaces see of the whole program. They never reach the store or a runtime. */
export interface Host extends AsyncDisposable {
  /** Resolves once the input is durable; rejects with a Refusal, and then nothing was stored. */
  send(input: Incoming): Promise<Sent>;
  /** `person`: somebody at this machine sees what is said there and can answer, so questions wait for them without end. */
  subscribe(session: SessionId, listener: Listener, by?: Follower): Unsubscribe;
  /** Interrupts the running turn, sets queued input aside, and ends what turns have left running. */
  stop(session: SessionId): Promise<Stopped>;
  /** What turns of this session have left running in this process. */
  running(session: SessionId): readonly Running[];
  /** Ends it, or the one with this id. Resolves with what was ended. */
  endRunning(session: SessionId, id?: string): Promise<readonly Running[]>;
  /** Tasks that turns of this process have handed on and that have not ended; of one session, or all. */
  delegated(session?: SessionId): readonly Delegated[];
  /**
   * Shortens what models are given of a session, or takes that back. Resolves with what to tell the person; rejects with
   * a Refusal while a turn of it runs, or with a FaultError.
   */
  compress(session: SessionId, asked: Compress): Promise<string>;
  /**
   * Leaves the last turns out of what models are given; their rows stay, and what they did stays done. Rejects with a
   * Refusal while a turn of it runs anywhere.
   */
  undo(session: SessionId, turns: number): Promise<Undone>;
  /** Takes the last `undo` back, unless something was said since. */
  redo(session: SessionId): Promise<Undone>;
  /** A new session that begins with all that was said in this one. */
  fork(session: SessionId): Promise<Session>;
  /** What the next turns of a session run with. Rejects with a Refusal while one runs in this process. */
  choose(session: SessionId, change: Pick<TurnChoices, "runtime" | "model" | "effort">): Promise<void>;
  /** The runtime of sessions in which nobody chose one. Writes config.yaml first, and rejects if it cannot. */
  setDefaultRuntime(runtime: "loop" | "codex"): Promise<void>;
  /** Can turns of this session (or of a new one) run there? Asks codex for its version, once in each call. */
  readiness(runtime: string): Promise<Readiness>;
  /** What a model is given with the next turn, line by line. */
  context(session: SessionId | undefined, cwd: string): Promise<ContextBill>;
  tools(): Promise<readonly ListedTool[]>;
  /**
   * Switches tools on or off, by their names or those of toolsets, for the next turn of every session of this process.
   * Writes config.yaml first. Rejects with a Refusal or a FaultError, and then nothing was changed.
   */
  switchTools(names: readonly string[], on: boolean): Promise<ToolSwitch>;
  /** Our tools for a program that has a model of its own. Rejects with a Refusal when what it wants is not offered. */
  openTools(options: OpenTools): Promise<ToolServer>;
  /** The person's MCP servers, as turns on the loop use them. */
  readonly mcp: McpServers;
  readonly recordings: Recordings;
  /** Memory, skills, and every change of them. */
  readonly learned: Learned;
  /** Our settings in codex's own config.toml. */
  readonly migration: Migration;
  /** What was changed: in the folder since its last commit (git), or by the calls of one turn or of the whole session. */
  diff(of: DiffOf): Promise<Diff>;
  /** Runs what the person typed themselves, with their own rights: no policy is asked, and no model sees it. */
  shell(run: ShellRun): Promise<ShellResult>;
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

export type Sent = {
  readonly session: SessionId;
  readonly inbox: InboxId;
  /** running: next in line, nothing before it · duplicate: admitted before, not run again */
  readonly state: "running" | "queued" | "steered" | "unconfirmed" | "duplicate";
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

/** `ended`: what turns had left running. */
export type Stopped = {
  readonly interrupted: boolean;
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

export interface Sessions {
  /** By id or a unique beginning of it. Rejects with a Refusal `not_found`, which says when it is ambiguous. */
  get(idOrPrefix: string): Promise<Session>;
  /** Those that another session began for a part of its work are listed under that `parent` alone. */
  list(filter: {
    readonly limit: number;
    readonly cwd?: string;
    readonly parent?: SessionId;
  }): Promise<readonly ListedSession[]>;
  messages(session: SessionId): Promise<readonly StoredMessage[]>;
  /** In order; `after`: those behind this one. */
  turns(session: SessionId, after?: TurnId): Promise<readonly StoredTurn[]>;
  items(turn: TurnId): Promise<readonly Item[]>;
  /** Rejects with a Refusal `usage` when it is empty or too long. */
  rename(session: SessionId, title: string): Promise<void>;
  /** Admitted and not started yet, oldest first. */
  waiting(session: SessionId): Promise<readonly StoredInput[]>;
  /** Kept and never run by itself, oldest first. */
  setAside(session: SessionId): Promise<readonly StoredInput[]>;
  /** Removes one of those. False: it was sent or dropped before. */
  drop(input: InboxId): Promise<boolean>;
  /** What people typed at this machine's terminals, newest first, each text once. */
  prompts(filter: { readonly limit: number }): Promise<readonly string[]>;
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

export type DiffOf =
  | { readonly what: "folder"; readonly cwd: string }
  | { readonly what: "turn" | "session"; readonly session: SessionId };

/** `text`: unified. `note`: what it does not show, or why there is none. */
export type Diff = { readonly text: string; readonly note?: string };

export type ShellRun = {
  readonly command: string;
  readonly cwd: string;
  /** Both streams as they come, secrets masked. */
  readonly onOutput: (text: string) => void;
  /** Ends the command and whatever it started. */
  readonly signal: AbortSignal;
};
/** `output`: both streams, the end of it when it is long. */
export type ShellResult = {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly output: string;
  readonly cut: boolean;
};

/** Frames that were kept of turns, newest first. */
export interface Recordings {
  list(limit: number): Promise<readonly { readonly file: string; readonly at: number }[]>;
  /** What it says, as lines, the last one a summary. Rejects with a Refusal when it cannot be read. */
  replay(file: string): Promise<readonly string[]>;
}

export type HostStatus = {
  readonly version: string;
  readonly home: string;
  readonly profile: string;
  readonly model: string;
  readonly provider: string;
  /** Models of the provider that the settings name. */
  readonly models: readonly string[];
  /** Of new sessions in which nobody chose one. */
  readonly runtime: string;
  /** What the settings say, which may be one that cannot be used with the provider. */
  readonly runtimeSetting: string;
  /** The same for sessions that exist: they keep what held when Talaria started. */
  readonly knownRuntime: string;
  readonly display: DisplaySettings;
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
