import type { RevisionId, SessionId, TurnId } from "./ids.ts";
import type { Json } from "./json.ts";

/** Who wanted a change of what is learned. */
export type Author = "person" | "agent" | "review" | "curator";

/**
 * writing: wanted and not yet known to be on disk · active: it happened · proposed: it waits for a person · rejected: a
 * person said no · failed: it did not happen
 */
export type RevisionState = "writing" | "active" | "proposed" | "rejected" | "failed";

/** Where a change comes from. */
export type LearnedFrom = {
  readonly by: Author;
  readonly session?: SessionId;
  readonly turn?: TurnId;
  /** Lines of the conversation that it rests on. */
  readonly evidence: readonly string[];
  /** Did all of it come from the person or the agent's own work? Text of others is never trusted. */
  readonly trusted: boolean;
};

/** One change of one file of memory or of a skill. */
export type Revision = LearnedFrom & {
  readonly id: RevisionId;
  readonly at: number;
  readonly kind: "memory" | "skill";
  /** Below the home: `memories/USER.md`, `skills/deploy/SKILL.md`. */
  readonly file: string;
  /** One line for people. */
  readonly summary: string;
  /** What was asked for, so that a proposal can be done later to the file as it then is. */
  readonly change: Json;
  /** The whole file; undefined: there is none. Of a proposal: as it was, and as it would be. */
  readonly before?: string;
  readonly after?: string;
  readonly state: RevisionState;
  /** Why it waits, was rejected or failed. */
  readonly why?: string;
  /** The revision that this one takes back. */
  readonly reverts?: RevisionId;
  readonly decidedAt?: number;
  readonly decidedBy?: string;
};

export type RevisionFilter = {
  readonly limit: number;
  readonly since?: number;
  readonly states?: readonly RevisionState[];
  readonly kind?: Revision["kind"];
  readonly file?: string;
};

/** A review of a session. `upTo`: the last turn that it had before it. */
export type StoredReview = {
  readonly session: SessionId;
  readonly kind: "memory" | "skills";
  readonly upTo: TurnId;
  readonly at: number;
  /** running: under way, or its process is gone · cancelled: the next turn came first */
  readonly state: "running" | "done" | "cancelled" | "failed";
  /** What it cost is in the ledger of costs. */
  readonly tokens: number;
  /** What came of it, in one line. */
  readonly result?: string;
};

/** That something learned was before the model in a turn. */
export type StoredUse = {
  readonly kind: "memory" | "skill";
  /** A skill's name, or the hash of a memory entry. */
  readonly name: string;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly at: number;
};

/** What is known of one skill or entry from the turns that had it. `calls`: tool calls of all those turns. */
export type UseSum = {
  readonly kind: StoredUse["kind"];
  readonly name: string;
  readonly uses: number;
  readonly first: number;
  readonly last: number;
  readonly done: number;
  readonly failed: number;
  readonly calls: number;
};

/** A skill in a list for people. */
export type ListedSkill = {
  readonly name: string;
  readonly description: string;
  /** home: ours · external: a folder of the settings · project: of the working folder, once it is trusted */
  readonly source: "home" | "external" | "project";
  /** Where its SKILL.md is. */
  readonly path: string;
  readonly by: Author;
  /** broken: it looks like one and cannot be used; the description says why */
  readonly state: "active" | "stale" | "archived" | "untrusted" | "broken";
  readonly pinned: boolean;
  readonly uses: number;
  readonly lastUse?: number;
};

/** What people call a file of memory or of a skill: nobody knows a project by its hash. */
export const learnedFileName = (file: string, whose = "the project's"): string =>
  file.replace(/^memories\/projects\/[0-9a-f]{12}\//, `${whose} `);

/** A file of memory, as people see it. */
export type ListedMemory = {
  /** Below the home. */
  readonly file: string;
  readonly target: "memory" | "user" | "project";
  /** Characters that it has, and may have. */
  readonly chars: number;
  readonly limit: number;
  readonly entries: readonly {
    readonly text: string;
    /** Since when it stands there; unset: nobody knows. */
    readonly since?: number;
    readonly by?: Author;
    /** Turns that had it before them. */
    readonly uses: number;
    /** Why models are not told it. */
    readonly leftOut?: string;
  }[];
};

/** How it went with something learned, and without it before. Numbers are of turns in the same folder. */
export type Benefit = {
  readonly kind: "memory" | "skill";
  readonly name: string;
  readonly uses: number;
  readonly done: number;
  readonly failed: number;
  /** Tool calls per turn: of the turns that had it, and of as many before it was learned; unset: too few to say. */
  readonly callsWith?: number;
  readonly callsBefore?: number;
};

export type Forgotten = {
  readonly files: readonly string[];
  readonly revisions: number;
  /** What has the text and was left: a conversation, which `sessions delete` removes. */
  readonly left: readonly string[];
};

/** What a text would take along. `gone`: entries or lines; `whole`: the file goes as it is. */
export type Forgettable = {
  readonly files: readonly {
    readonly file: string;
    readonly gone: readonly string[];
    readonly whole: boolean;
  }[];
  readonly revisions: number;
};

/** No model is told it any more. Until then it can be taken back, after that it is gone. */
export type Forgetting = Forgotten & { readonly until: number };

/** `calls`: for each turn, unset when there was none. */
export type LearnedDay = {
  readonly day: string;
  readonly learned: number;
  readonly used: number;
  readonly calls?: number;
};

/** What people see of learning, and do with it. */
export interface Learned {
  /** The time by which ages are told. */
  now(): number;
  list(filter: RevisionFilter): Promise<readonly Revision[]>;
  /** By id or a unique beginning of it. Rejects with a Refusal `not_found`. */
  get(idOrPrefix: string): Promise<Revision>;
  approve(idOrPrefix: string): Promise<Revision>;
  reject(idOrPrefix: string): Promise<Revision>;
  revert(idOrPrefix: string): Promise<Revision>;
  /** What `forget` would take: changes nothing. */
  forgettable(text: string): Promise<Forgettable>;
  /** Out of the files at once. A day later all that was derived from it goes; see `forgetForGood`. */
  forget(text: string): Promise<Forgetting>;
  /** Takes the last `forget` back, or the one of this text. Rejects with a Refusal `not_found` when its day is over. */
  unforget(text?: string): Promise<{ readonly text: string } & Pick<Forgotten, "files" | "left">>;
  /** Everything that was derived from it, now: entries, lines of skills, proposals, the texts of revisions, uses. */
  forgetForGood(text: string): Promise<Forgotten>;
  /** Does for good what was forgotten a day ago. Resolves with how many texts that were. */
  settleForgotten(): Promise<number>;
  benefit(): Promise<readonly Benefit[]>;
  /** Of the day each, oldest first: what was learned, what was used. */
  history(days: number): Promise<readonly LearnedDay[]>;
  /** What it changes or would change, as a unified diff; empty when its text was forgotten. */
  diff(idOrPrefix: string): Promise<string>;
  /** Of the person, and of the project that the folder belongs to. */
  memory(cwd: string): Promise<readonly ListedMemory[]>;
  /** Archived and broken ones come last. Without a folder: where Talaria was started. */
  skills(cwd?: string): Promise<readonly ListedSkill[]>;
  /** The whole text of a skill, as the slash command of its name gives it to the model. `undefined`: there is none. */
  skill(name: string, cwd: string): Promise<string | undefined>;
  pin(skill: string, pinned: boolean): Promise<void>;
  /** Lets the skills of a project folder be used. */
  trust(folder: string): Promise<readonly ListedSkill[]>;
  /** They are used no more. Gives the folder of the project. */
  distrust(folder: string): Promise<string>;
  /** Archives what nobody uses; says what it did or would do. */
  curate(how: { readonly dryRun: boolean }): Promise<readonly string[]>;
  /** Brings the last run of the curator back. */
  uncurate(): Promise<readonly string[]>;
  /** Reviews a session now. */
  refine(session: SessionId): Promise<string>;
}
