import type { DeviceLink, NewKey, StoredDevice, StoredKey } from "./access.ts";
import type { Answered, Answers, Choice } from "./asking.ts";
import type { CardCalls } from "./cards/card-calls.ts";
import type { CommandContext, CommandReply } from "./chat-state.ts";
import type { Compress } from "./compaction.ts";
import type { ContextBill } from "./context-bill.ts";
import type { Follow, FollowedEvent } from "./event-log.ts";
import type { EndedEnvelope, Envelope, Running, TurnEvent } from "./events.ts";
import type {
  Acknowledged,
  Check,
  Diff,
  DiffOf,
  Follower,
  HostStatus,
  Outgoing,
  Readiness,
  ShellOutput,
  Stopped,
  TurnChoices,
  Undone,
} from "./host.ts";
import type { GatewayCalls } from "./gateway/gateway-calls.ts";
import type { Goal, GoalLimit, GoalReport, NewGoal } from "./goal.ts";
import type { ApprovalId, InboxId, InquiryId, SessionId, TurnId } from "./ids.ts";
import type { Item } from "./items.ts";
import type {
  Benefit,
  Forgettable,
  Forgetting,
  Forgotten,
  LearnedDay,
  ListedMemory,
  ListedSkill,
  Revision,
  RevisionFilter,
} from "./learning.ts";
import type { InputFate, StoredApproval, StoredGrant } from "./ledger.ts";
import type { TestProgress } from "./maintenance.ts";
import type { MigrationOptions, MigrationReport } from "./migration.ts";
import type { Caller } from "./principal.ts";
import type {
  ListedSession,
  Past,
  PastWindow,
  SearchHit,
  SearchQuery,
  Session,
  SessionCount,
  StoredInput,
  StoredMessage,
  StoredTurn,
} from "./session.ts";
import type { Delegated, ListedMcpServer, ListedTool, ToolSwitch } from "./tooling.ts";
import type { UsageReport, UsageSum } from "./usage.ts";
import type { BatchLine, BatchResult, BatchStop } from "./work/batch.ts";
import type {
  AskedRun,
  Explanation,
  ListedSchedule,
  MadeSchedule,
  NewSchedule,
  Occurrence,
  WorkStatus,
} from "./work/work.ts";

// What can be asked of a host, in four groups: the input of each operation and what comes back. All of it is plain JSON,
// a stream is an AsyncIterable of such values, and whatever rejects does so with a Refusal or a FaultError. Who may ask,
// and what it is called at a terminal or in a chat, is in the table in src/operations.

/** What is said now, and the turns that come of it. */
export interface Conversations {
  /** Resolves once the input is durable; if it rejects, nothing was stored. */
  "turns.send"(input: Outgoing): Promise<Acknowledged>;
  /** How the turn that took this input ended; `null` if it was set aside before it started. */
  "turns.wait"(input: { readonly inbox: InboxId }): Promise<EndedEnvelope | null>;
  /** Interrupts the running turn, sets queued input aside, and ends what turns have left running. */
  "turns.stop"(input: OfSession): Promise<Stopped>;
  /** Leaves the last turns out of what models are given; their rows stay, and what they did stays done. */
  "turns.undo"(input: OfSession & { readonly turns: number }): Promise<Undone>;
  /** Takes the last `undo` back, unless something was said since. */
  "turns.redo"(input: OfSession): Promise<Undone>;
  /**
   * What happens in a session from now on. `person`: somebody sees it and can answer, so questions wait for them.
   * `elsewhere`: also what other processes do in it, marked so; a turn that is open from its start.
   */
  "sessions.follow"(
    input: OfSession & { readonly by?: Follower; readonly elsewhere?: boolean },
  ): AsyncIterable<Envelope>;
  /** Resolves when all that others have done in the session until now was told to those who follow it. */
  "sessions.catchUp"(input: OfSession): Promise<null>;
  /** A new session that begins with all that was said in this one. */
  "sessions.fork"(input: OfSession & { readonly upTo?: TurnId }): Promise<Session>;
  /** Shortens what models are given of a session, or takes that back. Resolves with what to tell the person. */
  "sessions.compress"(input: OfSession & { readonly asked: Compress }): Promise<string>;
  /** What the next turns of a session run with. Rejects while one runs in this process. */
  "sessions.choose"(
    input: OfSession & { readonly change: Pick<TurnChoices, "runtime" | "model" | "effort"> },
  ): Promise<null>;
  /** What a model is given with the next turn, line by line. */
  "sessions.context"(input: { readonly session?: SessionId; readonly cwd: string }): Promise<ContextBill>;
  /** Reviews a session now. Resolves with what came of it. */
  "sessions.refine"(input: OfSession): Promise<string>;
  /** What became of a message: its turn, and what that asks now. */
  "inputs.get"(input: { readonly inbox: InboxId }): Promise<InputFate>;
  /** Admitted and not started yet, oldest first. */
  "inputs.waiting"(input: OfSession): Promise<readonly StoredInput[]>;
  /** Kept and never run by itself, oldest first. */
  "inputs.setAside"(input: OfSession): Promise<readonly StoredInput[]>;
  /** Removes one of those. False: it was sent or dropped before. */
  "inputs.drop"(input: { readonly inbox: InboxId }): Promise<boolean>;
  /** Deletes the session of which this message is all, for good. Rejects if there is more in it, or a turn of it runs anywhere. */
  "inputs.delete"(input: { readonly inbox: InboxId }): Promise<null>;
  /** What turns of this session have left running in this process. */
  "processes.list"(input: OfSession): Promise<readonly Running[]>;
  /** Ends it, or the one with this id. Resolves with what was ended. */
  "processes.end"(input: OfSession & { readonly id?: string }): Promise<readonly Running[]>;
  /** Tasks that turns of this process have handed on and that have not ended; of one session, or all. */
  "tasks.list"(input: { readonly session?: SessionId }): Promise<readonly Delegated[]>;
  /** Gives a session something to reach, turn after turn. Rejects with a Refusal while it has another one. */
  "goals.set"(input: NewGoal): Promise<Goal>;
  /** The newest of a session; `null`: it has none. */
  "goals.get"(input: OfSession): Promise<GoalReport | null>;
  /** A turn that runs goes on to its end, and no other is begun. */
  "goals.pause"(input: OfSession): Promise<Goal>;
  "goals.resume"(input: OfSession): Promise<Goal>;
  "goals.clear"(input: OfSession): Promise<Goal>;
  /** What it may use from its beginning on. */
  "goals.budget"(input: OfSession & { readonly limit: Partial<GoalLimit> }): Promise<Goal>;
  /** Something to be reached on the way. */
  "goals.add"(input: OfSession & { readonly text: string }): Promise<Goal>;
  /** A slash command, as it was typed in a chat. What is wrong with it comes back as text. */
  "chat.command"(input: { readonly line: string; readonly chat: CommandContext }): Promise<CommandReply>;
  /** Runs what the person typed themselves, with their own rights: no policy is asked, and no model sees it. */
  "shell.run"(input: { readonly command: string; readonly cwd: string }): AsyncIterable<ShellOutput>;
}

/** What was said, asked, learned and spent. */
export interface Records {
  /** Those that another session began for a part of its work are listed under that `parent` alone. */
  "sessions.list"(input: {
    readonly limit: number;
    readonly cwd?: string;
    readonly parent?: SessionId;
  }): Promise<readonly ListedSession[]>;
  /** By id or a unique beginning of it. */
  "sessions.get"(input: { readonly session: string }): Promise<Session>;
  /** In order; `last`: so many at the end. */
  "sessions.messages"(input: OfSession & { readonly last?: number }): Promise<readonly StoredMessage[]>;
  /** In order; `after`: those behind this one; `last`: so many at the end. */
  "sessions.turns"(
    input: OfSession & { readonly after?: TurnId; readonly last?: number },
  ): Promise<readonly StoredTurn[]>;
  /** Some turns with all that was said and done in them, oldest first. What was taken back is no part of it. */
  "sessions.past"(input: OfSession & PastWindow): Promise<Past>;
  "sessions.count"(input: OfSession): Promise<SessionCount>;
  "sessions.items"(input: { readonly turn: TurnId }): Promise<readonly Item[]>;
  "sessions.rename"(input: OfSession & { readonly title: string }): Promise<null>;
  "sessions.search"(input: SearchQuery): Promise<readonly SearchHit[]>;
  /** The whole session as lines: chat-completions JSON, or Markdown for people. */
  "sessions.export"(input: OfSession & { readonly format: "jsonl" | "md" }): AsyncIterable<string>;
  /** Rejects while a turn of it runs anywhere. */
  "sessions.delete"(input: OfSession): Promise<null>;
  /** What people typed at this machine's terminals, newest first, each text once. */
  "prompts.list"(input: { readonly limit: number }): Promise<readonly string[]>;
  "approvals.list"(input: {
    readonly limit: number;
    readonly pending?: boolean;
  }): Promise<readonly StoredApproval[]>;
  /** By id or a unique beginning of it. */
  "approvals.get"(input: ById): Promise<StoredApproval>;
  /** A question of a turn that runs in this process or in another one of this home. Its id, or the end of it that chats show as a code. */
  "approvals.answer"(input: { readonly approval: ApprovalId; readonly choice: Choice }): Promise<Answered>;
  /** Without answers it is declined. */
  "inquiries.reply"(input: { readonly inquiry: InquiryId; readonly answers?: Answers }): Promise<Answered>;
  /** What is allowed beforehand now. */
  "approvals.grants"(input: Nothing): Promise<readonly StoredGrant[]>;
  "approvals.revoke"(input: ById): Promise<StoredGrant>;
  /** The rules in plain words: mode, sandbox, deny list, what always asks, what is never done. */
  "approvals.rules"(input: Nothing): Promise<readonly string[]>;
  /** The event log, from a cursor on or from now on. Rejects on a cursor that is none, or of another home. */
  "events.follow"(input: Follow): AsyncIterable<FollowedEvent>;
  /** What a session and those that it began have used and cost so far, as one sum. */
  "usage.total"(input: OfSession): Promise<UsageSum>;
  /** What was spent: by a session or by all, in the last days (today is one) or ever. */
  "usage.report"(input: { readonly session?: SessionId; readonly days?: number }): Promise<UsageReport>;
  /** What was changed: in the folder since its last commit (git), or by the calls of one turn or of the session. */
  "diff.show"(input: DiffOf): Promise<Diff>;
  /** Frames that were kept of turns, newest first. */
  "recordings.list"(input: {
    readonly limit: number;
  }): Promise<readonly { readonly file: string; readonly at: number }[]>;
  /** What it says, as lines, the last one a summary. */
  "recordings.replay"(input: { readonly file: string }): Promise<readonly string[]>;
  "learned.list"(input: RevisionFilter): Promise<readonly Revision[]>;
  /** With what it changes or would change, as a unified diff; empty when its text was forgotten. */
  "learned.show"(input: ById): Promise<Revision & { readonly diff: string }>;
  "learned.approve"(input: ById): Promise<Revision>;
  "learned.reject"(input: ById): Promise<Revision>;
  "learned.revert"(input: ById): Promise<Revision>;
  /** What `forget` would take: changes nothing. */
  "learned.forgettable"(input: { readonly text: string }): Promise<Forgettable>;
  /** Out of the files at once; a day later all that was derived from it goes. */
  "learned.forget"(input: { readonly text: string }): Promise<Forgetting>;
  /** Everything that was derived from it, now. */
  "learned.forgetForGood"(input: { readonly text: string }): Promise<Forgotten>;
  /** Takes the last `forget` back, or the one of this text. */
  "learned.unforget"(input: {
    readonly text?: string;
  }): Promise<{ readonly text: string } & Pick<Forgotten, "files" | "left">>;
  /** Of each day, oldest first: what was learned, what was used. */
  "learned.history"(input: { readonly days: number }): Promise<readonly LearnedDay[]>;
  "learned.benefit"(input: Nothing): Promise<readonly Benefit[]>;
  /** Of the person, and of the project that the folder belongs to. */
  "memory.show"(input: InFolder): Promise<readonly ListedMemory[]>;
  /** Archived and broken ones come last. */
  "skills.list"(input: InFolder): Promise<readonly ListedSkill[]>;
  /** The whole text, as a model reads it; `null`: there is none that can be used. */
  "skills.read"(input: InFolder & { readonly name: string }): Promise<string | null>;
}

/** How the program behaves from the next turn on. */
export interface Settings {
  "host.status"(input: Nothing): Promise<HostStatus>;
  /** The runtime of sessions in which nobody chose one. Writes config.yaml first, and rejects if it cannot. */
  "runtime.setDefault"(input: { readonly runtime: "loop" | "codex" }): Promise<null>;
  /** Can turns run there? Asks codex for its version, once in each call. */
  "runtime.readiness"(input: { readonly runtime: string }): Promise<Readiness>;
  "tools.list"(input: Nothing): Promise<readonly ListedTool[]>;
  /** By the names of tools or toolsets, for the next turn of every session of this process. Writes config.yaml first. */
  "tools.switch"(input: { readonly names: readonly string[]; readonly on: boolean }): Promise<ToolSwitch>;
  /** Starts those that were not started yet, or the one that is named, and waits for them. */
  "mcp.list"(input: { readonly server?: string }): Promise<readonly ListedMcpServer[]>;
  /** Lets a changed tool be used, as it was when it had this mark. */
  "mcp.approve"(input: {
    readonly server: string;
    readonly tool: string;
    readonly mark: string;
  }): Promise<null>;
  /** Ends a server, and starts it anew. */
  "mcp.restart"(input: { readonly server: string }): Promise<ListedMcpServer>;
  "skills.pin"(input: { readonly name: string; readonly pinned: boolean }): Promise<null>;
  /** Lets the skills of a project folder be used, as they are now. */
  "skills.trust"(input: { readonly folder: string }): Promise<readonly ListedSkill[]>;
  /** They are used no more. Gives the folder of the project. */
  "skills.distrust"(input: { readonly folder: string }): Promise<string>;
  /** Archives what nobody uses; says what it did or would do. */
  "skills.curate"(input: { readonly dryRun: boolean }): Promise<readonly string[]>;
  /** Brings the last run of the curator back. */
  "skills.uncurate"(input: Nothing): Promise<readonly string[]>;
  /** Our settings in codex's own config.toml. */
  "codex.migrate"(input: MigrationOptions): Promise<MigrationReport>;
  /** Codex's native plugins that are on, as `name@marketplace`. */
  "codex.plugins"(input: Nothing): Promise<readonly string[]>;
  /** Where config.yaml is. Like the other three, it works while the file is broken. */
  "config.path"(input: Nothing): Promise<string>;
  "config.get"(input: { readonly key: string }): Promise<string | null>;
  /** Resolves with what there is to say about it, such as a key without effect. */
  "config.set"(input: { readonly key: string; readonly value: string }): Promise<readonly string[]>;
  "config.unset"(input: { readonly key: string }): Promise<boolean>;
  /** Makes a key for programs. It is said here once, and kept nowhere. */
  "keys.add"(input: NewKey): Promise<StoredKey & { readonly key: string }>;
  "keys.list"(input: Nothing): Promise<readonly StoredKey[]>;
  /** By id or name. It works no more, from now on. */
  "keys.revoke"(input: ById): Promise<StoredKey>;
  /** Makes an address that lets a browser in, once and soon. `port`: where a host listens, if the settings do not say. */
  "devices.add"(input: { readonly name?: string; readonly port?: number }): Promise<DeviceLink>;
  "devices.list"(input: Nothing): Promise<readonly StoredDevice[]>;
  "devices.revoke"(input: ById): Promise<StoredDevice>;
  "profiles.list"(input: Nothing): Promise<readonly string[]>;
  /** Makes it and says where its home is. */
  "profiles.create"(input: { readonly name: string }): Promise<string>;
}

/** What is done while nobody types. */
export interface Work {
  /** Makes a schedule; folder, runtime and model are fixed with it. */
  "cron.add"(input: NewSchedule): Promise<MadeSchedule>;
  "cron.list"(input: Nothing): Promise<readonly ListedSchedule[]>;
  /** By id, a unique beginning of it, or name; so are the others. */
  "cron.edit"(input: ById & { readonly change: Partial<NewSchedule> }): Promise<MadeSchedule>;
  "cron.pause"(input: ById): Promise<ListedSchedule>;
  /** Instants that came while it was paused are none of its own. */
  "cron.resume"(input: ById): Promise<MadeSchedule>;
  /** Now, beside its own times. */
  "cron.run"(input: ById): Promise<AskedRun>;
  /** It is due no more; what became of its runs stays. */
  "cron.remove"(input: ById): Promise<ListedSchedule>;
  /** What became of every instant, newest first. */
  "cron.runs"(input: { readonly id?: string; readonly limit: number }): Promise<readonly Occurrence[]>;
  /** Everything that nobody typed stands still, until it is resumed. What runs goes on. */
  "work.pause"(input: Nothing): Promise<WorkStatus>;
  "work.resume"(input: Nothing): Promise<WorkStatus>;
  "work.status"(input: Nothing): Promise<WorkStatus>;
  /** Does one prompt of a batch, unless that was done, and resolves with what came of it. */
  "batch.line"(input: BatchLine): Promise<BatchResult | BatchStop>;
  /** Why something is as it is: a run, a schedule, a session, a message, a turn or a question, by its id. */
  "why.explain"(input: ById): Promise<Explanation>;
}

/** The installation itself. None of these needs a home that can be opened. */
export interface Maintenance {
  /** Every check in the order in which it matters; with `fix` what was done about it comes first. */
  "doctor.look"(input: { readonly fix?: boolean }): AsyncIterable<CheckUpStep>;
  "selftest.run"(input: Nothing): AsyncIterable<TestProgress>;
  /** What a recording says, wherever it is. */
  "recordings.read"(input: { readonly file: string }): Promise<{
    readonly events: readonly TurnEvent[];
    readonly summary: string;
  }>;
  /** The codex that would run a turn, and what its environment has beside ours. */
  "codex.program"(input: Nothing): Promise<{
    readonly path: string;
    readonly env: Readonly<Record<string, string>>;
  }>;
}

/** `unreadable`: the settings cannot be read, and what needs them was not looked at. */
export type CheckUpStep =
  | { readonly check: Check }
  | { readonly fixed: string }
  | { readonly unreadable: boolean };

export type Calls = Conversations & Records & Settings & Work & Maintenance & CardCalls & GatewayCalls;
export type OperationName = keyof Calls;
/** Those that need no home that can be opened. */
export type BareOperation =
  | keyof Maintenance
  | Extract<keyof Settings, `config.${string}` | `profiles.${string}`>;
export type InputOf<Name extends OperationName> = Parameters<Calls[Name]>[0];

type OfSession = { readonly session: SessionId };
type ById = { readonly id: string };
type InFolder = { readonly cwd: string };
type Nothing = Readonly<Record<string, never>>;

/** Somebody's way to a host, in this process or elsewhere. It knows who they are. */
export type Client<Some extends OperationName = OperationName> = {
  call<Name extends Some>(name: Name, input: InputOf<Name>, signal?: AbortSignal): ReturnType<Calls[Name]>;
};

/** What does the work of each. `caller`: who wants it, already found to be allowed to. */
export type Handlers<Some extends OperationName = OperationName> = {
  readonly [Name in Some]: (
    input: InputOf<Name>,
    caller: Caller,
    signal: AbortSignal | undefined,
  ) => ReturnType<Calls[Name]>;
};
