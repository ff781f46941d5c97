import type { FakeScript } from "./script.ts";
import type { LiveThread, Server } from "./stage.ts";
import { replay, type Thread, threadJson } from "./thread-log.ts";
import type { ActiveTurn } from "./turns.ts";

export type Params = Readonly<Record<string, unknown>>;

/** Thrown to refuse a request in codex's own words. */
export class Refusal extends Error {
  readonly code: number;
  constructor(message: string, code = -32600) {
    super(message);
    this.code = code;
  }
}

/** One client of one app-server. */
export type Session = Server & {
  readonly script: FakeScript;
  readonly homePath: string;
  readonly config: Readonly<Record<string, string>>;
  readonly threads: Map<string, LiveThread>;
  readonly active: Map<string, ActiveTurn>;
  readonly client: { name: string; experimental: boolean; ready: boolean; readonly unwanted: Set<string> };
  /** Something that no client should have done, or that the script did not foresee. */
  readonly violation: (problem: object) => void;
};

/** Answers with `respond`, once, and may say more before and after. */
export type Method = (
  session: Session,
  params: Params,
  respond: (result: object) => Promise<void>,
) => Promise<void>;

export function load(session: Session, thread: Thread): LiveThread {
  const live: LiveThread = {
    thread,
    status: { type: "idle" },
    grants: new Set(),
    stale: undefined,
    background: new Map(),
  };
  session.threads.set(thread.meta.id, live);
  return live;
}

export function loaded(session: Session, id: string): LiveThread {
  const live = session.threads.get(id);
  if (live === undefined) throw new Refusal(`thread not found: ${id}`);
  return live;
}

/** A thread that is loaded, or at least on the disk. */
export function anyThread(session: Session, id: string): Pick<LiveThread, "thread" | "status"> {
  const live = session.threads.get(id);
  const stored = live === undefined ? replay(session.home.read(id)) : undefined;
  if (live !== undefined) return live;
  if (stored === undefined) throw new Refusal(`thread not loaded: ${id}`);
  return { thread: stored, status: { type: "notLoaded" } };
}

export function field(params: Params, name: string): unknown {
  if (params[name] === undefined) throw new Refusal(`Invalid request: missing field \`${name}\``);
  return params[name];
}

export function threadId(params: Params, word = "thread"): string {
  const id = String(field(params, "threadId"));
  const wrong = Array.from(id).findIndex((letter) => !/[0-9a-fA-F-]/.test(letter));
  if (wrong !== -1)
    throw new Refusal(
      `invalid ${word} id: invalid character: expected an optional prefix of \`urn:uuid:\` followed by [0-9a-fA-F-], found \`${id[wrong]}\` at ${wrong + 1}`,
    );
  if (id.length !== 36)
    throw new Refusal(
      `invalid ${word} id: invalid length: expected length 32 for simple format, found ${id.length}`,
    );
  return id;
}

/** The common part of the answers that hand a thread to the client. */
export function settings(session: Session, live: LiveThread, turns: object[] = []): object {
  const { meta } = live.thread;
  return {
    thread: shown(session, live, turns),
    model: meta.model,
    modelProvider: meta.modelProvider,
    serviceTier: null,
    disabledPluginIds: [],
    cwd: meta.cwd,
    runtimeWorkspaceRoots: [meta.cwd],
    instructionSources: [],
    approvalPolicy: meta.approvalPolicy,
    approvalsReviewer: "user",
    sandbox: meta.sandbox,
    activePermissionProfile: meta.sandboxChosen ? null : { id: ":read-only", extends: null },
    reasoningEffort: null,
    multiAgentMode: "explicitRequestOnly",
  };
}

export const shown = (session: Session, live: LiveThread, turns: object[] = []): object =>
  threadJson(live.thread, {
    status: live.status,
    home: session.homePath,
    version: session.script.version,
    turns,
  });
