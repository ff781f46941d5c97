import { Cron } from "croner";
import type { Timing } from "../../core/work/work.ts";
import { isTimeZone } from "../../lib/time-zone.ts";

/** What is wrong with it, for people. */
type Problem = { readonly problem: string };

/**
 * What a person or a model wrote for when something is due: `in 30m`, `every 2h`, a cron expression of five parts, or a time
 * such as `2026-11-20T09:00`. Times and expressions without an offset are meant in `zone`.
 */
export function parseWhen(
  text: string,
  { now, zone }: { readonly now: number; readonly zone: string },
): Timing | Problem {
  const words = text.trim().replaceAll(/\s+/g, " ");
  if (!isTimeZone(zone)) return { problem: `there is no time zone "${zone}"` };
  const [, kind, length] = /^(in|every) (.+)$/i.exec(words) ?? [];
  if (kind !== undefined) return lasting(kind.toLowerCase(), length ?? "", now);
  if (/^\d{4}-\d\d-\d\d/.test(words)) return once(words, now, zone);
  return cron(words, now, zone);
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
/** A timer of the machine may be this long, and no promise is worth more. */
const longestMs = 366 * 86_400_000;

/** `90m`, `1h30m`, `2 hours`, `day`. `undefined`: it is none. */
export function durationMs(text: string): number | undefined {
  const single = /^(minute|hour|day|week)$/i.exec(text.trim())?.[1];
  if (single !== undefined) return unitMs[single.charAt(0).toLowerCase()];
  const parts = [...text.matchAll(/(\d+)\s*(minutes?|mins?|hours?|hrs?|days?|weeks?|[mhdw])\s*/gi)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return undefined;
  return parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitMs[unit?.charAt(0).toLowerCase() ?? ""] ?? 0),
    0,
  );
}

function lasting(kind: string, text: string, now: number): Timing | Problem {
  const ms = durationMs(text);
  if (ms === undefined) return { problem: `"${text}" is no length of time; write 30m, 2h, 1h30m or 3d` };
  if (ms < 60_000) return { problem: "a minute is the shortest time" };
  if (ms > longestMs) return { problem: "a year is the longest time" };
  return kind === "in" ? { kind: "once", at: now + ms } : { kind: "every", ms, from: now };
}

function once(text: string, now: number, zone: string): Timing | Problem {
  const iso = text.replace(" ", "T");
  const hasOffset = /T.*(Z|[+-]\d\d:?\d\d)$/i.test(iso);
  const at = hasOffset ? Date.parse(iso) : localTime(iso, zone);
  if (at === undefined || Number.isNaN(at) || !isDay(iso.slice(0, 10)))
    return { problem: `"${text}" is no time; write 2026-11-20T09:00` };
  return at <= now ? { problem: `${text} is over` } : { kind: "once", at };
}

/** The 30th of February is read as the 2nd of March elsewhere. */
function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

function localTime(iso: string, zone: string): number | undefined {
  const [, day, hour = "00", minute = "00", second = "00"] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(iso) ?? [];
  if (day === undefined) return undefined;
  try {
    const time = new Cron(`${day}T${hour}:${minute}:${second}`, { timezone: zone, paused: true });
    return time.nextRun(new Date(0))?.getTime();
  } catch {
    return undefined;
  }
}

function cron(expression: string, now: number, zone: string): Timing | Problem {
  try {
    const next = new Cron(expression, { timezone: zone, paused: true, mode: "5-part" }).nextRun(
      new Date(now),
    );
    if (next === null) return { problem: `"${expression}" never comes` };
    return { kind: "cron", expression, zone };
  } catch {
    return {
      problem: `"${expression}" is no time; write "in 30m", "every 2h", a time such as 2026-11-20T09:00, or a cron expression such as "0 9 * * 1-5"`,
    };
  }
}
