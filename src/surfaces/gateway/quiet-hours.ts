import type { GatewaySettings } from "../../core/gateway/gateway.ts";

type Quiet = NonNullable<GatewaySettings["quiet"]>;

const minuteMs = 60_000;
/** The longest that quiet hours can be, where clocks are set back in them. */
const mostMinutes = 26 * 60;

/** When the quiet hours are over in which `now` is; `undefined`: it is in none. */
export function quietUntil(
  { quiet, zone }: Pick<GatewaySettings, "quiet" | "zone">,
  now: number,
): number | undefined {
  if (quiet === undefined) return undefined;
  const minuteAt = localMinutes(zone);
  if (!isQuiet(quiet, minuteAt(now))) return undefined;
  // Clocks may be changed meanwhile: the end is looked for, not reckoned.
  const start = Math.floor(now / minuteMs) * minuteMs;
  const minutes = Array.from({ length: mostMinutes }, (_, step) => start + (step + 1) * minuteMs);
  return minutes.find((at) => !isQuiet(quiet, minuteAt(at)));
}

const isQuiet = ({ from, to }: Quiet, minute: number): boolean =>
  from <= to ? minute >= from && minute < to : minute >= from || minute < to;

/** Says of an instant how many minutes of its day are over there. */
function localMinutes(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (at) => {
    const [hour = 0, minute = 0] = format.format(at).split(":").map(Number);
    return hour * 60 + minute;
  };
}
