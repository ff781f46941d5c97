/** That of this machine, or of TZ. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Is there a time zone of this name? */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** As the clock on the wall says there, to the minute. */
export const localMinute = (zone: string, at: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(at);

/** When the day of a moment began there. */
export function dayStartIn(zone: string, now: number): number {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
  const today = format.format(now);
  // Days begin at a quarter of an hour wherever they do, and have 25 hours at most.
  const quarter = 900_000;
  const first = Math.floor((now - 26 * 3_600_000) / quarter) * quarter;
  for (let at = first; at < now; at += quarter) if (format.format(at) === today) return at;
  return now;
}
