import { isObject } from "../../codex-schema/json-schema.ts";
import {
  anyThread,
  field,
  load,
  loaded,
  type Method,
  Refusal,
  type Session,
  settings,
  shown,
  threadId,
} from "./session.ts";
import { hasAbility } from "../../../src/runtimes/codex/process/version.ts";
import { wordsOnly } from "./old-journal.ts";
import { completeIn, keep, type LiveThread, setStatus } from "./stage.ts";
import { emptyThread, replay, threadJson, type Turn, turnJson } from "./thread-log.ts";
import { chosen, newMeta } from "./thread-settings.ts";

export const threadStart: Method = async (session, params, respond) => {
  if (params["dynamicTools"] !== undefined && !session.client.experimental)
    throw new Refusal("thread/start.dynamicTools requires experimentalApi capability");
  if (!hasAbility("nestedTools", session.script.version) && !listOf(params["dynamicTools"]).every(isFlat))
    throw new Refusal("Invalid request: missing field `inputSchema`");
  const meta = newMeta(session, params);
  const live = load(session, emptyThread(meta));
  await respond(settings(session, live));
  await session.notify("thread/started", { thread: shown(session, live) });
};

export const threadResume: Method = async (session, params, respond) => {
  const id = threadId(params, "session");
  const known = session.threads.get(id);
  if (known === undefined || !known.thread.stored) {
    const thread = replay(session.home.read(id));
    if (thread === undefined) throw new Refusal(`no rollout found for thread id ${id}`);
    if (!session.home.lock(id)) throw new Refusal(`thread ${id} already has an active writer`);
    load(session, { ...thread, meta: { ...thread.meta, ...chosen(params) } });
  }
  const live = session.threads.get(id) as LiveThread;
  const turns =
    params["excludeTurns"] === true ? [] : live.thread.turns.map((turn) => turnJson(turn, "full"));
  if (params["excludeTurns"] !== true) await deprecation(session, "use `excludeTurns: true`");
  if (known === undefined)
    await session.notify("thread/status/changed", { threadId: id, status: live.status });
  const collaboration = {
    model: live.thread.meta.model,
    reasoning_effort: null,
    developer_instructions: null,
  };
  await respond({
    ...settings(session, live, turns),
    collaborationMode: { mode: "default", settings: collaboration },
    initialTurnsPage: null,
    turnsBackwardsCursor: null,
    itemsBackwardsCursor: null,
  });
  const { usage } = live.thread;
  if (usage !== undefined)
    await session.notify("thread/tokenUsage/updated", {
      threadId: id,
      turnId: live.thread.turns.at(-1)?.id ?? "",
      tokenUsage: { total: usage.total, last: usage.last, modelContextWindow: usage.window },
    });
  await session.notify("thread/goal/cleared", { threadId: id });
};

export const threadFork: Method = async (session, params, respond) => {
  const id = threadId(params);
  const from = session.threads.get(id)?.thread ?? replay(session.home.read(id));
  if (from === undefined) throw new Refusal(`no rollout found for thread id ${id}`);
  const ephemeral = params["ephemeral"] === true;
  const meta = { ...from.meta, ...chosen(params), id: session.ids.uuid(), ephemeral, forkedFromId: id };
  const live = load(session, { ...structuredClone(from), meta, stored: false });
  for (const turn of live.thread.turns) copyTurn(session, live, turn);
  const turns =
    params["excludeTurns"] === true ? [] : live.thread.turns.map((turn) => turnJson(turn, "full"));
  await respond(settings(session, live, turns));
  await session.notify("thread/started", { thread: shown(session, live) });
};

/** The turns are in the fork's memory already; this is for its disk. */
function copyTurn(session: Session, live: LiveThread, turn: Turn): void {
  if (live.thread.meta.ephemeral) return;
  const { id } = live.thread.meta;
  if (!live.thread.stored) session.home.append(id, { kind: "thread", meta: live.thread.meta });
  live.thread.stored = true;
  session.home.append(id, { kind: "turn", turn: turn.id, at: turn.startedAtMs });
  for (const item of turn.items) session.home.append(id, { kind: "item", turn: turn.id, item });
  const { status, error } = turn;
  session.home.append(id, {
    kind: "end",
    turn: turn.id,
    status,
    error,
    at: turn.completedAtMs ?? turn.startedAtMs,
  });
}

export const threadRead: Method = async (session, params, respond) => {
  const { thread, status } = anyThread(session, threadId(params));
  const whole = params["includeTurns"] === true;
  if (whole && !thread.stored) throw new Refusal("list_turns is not supported yet", -32601);
  if (whole) await deprecation(session, "omit `includeTurns` or set it to `false`");
  const kept = hasAbility("wholeJournal", session.script.version) ? thread.turns : wordsOnly(thread.turns);
  const turns = whole ? kept.map((turn) => turnJson(turn, "full")) : [];
  const about = { status, home: session.homePath, version: session.script.version, turns };
  await respond({ thread: threadJson(thread, about), readState: null });
};

export const itemsList: Method = async (session, params, respond) => {
  const id = threadId(params);
  const thread = session.threads.get(id)?.thread ?? replay(session.home.read(id));
  if (thread === undefined || !thread.stored || !hasAbility("wholeJournal", session.script.version))
    throw new Refusal("thread/items/list is not supported yet", -32601);
  const turns = thread.turns.filter((turn) => (params["turnId"] ?? turn.id) === turn.id);
  const rows = turns.flatMap((turn) =>
    turn.items.map((item) => ({
      turnId: turn.id,
      item,
      startedAtMs: item["startedAtMs"],
      completedAtMs: item["completedAtMs"],
    })),
  );
  const ordered = params["sortDirection"] === "desc" ? rows.toReversed() : rows;
  const from = Number(params["cursor"] ?? 0);
  const limit = typeof params["limit"] === "number" ? params["limit"] : ordered.length;
  const nextCursor = from + limit < ordered.length ? String(from + limit) : null;
  await respond({ data: ordered.slice(from, from + limit), nextCursor, backwardsCursor: null });
};

/** The newest first, each with the words of the user and the last of the model. */
export const turnsList: Method = async (session, params, respond) => {
  const { thread } = anyThread(session, threadId(params));
  const turns = params["sortDirection"] === "asc" ? thread.turns : thread.turns.toReversed();
  const data = turns.map((turn) => {
    const said = turn.items.filter(({ type }) => type === "userMessage").slice(0, 1);
    const answer = turn.items.filter(({ type }) => type === "agentMessage").slice(-1);
    return { ...turnJson(turn, "summary"), items: [...said, ...answer] };
  });
  await respond({ data, nextCursor: null, backwardsCursor: null });
};

/** The thread forgets the turn and all after it. For that it is loaded anew, also if there is no such turn. */
export const threadRevert: Method = async (session, params, respond) => {
  const live = loaded(session, threadId(params));
  const before = String(field(params, "beforeTurnId"));
  await setStatus(session, live, { type: "notLoaded" });
  await setStatus(session, live, { type: "idle" });
  if (!live.thread.turns.some(({ id }) => id === before)) throw new Refusal(`turn not found: ${before}`);
  keep(session, live, { kind: "revert", before });
  await respond({ thread: shown(session, live), turnsBackwardsCursor: null, itemsBackwardsCursor: null });
  await session.notify("thread/reverted", { threadId: live.thread.meta.id });
};

export const injectItems: Method = async (session, params, respond) => {
  const live = loaded(session, threadId(params));
  keep(session, live, { kind: "inject", items: params["items"] as readonly unknown[] });
  session.home.lock(live.thread.meta.id);
  await respond({});
};

export const cleanTerminals: Method = async (session, params, respond) => {
  if (!session.client.experimental)
    throw new Refusal("thread/backgroundTerminals/clean requires experimentalApi capability");
  const live = loaded(session, threadId(params));
  await respond({});
  for (const [id, { turn, item, output }] of live.background) {
    live.background.delete(id);
    const ended = { ...item, status: "failed", aggregatedOutput: output, exitCode: -1, durationMs: 1 };
    await completeIn(session, live, turn, ended, Number(item["startedAtMs"]));
  }
};

const isFlat = (tool: unknown): boolean => isObject(tool) && tool["inputSchema"] !== undefined;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const deprecation = (session: Session, advice: string): Promise<void> =>
  session.notify("deprecationNotice", {
    summary: `Full-history hydration is deprecated for paginated threads; ${advice}, then page with \`thread/turns/list\` and \`thread/items/list\`.`,
    details: null,
  });
