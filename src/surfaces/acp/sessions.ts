import { type ListSessionsRequest, type ListSessionsResponse, RequestError } from "@agentclientprotocol/sdk";
import { toFailure } from "../../core/failure.ts";
import type { Client } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import { newId } from "../../core/ids.ts";
import type { NewSession, Session } from "../../core/session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Editor } from "./editor.ts";
import { type OpenSession, openSession } from "./open-session.ts";
import { type Opening, checkFolder, ignoredTexts, movedText } from "./opening.ts";
import type { SettingsView } from "./session-settings.ts";

export type SessionsParts = {
  readonly host: () => Promise<Client>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

type OpenedSession = SettingsView & { readonly sessionId: string };

/** The sessions that one editor has open. */
export interface OpenSessions {
  begin(editor: Editor, opening: Opening): Promise<OpenedSession>;
  /** Goes on with one; `replay`: and sends what was said in it. */
  resume(editor: Editor, id: string, opening: Opening, replay: boolean): Promise<SettingsView>;
  /** Goes on in a copy of one. */
  fork(editor: Editor, id: string, opening: Opening): Promise<OpenedSession>;
  list(request: ListSessionsRequest): Promise<ListSessionsResponse>;
  /** Throws for one that is not open. */
  get(id: string): OpenSession;
  close(id: string): Promise<void>;
  delete(id: string): Promise<void>;
}

export function openSessions(parts: SessionsParts): OpenSessions {
  const shared: SessionsShared = { ...parts, open: new Map(), notYetShown: eachTextOnce(parts.log) };
  const { open, clock } = shared;
  const get = (id: string): OpenSession => {
    const session = open.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };
  return {
    get,
    async begin(editor, opening) {
      await checkFolder(opening);
      const fresh: NewSession = {
        id: newId("ses", clock.now()),
        cwd: opening.cwd,
        surface: "acp",
        audience: "owner",
      };
      return openedReply(shared, await openFor(shared, editor, fresh, opening));
    },
    async resume(editor, id, opening, replay) {
      await checkFolder(opening);
      const { session, isNew } = await openOrReuse(shared, editor, id, opening);
      // One or the other: a turn that runs elsewhere is either past and marked as seen, or told as it goes on.
      if (replay) await session.replay();
      if (isNew && !replay) await session.markSeen();
      const { sessionId: _, ...settings } = await openedReply(shared, session);
      return settings;
    },
    async fork(editor, id, opening) {
      await checkFolder(opening);
      const { id: known } = await findSession(shared, id);
      const copy = await (await shared.host()).call("sessions.fork", { session: known });
      const session = await openFor(shared, editor, copy, opening);
      await session.markSeen();
      return openedReply(shared, session);
    },
    list: async (request) => sessionList(await shared.host(), request),
    async close(id) {
      get(id);
      await leave(shared, id);
    },
    async delete(id) {
      await leave(shared, id);
      const { id: known } = await findSession(shared, id);
      await (await shared.host()).call("sessions.delete", { session: known });
    },
  };
}

type SessionsShared = SessionsParts & {
  readonly open: Map<string, OpenSession>;
  /** Those that were not said in any session yet. */
  readonly notYetShown: (texts: readonly string[]) => readonly string[];
};

/** One that is open goes on: what runs in it is not stopped because somebody looks at it once more. */
async function openOrReuse(
  shared: SessionsShared,
  editor: Editor,
  id: string,
  opening: Opening,
): Promise<{ readonly session: OpenSession; readonly isNew: boolean }> {
  const before = shared.open.get(id);
  if (before?.cwd === opening.cwd) return { session: before, isNew: false };
  const session = await openFor(shared, editor, await findSession(shared, id), opening);
  return { session, isNew: true };
}

/** Its past is still to be sent, or to be marked as seen. */
async function openFor(
  shared: SessionsShared,
  editor: Editor,
  row: NewSession | Session,
  opening: Opening,
): Promise<OpenSession> {
  const { open, notYetShown, clock, log } = shared;
  const host = await shared.host();
  await leave(shared, row.id);
  const exists = "createdAt" in row;
  const { cwd } = opening;
  const moved = exists && row.cwd !== cwd;
  const session = openSession(
    { host, editor, clock, log },
    { ...row, cwd },
    { ...(exists ? { session: row.id } : {}), choices: moved ? { cwd } : {}, attended: "ask" },
  );
  open.set(row.id, session);
  const { warnings } = await host.call("host.status", {});
  for (const text of notYetShown([...warnings, ...ignoredTexts(opening)])) session.warn(text);
  if (moved) session.warn(movedText(row.cwd, cwd));
  return session;
}

async function leave({ open }: SessionsShared, id: string): Promise<void> {
  await open.get(id)?.close();
  open.delete(id);
}

async function openedReply({ clock }: SessionsShared, session: OpenSession): Promise<OpenedSession> {
  const settings = await session.settings();
  void greet(clock, session);
  return { sessionId: session.id, ...settings };
}

/** Behind the answer that gives the editor its session: before, it does not know of it. */
async function greet(clock: Clock, session: OpenSession): Promise<void> {
  await clock.sleep(0, undefined, { hold: true });
  await session.greet();
}

/** What holds for every session is said in the first one, and in the log. */
function eachTextOnce(log: (line: string) => void): (texts: readonly string[]) => readonly string[] {
  const shown = new Set<string>();
  return (texts) => {
    const fresh = texts.filter((text) => !shown.has(text));
    for (const text of fresh) {
      shown.add(text);
      log(`warning: ${text.replaceAll("\n", " ")}`);
    }
    return fresh;
  };
}

/** By its whole id: an editor has no use for the beginning of one. */
async function findSession({ host }: SessionsShared, id: string): Promise<Session> {
  const asked = (await host()).call("sessions.get", { session: id });
  const session = await asked.catch((error: unknown) => {
    if (toFailure(error).code === "not_found") throw RequestError.sessionNotFound(id);
    throw error;
  });
  if (session.id !== id) throw RequestError.sessionNotFound(id);
  return session;
}

const pageSize = 50;

/** Sessions of every surface, newest first, page by page. The cursor is the place in the list. */
async function sessionList(
  client: Client,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const from = cursor === undefined || cursor === null ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new Refusal("usage", `There is no page "${cursor}".`, "Begin without a cursor.");
  const filter = { limit: from + pageSize + 1, ...(cwd === undefined || cwd === null ? {} : { cwd }) };
  const rows = (await client.call("sessions.list", filter)).slice(from);
  return {
    sessions: rows.slice(0, pageSize).map(({ id, cwd: folder, title, preview, updatedAt }) => ({
      sessionId: id,
      cwd: folder,
      title: title ?? preview ?? null,
      updatedAt: new Date(updatedAt).toISOString(),
    })),
    ...(rows.length > pageSize ? { nextCursor: String(from + pageSize) } : {}),
  };
}
