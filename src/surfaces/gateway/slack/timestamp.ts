/** Slack names a message by the time at which it was written, as seconds with six decimals. */

export const isTimestamp = (text: string): boolean => /^\d{1,12}\.\d{1,6}$/.test(text);

/** All of one length, so that they can be compared as texts. */
export function orderOf(ts: string): string {
  const [seconds = "", micros = ""] = ts.split(".");
  return `${seconds.padStart(12, "0")}.${micros.padEnd(6, "0")}`;
}

export const millisOf = (ts: string): number => Math.floor(Number(ts) * 1000);

export const isLater = (ts: string, than: string): boolean => orderOf(ts) > orderOf(than);

/** Some seconds before it, by the platform's own clock. */
export function before(ts: string, seconds: number): string {
  const [whole = "0", micros = "0"] = ts.split(".");
  return `${Math.max(0, Number(whole) - seconds)}.${micros.padEnd(6, "0")}`;
}
