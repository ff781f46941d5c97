import type { GoalLimit } from "../core/goal.ts";
import type { AuxiliaryTask } from "../core/auxiliary.ts";
import type { HttpSettings } from "../core/access.ts";
import type { ChatSettings } from "./gateway/settings.ts";
import type { DisplaySettings } from "../core/host.ts";
import type { Json } from "../core/json.ts";
import type { Budgets, Limit, Price } from "../core/spend.ts";
import type { Origin as WorkOrigin } from "../core/work/work.ts";

/** Everything a person can set, read once at start and never changed. Holds no key of a provider. */
export type Config = {
  /** `default` is the root home itself. */
  readonly profile: string;
  readonly home: string;
  readonly paths: Paths;
  readonly model: ModelConfig;
  /** Built-in ones included. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly fallbacks: readonly { readonly provider: string; readonly model: string }[];
  readonly auxiliary: Readonly<Partial<Record<AuxiliaryTask, AuxiliaryChoice>>>;
  readonly terminal: {
    readonly securityMode?: "auto" | "approval-required" | "unrestricted";
    readonly network: boolean;
    readonly cwd?: string;
  };
  readonly codex: { readonly home?: string; readonly env: readonly string[] };
  readonly turn: { readonly budgetMs?: number };
  /** Share of what the model can read from which on a conversation is shortened. */
  readonly compression: { readonly threshold: number };
  readonly budgets: Budgets;
  readonly approvals: {
    readonly mode: "manual" | "smart" | "off";
    readonly timeoutMs: number;
    readonly deny: readonly string[];
  };
  readonly display: DisplaySettings;
  /** For how long, and how much, events can be read again. */
  readonly events: { readonly keepMs: number; readonly keepBytes: number };
  readonly tools: { readonly disabled: readonly string[] };
  readonly web: WebConfig;
  readonly browser: { readonly executable?: string };
  readonly imageGen: MediaChoice;
  readonly tts: MediaChoice & { readonly voice?: string };
  readonly delegation: DelegationConfig;
  readonly goals: GoalLimit;
  readonly memory: MemoryConfig;
  readonly skills: SkillsConfig;
  readonly learning: LearningConfig;
  readonly curator: CuratorConfig;
  readonly work: WorkConfig;
  readonly http: HttpSettings;
  readonly gateway: ChatSettings;
  /** Checked but not yet shaped, under their names in the file: no part reads them yet. */
  readonly sections: Readonly<Record<string, Json>>;
};

/** Where a small task is done; `auto` and unset are the main provider. */
export type AuxiliaryChoice = {
  readonly provider?: string;
  readonly model?: string;
  readonly enabled?: boolean;
};

export type WebConfig = {
  readonly search: { readonly backend?: "searxng" | "brave" | "firecrawl"; readonly url?: string };
  readonly askUnknown: boolean;
  /** `host:port` each. */
  readonly allowPrivate: readonly string[];
};

export type MediaChoice = { readonly provider?: string; readonly model?: string };

export type DelegationConfig = {
  readonly runtime?: "loop" | "codex";
  readonly model?: string;
  readonly maxConcurrent: number;
  readonly maxMs: number;
  readonly budget: Limit;
};

/** What turns that nobody typed may use: one run, and a day of them. */
export type WorkConfig = {
  readonly zone: string;
  readonly maxConcurrent: number;
  /** Cards that are worked on at once, and whether sessions of the owner may hand out further ones. */
  readonly workers: number;
  readonly handsOutCards: boolean;
  readonly maxMs: number;
  readonly pauseAfter: number;
  readonly run: Limit;
  readonly budget: {
    readonly day: DayLimit;
    readonly job: DayLimit;
    readonly origins: Readonly<Partial<Record<WorkOrigin, DayLimit>>>;
  };
};

type DayLimit = Limit & { readonly turns?: number };

export type MemoryConfig = {
  readonly enabled: boolean;
  readonly userProfile: boolean;
  readonly charLimit: number;
  readonly userCharLimit: number;
  /** User turns between two reviews; 0: never. */
  readonly nudgeInterval: number;
  readonly provider?: { readonly url: string; readonly keyEnv?: string };
};

export type SkillsConfig = {
  readonly enabled: boolean;
  /** Tool calls between two reviews; 0: never. */
  readonly nudgeInterval: number;
  readonly externalDirs: readonly string[];
};

export type LearningConfig = {
  readonly mode: "off" | "propose" | "auto";
  readonly reviewTokens: number;
  readonly dayTokens: number;
  readonly reviewUsd?: number;
};

export type CuratorConfig = {
  readonly enabled: boolean;
  readonly intervalHours: number;
  readonly staleDays: number;
  readonly archiveDays: number;
};

export type Paths = {
  /** Where profiles live; the same as `home` for the default profile. */
  readonly root: string;
  readonly config: string;
  readonly env: string;
  readonly db: string;
  /** The id of each machine that had this home. */
  readonly hosts: string;
  readonly logs: string;
  readonly recordings: string;
  /** Pictures, sounds and long results that tools made. */
  readonly media: string;
  readonly run: string;
  readonly memories: string;
  readonly skills: string;
  readonly soul: string;
  /** Where cards are worked on. Beside the home: nothing that a model runs may see anything of the home itself. */
  readonly workspaces: string;
};

/** Where a value came from, weakest first. */
export type Origin = "default" | "file" | "environment" | "flag";

export type ModelConfig = {
  readonly provider: string;
  /** Unset when nobody chose a model. */
  readonly name?: string;
  readonly runtime: "loop" | "codex";
  /** What the settings name instead, where the provider cannot be used on it. */
  readonly unusableRuntime?: "codex";
  readonly codexBin?: string;
  /** An explicit choice may outrank what a session remembers; a default may not. */
  readonly from: { readonly provider: Origin; readonly name: Origin; readonly runtime: Origin };
};

export type ProviderConfig =
  /** The built-in offline model. */
  | { readonly kind: "demo"; readonly name: string }
  /** Reached only through codex and its login. */
  | { readonly kind: "codex"; readonly name: string }
  | RouteConfig;

export type RouteConfig = {
  readonly kind: "route";
  readonly name: string;
  /** Base address without a slash at its end. */
  readonly api: string;
  readonly protocol: "responses" | "chat";
  /** Name of the variable that holds the key; unset when the address needs none. */
  readonly keyEnv?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly string[];
  readonly contextWindow?: number;
  /** By model. The cost of a model that is not here is unknown. */
  readonly prices: Readonly<Record<string, Price>>;
  /** On codex this one runs with codex's own login. */
  readonly codexLogin: boolean;
};

/** What the command line said, already parsed. */
export type Flags = {
  readonly profile?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly runtime?: string;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the home is looked for. */
export type HomeSources = {
  readonly env: Environment;
  readonly homeDir: string;
};
