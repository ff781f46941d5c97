import type { SessionId } from "../../core/ids.ts";
import type { ListedSession } from "../../core/session.ts";
import type { Choosing } from "../../core/chat-state.ts";
import { columns } from "./columns.ts";
import { short } from "../../core/plain-text.ts";
import { minute } from "./time.ts";

/** Sessions as a list for people. The number of a row is what `/resume` takes; `*` is the present one. */
export const sessionRows = (sessions: readonly ListedSession[], present: SessionId | undefined): string =>
  columns(
    sessions.map((session, at) => [
      `${session.id === present ? "*" : " "} ${at + 1}`,
      session.id,
      minute(session.updatedAt),
      sessionName(session, 60),
    ]),
  );

export const sessionChoosing = (
  title: string,
  sessions: readonly ListedSession[],
  present: SessionId | undefined,
): Choosing => ({
  title,
  command: "/resume",
  options: sessions.map((session) => ({
    value: session.id,
    label: `${sessionName(session, 60)}${session.id === present ? " (this one)" : ""}`,
    detail: `${minute(session.updatedAt)}  ${short(session.cwd, 60)}`,
  })),
});

/** Its title, else how it began, else where. */
export const sessionName = ({ title, preview, cwd }: ListedSession, max: number): string =>
  short(title ?? preview ?? cwd, max);
