import type { Envelope } from "../../core/events.ts";
import { secondsText } from "./amounts.ts";
import { cut, shownLine } from "./transcript/shown-text.ts";
import type { Theme } from "./theme.ts";
import { visibleWidth } from "./toolkit.ts";

export type ActivityState = {
  /** When the turn began, and now, on the same clock. */
  readonly since: number;
  readonly now: number;
  readonly status?: Pick<Extract<Envelope, { type: "status" }>, "state" | "text">;
  /** Words of the answer come in just now. */
  readonly answering?: boolean;
  readonly queued: number;
};

/** What goes on while a turn runs: `⠋ thinking · 12 s · Ctrl+C stops`. */
export function activityLine(
  { since, now, status, answering, queued }: ActivityState,
  theme: Theme,
  width: number,
): string {
  const doing = answering === true ? "answering" : (status?.text ?? words[status?.state ?? "thinking"]);
  const facts = [secondsText(now - since), ...(queued > 0 ? [`${queued} queued`] : []), "Ctrl+C stops"];
  const all = facts.map((fact) => ` · ${fact}`).join("");
  const room = Math.max(0, width - 2);
  const least = Math.min(12, room);
  const end = visibleWidth(all) <= room - least ? all : ` · ${facts[0]}`;
  const shownEnd = visibleWidth(end) <= room - least ? end : "";
  const shownWords = cut(shownLine(doing), room - visibleWidth(shownEnd));
  return cut(spinner(now), width) === ""
    ? ""
    : `${theme.accent(spinner(now))}${width > 1 ? " " : ""}${shownWords}${theme.faint(shownEnd)}`;
}

const words: Readonly<Record<Extract<Envelope, { type: "status" }>["state"], string>> = {
  thinking: "thinking",
  tool: "working",
  waiting: "waiting",
  retrying: "trying again",
  compacting: "shortening the conversation",
};

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const frameMs = 100;

/** One of its frames, by the time. */
export const spinner = (now: number): string =>
  frames[Math.floor(Math.max(0, now) / frameMs) % frames.length] ?? frames[0];
