import type { EndedEvent, NoticeEvent, Usage } from "../core/events.ts";
import { isPlatform } from "../core/gateway/chat.ts";
import type { TurnId } from "../core/ids.ts";
import type { Item } from "../core/items.ts";
import type { StoredInput, RevertedChoices } from "../core/session.ts";
import type { StoredUsage } from "../core/usage.ts";
import type { Lease, Reply } from "../store/store.ts";
import { type Projection, project, startProjection } from "../transcript/projector.ts";
import type { Hub } from "./hub.ts";
import type { AgentDeps } from "./index.ts";

type Say = ReturnType<Hub["publisher"]>;

/** What has been committed of a turn so far. */
export type Progress = {
  projection: Projection;
  calls: number;
  /** A call has begun, whatever became of it. */
  began?: true;
  text: string;
  /** What it has used so far and is not kept yet: that is done with the next item, or while a tool runs. */
  usage?: Usage;
  /** What the person was told since the last commit; it is kept with the next one. */
  notices: NoticeEvent[];
  /** A model has been asked, and has not said yet what the answer took. */
  asking?: boolean;
};

export const startProgress = (committed: readonly Item[] = []): Progress => {
  const progress: Progress = { projection: startProjection(), calls: 0, text: "", notices: [] };
  for (const item of committed) {
    [progress.projection] = project(progress.projection, { type: "item", item });
    count(item, progress);
  }
  return progress;
};

/** Keeps a finished item with its rows, secrets masked. `undefined`: it was there already. */
export async function commitItem(
  deps: AgentDeps,
  lease: Lease,
  turn: TurnId,
  raw: Item,
  progress: Progress,
): Promise<Item | undefined> {
  const item = redacted(raw, deps.redact);
  const [projection, rows] = project(progress.projection, { type: "item", item });
  const { usage } = progress;
  const notices = [...progress.notices];
  const { turns } = deps.store;
  const kept = await turns.keep(lease, turn, item, rows, deps.clock.now(), usage, notices);
  // Only now: what could not be kept is kept with the next commit, and so is what was said meanwhile.
  progress.notices.splice(0, notices.length);
  if (progress.usage === usage) delete progress.usage;
  if (!kept) return undefined;
  progress.projection = projection;
  count(item, progress);
  return item;
}

/** Ends the turn once. A chat gets its answer through the outbox, in the same transaction. */
export async function commitEnd(
  deps: AgentDeps,
  lease: Lease,
  turn: TurnId,
  ended: EndedEvent,
  input: StoredInput,
  also: {
    readonly tell: boolean;
    readonly release?: boolean;
    readonly usage?: readonly StoredUsage[];
    readonly unchosen?: RevertedChoices;
    readonly notices?: readonly NoticeEvent[];
  },
): Promise<void> {
  const replies = deps.answering(input.key.surface) === "posted" ? answerTo(input, ended) : [];
  // Other work has further turns, or something else to settle with.
  const settles = input.work?.origin === "batch" ? { settles: input.id } : {};
  await deps.store.turns.end(lease, turn, ended, deps.clock.now(), { replies, ...also, ...settles });
}

/** What nobody has typed can be answered by saying nothing; a person always gets an answer. */
function answerTo({ key, work }: StoredInput, ended: EndedEvent): readonly Reply[] {
  const { surface, account, chat, messageId } = key;
  const markdown = replyText(ended);
  if (!isPlatform(surface) || (work !== undefined && markdown.trim() === "[SILENT]")) return [];
  const body = { kind: "answer", markdown } as const;
  return [{ surface, account, chat, body, ...(work === undefined ? { replyTo: messageId } : {}) }];
}

/** Says it, and remembers notices for the next commit. */
export function noting(say: Say, progress: Progress): Say {
  return (event) => {
    if (event.type === "notice") progress.notices.push(event);
    return say(event);
  };
}

function count(item: Item, progress: Progress): void {
  if (item.kind === "call") progress.calls += 1;
  if (item.kind === "text" && item.phase !== "commentary") progress.text = item.text;
}

/** Tool output may carry a key by accident; it is masked before it is stored or shown. */
function redacted(item: Item, redact: (text: string) => string): Item {
  if (item.kind !== "call") return item;
  const diff = item.diff === undefined ? {} : { diff: redact(item.diff) };
  return { ...item, output: redact(item.output), ...diff };
}

function replyText(ended: EndedEvent): string {
  if (ended.fault !== undefined) return `${ended.fault.message} ${ended.fault.next}`;
  if (ended.outcome === "interrupted")
    return "That was interrupted before it finished. Send it again to retry.";
  return ended.text === "" ? "That ended without an answer." : ended.text;
}
