import type { NoticeEvent } from "../core/events.ts";
import type { ScheduleId, SessionId, TurnId } from "../core/ids.ts";
import { messageText } from "../core/messages.ts";
import { oneLine, short } from "../core/plain-text.ts";
import type { Schedule, StoredOutcome } from "../core/work/work.ts";
import { localMinute } from "../lib/time-zone.ts";
import type { Store } from "../store/store.ts";

export type NewsDeps = {
  readonly store: Store;
  /** Asked only when there is something to tell. */
  readonly settings: { readonly zone: string };
  readonly log: (line: string) => void;
};

/**
 * What became of work since the owner was last at a terminal, told by this turn. It counts as delivered when the last line was shown;
 * if that never is, a later turn tells it again. Never rejects: no turn fails for it.
 */
export async function workNews(deps: NewsDeps, told: TurnId): Promise<readonly NoticeEvent[]> {
  const { store, log } = deps;
  try {
    const rows = await store.outcomes.takeUntold(told);
    const lines: string[] = [];
    for (const [subject, own] of Map.groupBy(rows, ({ subject: of }) => of)) {
      const schedule = await store.schedules.get(subject as ScheduleId);
      lines.push(...(await linesOf(deps, schedule, own)));
    }
    return lines.map((text, at) => ({
      type: "notice",
      code: "work",
      text,
      ...(at === lines.length - 1 ? { receipt: true } : {}),
    }));
  } catch (error) {
    log(`news of work: ${String(error)}`);
    return [];
  }
}

export async function linesOf(
  deps: Pick<NewsDeps, "store" | "settings">,
  schedule: Schedule | undefined,
  rows: readonly StoredOutcome[],
): Promise<readonly string[]> {
  if (schedule === undefined) return rows.map(({ reason = "" }) => reason);
  const { name, state, why } = schedule;
  const missed = rows.filter((row) => row.state === "missed");
  const others = rows.filter((row) => row.state !== "missed");
  return [
    ...(missed.length === 0 ? [] : [missedLine(deps.settings.zone, name, missed)]),
    ...(await Promise.all(others.map((row) => line(deps, name, row)))),
    ...(state === "paused" && rows.some((row) => row.state === "failed" || row.state === "refused")
      ? [`“${name}” is paused now: ${why ?? ""}. \`talaria cron resume\` goes on with it.`]
      : []),
  ];
}

function missedLine(zone: string, name: string, missed: readonly StoredOutcome[]): string {
  const last = missed.at(-1);
  const many = missed.length === 1 ? "A run" : `${missed.length} runs`;
  return `${many} of “${name}” did not take place, the last one was due ${localMinute(zone, last?.instant ?? 0)}: ${last?.reason ?? ""}. \`talaria cron run\` does it now.`;
}

async function line(
  { store, settings }: Pick<NewsDeps, "store" | "settings">,
  name: string,
  row: StoredOutcome,
): Promise<string> {
  const due = localMinute(settings.zone, row.instant);
  if (row.state !== "ran")
    return `“${name}”, due ${due}: ${row.state}, ${row.reason ?? ""}. \`talaria why ${row.id}\``;
  const answer = row.session === undefined ? "" : await lastWords(store, row.session);
  return `“${name}”, due ${due}: ${short(oneLine(answer), 400)} (\`talaria sessions show ${row.session ?? ""}\`)`;
}

export async function lastWords({ sessions }: Store, session: SessionId): Promise<string> {
  const rows = await sessions.messages(session);
  const said = rows.findLast(({ message }) => message.role === "assistant" && messageText(message) !== "");
  return said === undefined ? "it ran, and its session was deleted" : messageText(said.message);
}
