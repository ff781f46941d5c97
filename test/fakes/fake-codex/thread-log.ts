/** A thread is the sum of its records. They are appended as things happen, so they are also what a crash leaves. */
export type ThreadRecord =
  | { readonly kind: "thread"; readonly meta: ThreadMeta }
  | { readonly kind: "turn"; readonly turn: string; readonly at: number }
  | { readonly kind: "item"; readonly turn: string; readonly item: Item }
  | {
      readonly kind: "end";
      readonly turn: string;
      readonly status: TurnStatus;
      readonly error: unknown;
      readonly at: number;
    }
  | { readonly kind: "usage"; readonly total: Usage; readonly last: Usage; readonly window: number }
  | { readonly kind: "inject"; readonly items: readonly unknown[] }
  | { readonly kind: "revert"; readonly before: string };

export type ThreadMeta = {
  readonly id: string;
  readonly cwd: string;
  readonly model: string;
  readonly modelProvider: string;
  readonly approvalPolicy: unknown;
  readonly sandbox: unknown;
  /** False: codex's own default, because nobody chose. */
  readonly sandboxChosen: boolean;
  readonly createdAt: number;
  readonly ephemeral: boolean;
  readonly forkedFromId: string | null;
  readonly originator: string;
  readonly dynamicTools: readonly unknown[];
};

export type Item = { readonly type: string; readonly id: string } & Readonly<Record<string, unknown>>;
export type TurnStatus = "inProgress" | "completed" | "interrupted" | "failed";
export type Usage = Readonly<Record<string, number>>;

export type Turn = {
  readonly id: string;
  items: Item[];
  status: TurnStatus;
  error: unknown;
  readonly startedAtMs: number;
  completedAtMs: number | null;
};

export type Thread = {
  meta: ThreadMeta;
  readonly turns: Turn[];
  usage: { readonly total: Usage; readonly last: Usage; readonly window: number } | undefined;
  /** Something was written, so another process can find it. */
  stored: boolean;
};

export const emptyThread = (meta: ThreadMeta): Thread => ({
  meta,
  turns: [],
  usage: undefined,
  stored: false,
});

/** Undefined: there is no such thread. A turn without an end was cut off by the end of its process. */
export function replay(records: readonly ThreadRecord[]): Thread | undefined {
  const [first] = records;
  if (first?.kind !== "thread") return undefined;
  const thread = emptyThread(first.meta);
  for (const record of records) applyRecord(thread, record);
  for (const turn of thread.turns) if (turn.status === "inProgress") turn.status = "interrupted";
  return { ...thread, stored: true };
}

export function applyRecord(thread: Thread, record: ThreadRecord): void {
  if (record.kind === "thread") thread.meta = record.meta;
  if (record.kind === "usage")
    thread.usage = { total: record.total, last: record.last, window: record.window };
  if (record.kind === "revert") thread.turns.splice(thread.turns.findIndex(({ id }) => id === record.before));
  if (record.kind === "turn")
    thread.turns.push({
      id: record.turn,
      items: [],
      status: "inProgress",
      error: null,
      startedAtMs: record.at,
      completedAtMs: null,
    });
  const turn = "turn" in record ? thread.turns.find(({ id }) => id === record.turn) : undefined;
  if (turn === undefined) return;
  if (record.kind === "item") turn.items.push(record.item);
  if (record.kind !== "end") return;
  turn.status = record.status;
  turn.error = record.error;
  turn.completedAtMs = record.at;
}

export type ThreadStatus =
  | { readonly type: "idle" | "notLoaded" | "systemError" }
  | { readonly type: "active"; readonly activeFlags: readonly string[] };

/** A thread as it travels. */
export function threadJson(
  { meta, turns }: Thread,
  about: {
    readonly status: ThreadStatus;
    readonly home: string;
    readonly version: string;
    readonly turns?: object[];
  },
): object {
  const seconds = Math.floor(meta.createdAt / 1000);
  const changed = Math.floor((turns.at(-1)?.startedAtMs ?? meta.createdAt) / 1000);
  const loaded = about.status.type !== "notLoaded";
  return {
    id: meta.id,
    environments: loaded
      ? [{ environmentId: "local", cwd: meta.cwd, runtimeWorkspaceRoots: [meta.cwd] }]
      : null,
    extra: null,
    sessionId: meta.id,
    forkedFromId: meta.forkedFromId,
    parentThreadId: null,
    preview: preview(turns),
    ephemeral: meta.ephemeral,
    section: null,
    sectionEnteredAt: null,
    projectId: null,
    historyMode: "paginated",
    modelProvider: meta.modelProvider,
    model: meta.model,
    reasoningEffort: null,
    createdAt: seconds,
    updatedAt: changed,
    recencyAt: changed,
    status: about.status,
    path: meta.ephemeral ? null : `${about.home}/fake-codex/threads/${meta.id}.jsonl`,
    cwd: meta.cwd,
    cliVersion: about.version,
    originator: meta.originator,
    source: "vscode",
    canAcceptDirectInput: loaded ? true : null,
    threadSource: null,
    agentNickname: null,
    agentRole: null,
    gitInfo: null,
    name: null,
    daybreakEnabled: null,
    turns: about.turns ?? [],
  };
}

export type ItemsView = "notLoaded" | "summary" | "full";

/** A turn as it travels; `fresh` is how the answer to `turn/start` shows it, before it has begun. */
export function turnJson(turn: Turn, itemsView: ItemsView, fresh = false): object {
  const items = itemsView === "full" ? turn.items : itemsView === "summary" ? summaryItems(turn) : [];
  const ended = turn.completedAtMs;
  return {
    id: turn.id,
    rootTurnId: turn.id,
    items,
    itemsView,
    status: turn.status,
    error: turn.error,
    startedAt: fresh ? null : Math.floor(turn.startedAtMs / 1000),
    completedAt: ended === null ? null : Math.floor(ended / 1000),
    durationMs: ended === null ? null : Math.max(0, Math.round(ended - turn.startedAtMs)),
  };
}

const summaryItems = (turn: Turn): readonly Item[] => {
  const last = turn.items.findLast(({ type }) => type === "agentMessage");
  return last === undefined ? [] : [last];
};

function preview(turns: readonly Turn[]): string {
  const [first] = turns.flatMap(({ items }) => items.filter(({ type }) => type === "userMessage"));
  const [part] = (first?.["content"] ?? []) as readonly { readonly text?: string }[];
  return part?.text ?? "";
}
