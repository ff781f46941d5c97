import { unfinishedCall } from "../../agent/recovery/open-calls.ts";
import type { Handlers } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import type { CallItem } from "../../core/items.ts";
import type { Session, StoredMessage } from "../../core/session.ts";
import { typedInput } from "../../core/skill-input.ts";
import { turnParts } from "../../core/turn-parts.ts";
import type { Clock } from "../../lib/clock.ts";
import type { OpenCall } from "../../store/schema/tool-tables.ts";
import type { Owner, Store } from "../../store/store.ts";
import { exportJsonl, exportMarkdown } from "../../transcript/export.ts";
import { undoneTurns } from "../../transcript/numbered-turn.ts";
import { project, startProjection } from "../../transcript/projector.ts";
import { deleting } from "./deleting.ts";

export type SessionOperation =
  | `sessions.${"get" | "list" | "messages" | "turns" | "past" | "count" | "items" | "rename" | "search" | "export" | "delete"}`
  | `inputs.${"waiting" | "setAside" | "drop" | "delete"}`
  | "prompts.list";

/** Sessions as surfaces see them. */
export function sessionAccess(
  store: Store,
  owner: Owner,
  isGone: (owner: Owner) => boolean,
  clock: Clock,
): Handlers<SessionOperation> {
  const isSelf = ({ host, pid, startTime }: Owner): boolean =>
    host === owner.host && pid === owner.pid && startTime === owner.startTime;
  const rows = (session: SessionId, last?: number): Promise<readonly StoredMessage[]> =>
    sessionRows(store, { isGone, isSelf }, session, last);
  return {
    "sessions.get": ({ session }) => findOne(store, session),
    "sessions.list": (filter) => store.sessions.list(filter),
    "sessions.messages": ({ session, last }) => rows(session, last),
    "sessions.turns": ({ session, after, last }) =>
      last === undefined ? store.sessions.turns(session, after) : store.sessions.lastTurns(session, last),
    "sessions.past": async ({ session, ...window }) => {
      const { earlier, turns } = await store.sessions.past(session, window);
      return {
        earlier,
        turns: turns.map(({ turn, rows: all, items }) => ({ turn, parts: turnParts(all, items) })),
      };
    },
    "sessions.count": ({ session }) => store.sessions.count(session),
    "sessions.items": ({ turn }) => store.turns.items(turn),
    async "sessions.rename"({ session, title }) {
      await store.sessions.update((await findOne(store, session)).id, { title: titleOf(title) });
      return null;
    },
    "inputs.waiting": ({ session }) => store.inbox.inState("waiting", session),
    "inputs.setAside": ({ session }) => store.inbox.inState("kept", session),
    "inputs.drop": ({ inbox }) => store.inbox.drop(inbox),
    "prompts.list": async ({ limit }) =>
      (await store.inbox.typed({ surfaces: terminals, limit })).map(typedInput),
    "sessions.search": (query) => store.search(query),
    async *"sessions.export"({ session, format }) {
      const found = await findOne(store, session);
      const [turns, messages] = await Promise.all([store.sessions.turns(found.id), rows(found.id)]);
      const undone = undoneTurns(turns);
      yield* format === "md" ? exportMarkdown(found, messages, undone) : exportJsonl(messages, undone);
    },
    ...deleting(store, owner, isGone, clock),
  };
}

/** Where people type at this machine. */
const terminals = ["cli", "tui"];

const longestTitle = 200;

/** One line, without what a screen would obey. */
function titleOf(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, " ");
  const title = line.replaceAll(/ {2,}/g, " ").trim();
  if (title === "") {
    throw new Refusal("usage", "A title needs at least one character.", "Write it after the command.");
  }
  if ([...title].length <= longestTitle) return title;
  throw new Refusal("usage", `A title has at most ${longestTitle} characters.`, "Write a shorter one.");
}

async function findOne(store: Store, idOrPrefix: string): Promise<Session> {
  const found = idOrPrefix === "" ? [] : await store.sessions.find(idOrPrefix);
  const exact = found.find((session) => session.id === idOrPrefix);
  const [only, ...more] = found;
  if (exact !== undefined) return exact;
  if (only === undefined) {
    throw new Refusal("not_found", `There is no session "${idOrPrefix}".`, "See `talaria sessions list`.");
  }
  if (more.length === 0) return only;
  const some = found.map((session) => session.id).join(", ");
  throw new Refusal("not_found", `"${idOrPrefix}" fits several sessions: ${some}.`, "Write more of the id.");
}

/**
 * The rows of a session as people see them. Calls that were begun and have no result yet stand at the end, because what
 * they did may be there: those of a process that is gone as the next start will keep them, others as what they are. Those
 * of this process are left out: whoever watches here hears of them.
 */
async function sessionRows(
  { sessions, calls, leases }: Pick<Store, "sessions" | "calls" | "leases">,
  {
    isGone,
    isSelf,
  }: { readonly isGone: (owner: Owner) => boolean; readonly isSelf: (owner: Owner) => boolean },
  session: SessionId,
  count: number | undefined,
): Promise<readonly StoredMessage[]> {
  const window = count === undefined ? undefined : { around: Number.MAX_SAFE_INTEGER, radius: count };
  const [rows, [last]] = await Promise.all([
    sessions.messages(session, window),
    sessions.lastTurns(session, 1),
  ]);
  const open = last?.state === "open" ? await calls.open(last.id) : [];
  if (last === undefined || open.length === 0) return rows;
  const holder = await leases.holder(session);
  if (holder !== undefined && isSelf(holder.owner)) return rows;
  const asItem = holder === undefined || isGone(holder.owner) ? unfinishedCall : atWork;
  const { seq = 0, at = last.startedAt } = rows.at(-1) ?? {};
  const added = open.flatMap((call) => {
    const [, messages] = project(startProjection(), { type: "item", item: asItem(call) });
    return messages.map((message) => ({ turn: last.id, item: call.id, at, message }));
  });
  return [...rows, ...added.map((row, index) => ({ ...row, seq: seq + 1 + index }))];
}

const atWork = ({ mayHaveRun, ...head }: OpenCall): CallItem => ({
  ...head,
  kind: "call",
  output: mayHaveRun ? "[runs now]" : "[waits for permission]",
  ok: true,
});
