import type { EndedEnvelope } from "../core/events.ts";
import type { RevisionId, SessionId } from "../core/ids.ts";
import type { Json } from "../core/json.ts";
import type { LearnedFrom, Revision } from "../core/learning.ts";

/** A change of one file of memory or of a skill. */
export type LearnedChange = {
  readonly kind: Revision["kind"];
  /** Below the home. */
  readonly file: string;
  /** One line for people. */
  readonly summary: string;
  /** What is asked for, in the words of its kind: enough to do it again to the file as it is later. */
  readonly change: Json;
  readonly from: LearnedFrom;
  readonly reverts?: RevisionId;
};

/**
 * What a file is to be, from what it is; `undefined`: no file. Pure. Asked again when somebody saved the file meanwhile,
 * and when a proposal is approved. Throws a Refusal when it cannot be done to this text; then nothing happens.
 */
export type Redo = (change: Json, now: string | undefined) => string | undefined;

/** The files of memory and skills. Every change of them is a revision, also one that somebody made with an editor. */
export interface LearnedFiles {
  /** As it is on disk now; `undefined`: there is none. */
  read(file: string): Promise<string | undefined>;
  /**
   * Writes it, or keeps it as a proposal. A crash at any moment leaves the old file or the new one, and no save of
   * anybody else is lost. Rejects with a Refusal, and then the file is as before.
   */
  change(change: LearnedChange, how: "write" | "propose", why?: string): Promise<Revision>;
  /** Does what was proposed to the file as it is now. */
  approve(id: RevisionId, by: string): Promise<Revision>;
  reject(id: RevisionId, by: string, why?: string): Promise<Revision>;
  /** Takes an active revision back: byte for byte when nothing came after it, else its own lines alone, or a Refusal. */
  revert(id: RevisionId, by: string): Promise<Revision>;
  /** Settles what a crash left in `writing`. */
  reconcile(): Promise<void>;
}

/** Where words come from that somebody wants to learn. */
export type Provenance = {
  /** Does what it says rest on the person's own words in this session? */
  readonly trusted: boolean;
  /** The lines of the person that it rests on. */
  readonly evidence: readonly string[];
};

/** Reads the session's transcript. */
export type ProvenanceOf = (session: SessionId, text: string) => Promise<Provenance>;

/** Which writes of tools happen, and which wait. Set for each session that calls them. */
export type WriteRule = {
  readonly by: "agent" | "review";
  /** `propose`: everything waits for a person. */
  readonly mode: "propose" | "auto";
};

/** What a session's model is told of memory and skills. */
export type LearnedPrompt = {
  /** The same to the byte for the whole session. */
  readonly frozen: string;
  /** What changed since, each a line. */
  readonly news: readonly string[];
};

/** Looks at finished turns and learns from them, beside the conversation. */
export interface Reviewer extends AsyncDisposable {
  /** Returns at once. A review that is due runs apart from the person's turns. */
  after(session: SessionId, ended: EndedEnvelope): void;
  /** The next turn comes first. Resolves at once or when it has stopped, within 2 s. */
  cancel(session: SessionId): Promise<void>;
  /** `/refine`: now, whether it is due or not. Resolves with what came of it. */
  now(session: SessionId): Promise<string>;
}
