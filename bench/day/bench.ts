import type { Bench } from "../bench.ts";
import { type DaySize, dayOf, idleMinutes } from "./day.ts";

/** Statements of a minute in which nothing is due: leases are kept alive, and that is all. */
const idlePerMinute = 100;

/** A home that is left to itself: models are asked for what was due, and for nothing else. */
export const bench: Bench<DaySize> = {
  sizes: {
    full: { hours: 24, schedules: 50, cards: 100, sessions: 20 },
    quick: { hours: 0.5, schedules: 5, cards: 4, sessions: 2 },
  },
  async run(size, { log }) {
    const day = await dayOf(size);
    log(JSON.stringify(day));
    const short = { ...size, hours: 0.5, schedules: 5, cards: 2, sessions: 1 };
    const [asks, wakes] = [await dayOf(short, "asks"), await dayOf(short, "wakes")];
    const most = idlePerMinute * idleMinutes;
    return {
      figures: { ...day, mutants: { asks, wakes } },
      faults: [
        ...(day.requests === day.due ? [] : [`${day.requests} requests, but ${day.due} were due`]),
        ...(day.idleStatements <= most
          ? []
          : [`${day.idleStatements} statements in ${idleMinutes} minutes in which nothing was due`]),
        ...(asks.requests === asks.due
          ? ["a host that asks a model for something to do was not noticed"]
          : []),
        ...(wakes.idleStatements <= most ? ["a host that looks again and again was not noticed"] : []),
      ],
    };
  },
};
