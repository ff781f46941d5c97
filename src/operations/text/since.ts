import { Refusal } from "../../core/host.ts";
import { dayMs } from "../../core/usage.ts";

/** When that was, and how to say it. */
export type Since = { readonly at: number; readonly words: string };

const units = { h: dayMs / 24, d: dayMs, w: 7 * dayMs } as const;
const names = { h: "hour", d: "day", w: "week" } as const;

/** `24h`, `7d`, `2w`, or a day like 2026-01-31 (UTC). Rejects with a Refusal. */
export function parseSince(word: string, now: number): Since {
  const span = /^(\d{1,5})([hdw])$/.exec(word.toLowerCase());
  const unit = span?.[2] as keyof typeof units | undefined;
  if (span !== null && unit !== undefined) {
    const count = Number(span[1]);
    const words = count === 1 ? `in the last ${names[unit]}` : `in the last ${count} ${names[unit]}s`;
    return { at: now - count * units[unit], words };
  }
  const day = /^\d{4}-\d{2}-\d{2}$/.test(word) ? Date.parse(word) : Number.NaN;
  // 2026-02-31 is read as a day of March, which nobody meant.
  if (!Number.isNaN(day) && new Date(day).toISOString().startsWith(word))
    return { at: day, words: `since ${word}` };
  throw new Refusal("usage", `"${word.slice(0, 40)}" is not a time.`, "Write 24h, 7d, 2w or 2026-01-31.");
}
