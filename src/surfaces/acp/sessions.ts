import { type ListSessionsRequest, type ListSessionsResponse, RequestError } from "@agentclientprotocol/sdk";
import { toFailure } from "../../core/failure.ts";
import type { Host } from "../../core/host.ts";
import { newId } from "../../core/ids.ts";
import type { NewSession, Session } from "../../core/session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Editor } from "./editor.ts";
import { type OpenSession, openSession } from "./open-session.ts";
import { type Opening, checkFolder, ignoredTexts, movedText } from "./opening.ts";
import { sessionList } from "./session-list.ts";
import type { SettingsView } from "./session-settings.ts";

export type SessionsParts = {
  readonly host: () => Promise<Host>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

type Entered = SettingsView & { readonly sessionId: string };

/** The sessions that one editor has open. */
export interface OpenSessions {
  begin(editor: Editor, opening: Opening): Promise<Entered>;
  /** Goes on with one; `replay`: and sends what was said in it. */
  goOn(editor: Editor, id: string, opening: Opening, replay: boolean): Promise<SettingsView>;
  /** Goes on in a copy of one. */
  fork(editor: Editor, id: string, opening: Opening): Promise<Entered>;
  list(request: ListSessionsRequest): Promise<ListSessionsResponse>;
  /** Throws for one that is not open. */
  get(id: string): OpenSession;
  close(id: string): Promise<void>;
  delete(id: string): Promise<void>;
}

export function openSessions(parts: SessionsParts): OpenSessions {
  const inside: Inside = { ...parts, open: new Map(), unsaid: once(parts.log) };
  const { open, clock } = inside;
  const get = (id: string): OpenSession => {
    const session = open.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };
  return {
    get,
    async begin(editor, opening) {
      await checkFolder(opening);
      const fresh: NewSession = { id: newId("ses", clock.now()), cwd: opening.cwd, surface: "acp" };
      return entered(inside, await enter(inside, editor, fresh, opening));
    },
    async goOn(editor, id, opening, replay) {
      await checkFolder(opening);
      const session = await openOrEnter(inside, editor, id, opening);
      if (replay) await session.replay();
      const { sessionId: _, ...settings } = await entered(inside, session);
      return settings;
    },
    async fork(editor, id, opening) {
      await checkFolder(opening);
      const { id: known } = await found(inside, id);
      const copy = await (await inside.host()).fork(known);
      return entered(inside, await enter(inside, editor, copy, opening));
    },
    list: async (request) => sessionList((await inside.host()).sessions, request),
    async close(id) {
      get(id);
      await leave(inside, id);
    },
    async delete(id) {
      await leave(inside, id);
      const { id: known } = await found(inside, id);
      await (await inside.host()).sessions.delete(known);
    },
  };
}

type Inside = SessionsParts & {
  readonly open: Map<string, OpenSession>;
  /** Those that were not said in any session yet. */
  readonly unsaid: (texts: readonly string[]) => readonly string[];
};

/** One that is open goes on: what runs in it is not stopped because somebody looks at it once more. */
async function openOrEnter(
  inside: Inside,
  editor: Editor,
  id: string,
  opening: Opening,
): Promise<OpenSession> {
  const before = inside.open.get(id);
  if (before?.cwd === opening.cwd) return before;
  return enter(inside, editor, await found(inside, id), opening);
}

async function enter(
  inside: Inside,
  editor: Editor,
  row: NewSession | Session,
  opening: Opening,
): Promise<OpenSession> {
  const { open, unsaid, clock, log } = inside;
  const host = await inside.host();
  await leave(inside, row.id);
  const exists = "createdAt" in row;
  const { cwd } = opening;
  const moved = exists && row.cwd !== cwd;
  const session = openSession(
    { host, editor, clock, log },
    { ...row, cwd },
    { ...(exists ? { session: row.id } : {}), choices: moved ? { cwd } : {}, attended: "ask" },
  );
  open.set(row.id, session);
  await session.known();
  for (const text of unsaid([...host.warnings, ...ignoredTexts(opening)])) session.warn(text);
  if (moved) session.warn(movedText(row.cwd, cwd));
  return session;
}

async function leave({ open }: Inside, id: string): Promise<void> {
  await open.get(id)?.close();
  open.delete(id);
}

async function entered({ clock }: Inside, session: OpenSession): Promise<Entered> {
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
function once(log: (line: string) => void): (texts: readonly string[]) => readonly string[] {
  const told = new Set<string>();
  return (texts) => {
    const fresh = texts.filter((text) => !told.has(text));
    for (const text of fresh) {
      told.add(text);
      log(`warning: ${text.replaceAll("\n", " ")}`);
    }
    return fresh;
  };
}

/** By its whole id: an editor has no use for the beginning of one. */
async function found({ host }: Inside, id: string): Promise<Session> {
  const session = await (await host()).sessions.get(id).catch((error: unknown) => {
    if (toFailure(error).code === "not_found") throw RequestError.sessionNotFound(id);
    throw error;
  });
  if (session.id !== id) throw RequestError.sessionNotFound(id);
  return session;
}
