import type { Answers, ApprovalState, Choice, InquiryState, SideEffect } from "./asking.ts";
import type { SessionId } from "./ids.ts";
import type { Json } from "./json.ts";

/** A tool in a list for people. */
export type ListedTool = {
  readonly name: string;
  readonly toolset: string;
  /** The first sentence of what models are told about it. */
  readonly about: string;
  readonly effect: SideEffect;
  /** Runtimes whose turns have it. Codex brings its own for commands and files. */
  readonly runtimes: readonly string[];
  /** Found by the model through a search, not shown up front. */
  readonly deferred: boolean;
  /** The person switched it off. */
  readonly off: boolean;
  /** Why it cannot be used here. */
  readonly unavailable?: string;
  /** It is off, but codex has its own for the same: a sentence that says so, and what to do. */
  readonly codexGap?: string;
};

/**
 * What `/tools on` and `/tools off` did. `changed`: names of the tools that are now on or off and were not before.
 * `ignoredByCodex`: a sentence about each that codex has its own for, and keeps.
 */
export type ToolSwitch = {
  readonly changed: readonly string[];
  readonly file: string;
  readonly ignoredByCodex: readonly string[];
};

/** A delegated task that runs in this process. */
export type Delegated = {
  /** Names it as long as this process runs. */
  readonly number: number;
  /** The session that does it. */
  readonly session: SessionId;
  readonly parent: SessionId;
  readonly goal: string;
  readonly runtime: string;
  readonly startedAt: number;
  readonly calls: number;
  readonly tokens: number;
  /** What it does now, in a few words. */
  readonly now: string;
};

/** An MCP server of the settings, as the loop uses it. */
export type ListedMcpServer = {
  readonly name: string;
  readonly state: "off" | "not started" | "starting" | "ready" | "failed";
  /** Why it failed, or what there is to know. */
  readonly detail?: string;
  readonly tools: readonly {
    readonly name: string;
    /** `changed`: not the one that was seen first, and off until it is approved. */
    readonly state: "on" | "left out" | "changed" | "gone";
    /** What changed, as a unified diff. */
    readonly diff?: string;
    /** Names the change, so that a yes is to this one and to no later one. */
    readonly mark?: string;
  }[];
};

export interface McpServers {
  /** Starts those that were not started yet, or the one that is named, and waits for them. */
  list(server?: string): Promise<readonly ListedMcpServer[]>;
  /** Lets a changed tool be used, as it was when it had this mark. Rejects with a Refusal when it has not, or not any more. */
  approve(server: string, tool: string, mark: string): Promise<void>;
  /** Ends a server, and starts it anew. */
  restart(server: string): Promise<ListedMcpServer>;
}

/** Who calls tools outside of any turn, and which. */
export type OpenTools = {
  /** Where the calls come from. */
  readonly surface: string;
  /** The session of these calls. One that is there goes on. */
  readonly session: SessionId;
  readonly cwd: string;
  /** What the calling program calls itself; known when it calls. */
  readonly caller: () => string;
  /** Also the tools for commands and files of this machine. */
  readonly local: boolean;
  /** The caller works on a task that somebody gave it. */
  readonly worker: boolean;
  /** The attempt at a card that it works on, if it is one. */
  readonly task?: string;
  /** Only these: names of tools or toolsets. */
  readonly only?: readonly string[];
  /** Puts questions to the person at the other side. Without it nobody is there. */
  readonly asker?: ToolAsker;
};

/** Rejects when the question could not be put; then it counts as not asked. The signal says that it is closed. */
export type ToolAsker = {
  /** Can the other side show questions? Known when it calls. */
  readonly canAsk: () => boolean;
  permit(approval: ApprovalState, signal: AbortSignal): Promise<Choice>;
  /** `undefined`: the person did not want to answer. */
  inform(inquiry: InquiryState, signal: AbortSignal): Promise<Answers | undefined>;
};

/** Our tools for other programs, outside of any turn. */
export interface ToolServer extends AsyncDisposable {
  /** What can be called now. */
  list(): Promise<readonly OfferedTool[]>;
  /** Rejects only when who runs it has gone. */
  call(
    name: string,
    args: unknown,
    signal: AbortSignal,
    progress?: (text: string) => void,
  ): Promise<ToolResult>;
}

export type OfferedTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
  readonly effect: SideEffect;
};

export type ToolResult = { readonly ok: boolean; readonly output: string };
