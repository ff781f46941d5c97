import { usdText } from "../../core/usage.ts";

/** `120 ms`, `1.2 s`, `12 s`, `2 min 5 s`, `1 h 5 min`. */
export function durationText(ms: number): string {
  const sound = Number.isFinite(ms) ? Math.max(0, ms) : 0;
  if (sound < 1_000) return `${Math.floor(sound)} ms`;
  if (sound < 10_000) return `${(Math.floor(sound / 100) / 10).toFixed(1)} s`;
  return secondsText(sound);
}

/** The same in whole seconds, for a time that still runs. */
export function secondsText(ms: number): string {
  const seconds = Number.isFinite(ms) ? Math.max(0, Math.floor(ms / 1_000)) : 0;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** `950`, `34k`, `1.2M`. */
export function shortCount(count: number): string {
  if (!(count >= 1_000)) return String(Math.max(0, Math.round(count) || 0));
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export const dollars = (usd: number): string => `$${usdText(usd)}`;

/** In cents, unless it is less than one. */
export const cents = (usd: number): string => (usd >= 0.01 ? `$${usd.toFixed(2)}` : dollars(usd));

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
