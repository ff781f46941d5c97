import { type Fields, fieldsOf, numberIn } from "./fields.ts";

/** How much of the plan is used, in words, and when a used-up part comes back. */
export type Limits = { readonly text: string; readonly resetsAt?: number };

/** From `account/rateLimits/updated`. `undefined`: the provider says nothing about limits. */
export function readLimits(params: unknown): Limits | undefined {
  const outer = fieldsOf(params);
  const snapshot = fieldsOf(outer["rateLimits"] ?? outer);
  const windows = [snapshot["primary"], snapshot["secondary"]].flatMap(readWindow);
  if (windows.length === 0) return undefined;
  const usedUp = windows.filter(({ used }) => used >= 100);
  const resets = (usedUp.length > 0 ? usedUp : windows).flatMap(({ resetsAt }) => resetsAt ?? []);
  // Work can go on only when the last used-up window is over; before that, the first to reset is the news.
  const resetsAt = usedUp.length > 0 ? Math.max(...resets) : Math.min(...resets);
  return {
    text: windows.map(wordsOf).join(", "),
    ...(resets.length === 0 ? {} : { resetsAt }),
  };
}

type Window = { readonly used: number; readonly minutes?: number; readonly resetsAt?: number };

function readWindow(value: unknown): Window[] {
  const fields: Fields = fieldsOf(value);
  const used = numberIn(fields, "usedPercent");
  if (used === undefined) return [];
  const minutes = numberIn(fields, "windowDurationMins");
  const seconds = numberIn(fields, "resetsAt");
  return [
    {
      used: Math.round(used),
      ...(minutes === undefined || minutes <= 0 ? {} : { minutes }),
      ...(seconds === undefined || !isDate(seconds) ? {} : { resetsAt: seconds * 1000 }),
    },
  ];
}

/** Seconds that a `Date` can carry. */
const isDate = (seconds: number): boolean => seconds > 0 && seconds < 8.64e12;

function wordsOf({ used, minutes }: Window): string {
  return minutes === undefined ? `${used}% used` : `${span(minutes)}: ${used}% used`;
}

function span(minutes: number): string {
  if (minutes >= 1440) return `${Math.round(minutes / 1440)} d`;
  return minutes >= 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes)} min`;
}
