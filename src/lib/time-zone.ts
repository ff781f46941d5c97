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

type Day = { readonly name: string; readonly start: number };

/** A format takes a millisecond to make, and the start of a day another one to find: each is asked for all day long. */
const known = new Map<string, { readonly format: Intl.DateTimeFormat; day?: Day }>();

/** When the day of a moment began there. */
export function dayStartIn(zone: string, now: number): number {
  const found = known.get(zone) ?? {
    format: new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }),
  };
  known.set(zone, found);
  const name = found.format.format(now);
  if (found.day?.name !== name) found.day = { name, start: startOf(name, found.format, now) };
  return found.day.start;
}

function startOf(name: string, format: Intl.DateTimeFormat, now: number): number {
  // Days begin at a quarter of an hour wherever they do, and have 25 hours at most.
  const quarter = 900_000;
  const first = Math.floor((now - 26 * 3_600_000) / quarter) * quarter;
  for (let at = first; at < now; at += quarter) if (format.format(at) === name) return at;
  return now;
}
