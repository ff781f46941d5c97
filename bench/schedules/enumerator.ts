/**
 * When a cron expression is due, found without croner: every minute is looked at with the clock on the wall of its zone.
 * With one hour and one minute it is due once a day: at the first of two such times, and right after the gap when there is
 * none. All others are due whenever the clock on the wall says so.
 */
export function wallInstants(
  expression: string,
  zone: string,
  { from, to }: { readonly from: number; readonly to: number },
): readonly number[] {
  const fields = parsed(expression);
  const offsets = offsetsIn(zone, from - day, to + minute);
  const [minutes, hours] = fields;
  const isOnce = minutes.size === 1 && hours.size === 1;
  const found: number[] = [];
  let lastDay = -1;
  let before = offsets(from - minute);
  for (let at = Math.ceil((from + 1) / minute) * minute; at <= to; at += minute) {
    const offset = offsets(at);
    const isDue =
      matches(fields, at + offset) || (isOnce && offset > before && wasSkipped(fields, at, before, offset));
    before = offset;
    const date = Math.floor((at + offset) / day);
    if (!isDue || (isOnce && date === lastDay)) continue;
    found.push(at);
    lastDay = date;
  }
  return found;
}

const minute = 60_000;
const day = 86_400_000;

type Fields = readonly [
  minutes: ReadonlySet<number>,
  hours: ReadonlySet<number>,
  days: ReadonlySet<number>,
  months: ReadonlySet<number>,
  weekdays: ReadonlySet<number>,
];

const bounds = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

const parsed = (expression: string): Fields =>
  expression
    .split(" ")
    .map((field, n) => new Set(field.split(",").flatMap((part) => range(part, n)))) as never;

/** `*`, `5`, `1-5`, each with `/2` behind it. */
function range(part: string, field: number): readonly number[] {
  const [span = "*", step = "1"] = part.split("/");
  const [low, high] = bounds[field] ?? [0, 0];
  const [first = low, last = first] = span === "*" ? [low, high] : span.split("-").map(Number);
  const count = Math.floor((last - first) / Number(step)) + 1;
  return Array.from({ length: count }, (_, n) => first + n * Number(step));
}

/** Of a day of the month and one of the week that are both named, either will do. */
function matches([minutes, hours, days, months, weekdays]: Fields, wall: number): boolean {
  const ofDay = Math.floor(wall / minute) % 1440;
  if (!minutes.has(ofDay % 60) || !hours.has(Math.floor(ofDay / 60))) return false;
  const date = new Date(wall);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return days.size < 31 && weekdays.size < 7 ? isDay || isWeekday : isDay && isWeekday;
}

/** The clock was put forward at this moment, over a time that it should have shown. */
function wasSkipped(fields: Fields, at: number, before: number, offset: number): boolean {
  for (let wall = at + before; wall < at + offset; wall += minute) if (matches(fields, wall)) return true;
  return false;
}

/** How far the clock on the wall is ahead of UTC. Clocks are changed at a quarter of an hour, wherever they are. */
function offsetsIn(zone: string, from: number, to: number): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const look = (at: number): number => {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day: date = 1, hour = 0, minute: past = 0 } = parts;
    return Date.UTC(year, month - 1, date, hour, past) - at;
  };
  const quarter = 15 * minute;
  const step = 7 * day;
  const known: { readonly at: number; readonly offset: number }[] = [];
  const fill = (low: number, high: number): void => {
    if (look(low) === look(high)) return;
    if (high - low <= quarter) return void known.push({ at: high, offset: look(high) });
    const middle = Math.floor((low + high) / 2 / quarter) * quarter;
    fill(low, middle);
    fill(middle, high);
  };
  const first = Math.floor(from / quarter) * quarter;
  known.push({ at: first, offset: look(first) });
  for (let at = first; at < to; at += step) fill(at, at + step);
  // It is asked for one time after the other.
  let now = 0;
  return (at) => {
    while (now > 0 && (known[now]?.at ?? 0) > at) now -= 1;
    while (now + 1 < known.length && (known[now + 1]?.at ?? 0) <= at) now += 1;
    return known[now]?.offset ?? 0;
  };
}
