import { clean } from "../../core/plain-text.ts";
import type { ServeStatus } from "../../core/serving/door.ts";

/** What a host that stays does, in one line. */
export function statusLine(status: ServeStatus, now: number): string {
  const { running, questions, attached, startedAt, stopping } = status;
  const parts = [
    stopping ? "stopping" : "serving",
    count(running, "session runs", "sessions run"),
    count(questions, "question waits", "questions wait"),
    `${attached} attached`,
    `up ${uptime(now - startedAt)}`,
  ];
  return parts.join(" · ");
}

/** The same for whoever asks from elsewhere, with where it is. */
export const statusText = (status: ServeStatus, now: number): string =>
  [
    statusLine(status, now),
    `pid ${status.pid}, version ${status.version}, home ${status.home}`,
    ...status.doors.map((address) => `listens at ${address}`),
    ...(status.bots ?? []).map(
      ({ surface, state, detail }) =>
        `${surface}: ${state}${detail === undefined ? "" : `, ${clean(detail)}`}`,
    ),
  ].join("\n");

const count = (number: number, one: string, several: string): string =>
  `${number} ${number === 1 ? one : several}`;

function uptime(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
