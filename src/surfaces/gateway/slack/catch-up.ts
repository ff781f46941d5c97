import type { Fields } from "../../../core/json.ts";
import type { ServeLog } from "../../../core/serving/door.ts";
import type { Clock } from "../../../lib/clock.ts";
import { lanes } from "../../../lib/lanes.ts";
import { withinTime } from "../../../lib/time-limit.ts";
import type { Call } from "./calls.ts";
import { whyOf } from "./failures.ts";
import { readPast } from "./history.ts";
import type { Intake } from "./intake.ts";
import type { Channel, Marks } from "./marks.ts";
import { patient } from "./patience.ts";
import { before, isLater, isTimestamp, orderOf } from "./timestamp.ts";

/** Fetches what was said and never came. Until a channel is done, what is new in it waits behind. */
export type CatchUp = {
  /** Everywhere: nothing came for a while. */
  everywhere(): void;
  /** Where somebody wrote lately: single events get lost on a connection that works, too. */
  lately(): void;
  /** Something could not be stored there. */
  soon(channel: string): void;
};

type Deps = {
  readonly call: Call;
  readonly clock: Clock;
  readonly log: ServeLog;
  readonly marks: Marks;
  readonly intake: Pick<Intake, "handOld" | "lanes">;
  readonly over: AbortSignal;
};

const mostEverywhere = 500;
const mostLately = 20;
const pages = 5;
const atOnce = 4;
/** What came later may have been stored first. */
const overlapSeconds = 120;
/** For so long new events wait behind old ones, at the most. */
const holdMs = 15_000;
const soonMs = 15_000;

export function slackCatchUp(deps: Deps): CatchUp {
  const { clock, log, over, marks, intake } = deps;
  const slots = lanes<number>();
  const planned = new Set<string>();
  let turn = 0;

  function catchUp(id: string): void {
    const slot = (turn += 1) % atOnce;
    const work = (): Promise<unknown> =>
      slots.run(slot, () => (over.aborted ? undefined : readChannel(deps, id)));
    const done = intake.lanes.run(id, () => withinTime(holdMs, clock, over, work));
    done.then(
      (limited) => limited.end === "done" && limited.value === "later" && soon(id),
      (error: unknown) => {
        log("slack: what was missed could not be handed over", { channel: id, error: String(error) });
        soon(id);
      },
    );
  }

  function soon(id: string): void {
    if (planned.has(id)) return;
    planned.add(id);
    const later = async (): Promise<void> => {
      await clock.sleep(soonMs, over);
      planned.delete(id);
      catchUp(id);
    };
    later().catch(() => {}); // the adapter is over
  }

  const first = (most: number): void =>
    marks
      .channels()
      .slice(0, most)
      .forEach(({ id }) => catchUp(id));
  return { everywhere: () => first(mostEverywhere), lately: () => first(mostLately), soon };
}

/** `later`: Slack cannot be asked now. */
async function readChannel(deps: Deps, id: string): Promise<"done" | "later"> {
  const channel = deps.marks.channel(id);
  const oldest = channel === undefined ? undefined : oldestOf(channel);
  if (channel === undefined || oldest === undefined) return "done";
  const call = patient(deps.call, deps.clock, deps.over);
  const found = new Map<string, Fields>();
  for (const place of [{ oldest }, ...channel.threads.map((one) => threadPlace(one, channel.owed))]) {
    const outcome = await collect(deps, call, { channel: id, ...place }, found);
    if (outcome === "later") return "later";
  }
  for (const root of [...found.values()].filter((message) => isNewThread(message, channel))) {
    const outcome = await collect(deps, call, { channel: id, thread: String(root["ts"]), oldest }, found);
    if (outcome === "later") return "later";
  }
  const inOrder = [...found].toSorted(([one], [other]) => (orderOf(one) < orderOf(other) ? -1 : 1));
  for (const [, message] of inOrder) await deps.intake.handOld(message, id);
  if (channel.owed !== undefined) deps.marks.paid(id);
  return "done";
}

function oldestOf({ read, owed }: Pick<Channel, "read" | "owed">): string | undefined {
  const from = read === undefined ? owed : before(read, overlapSeconds);
  return from !== undefined && owed !== undefined && isLater(from, owed) ? before(owed, 1) : from;
}

function threadPlace({ thread, read }: Channel["threads"][number], owed?: string) {
  return { thread, oldest: oldestOf({ read, ...(owed === undefined ? {} : { owed }) }) ?? read };
}

/** It was begun while we were away, and there are answers in it. */
const isNewThread = (message: Fields, channel: Channel): boolean =>
  Number(message["reply_count"] ?? 0) > 0 && !channel.threads.some(({ thread }) => thread === message["ts"]);

async function collect(
  deps: Deps,
  call: Call,
  place: { readonly channel: string; readonly thread?: string; readonly oldest: string },
  found: Map<string, Fields>,
): Promise<"done" | "later"> {
  const past = await readPast(call, place, { pages, signal: deps.over });
  if ("failure" in past) {
    deps.log("slack: what was missed cannot be read", { ...place, why: whyOf(past.failure) });
    return past.failure.kind === "refused" ? "done" : "later";
  }
  if (!past.isWhole)
    deps.log("slack: more was missed than can be fetched", { ...place, read: past.messages.length });
  for (const message of past.messages) {
    const ts = String(message["ts"]);
    // A thread comes with the message that it hangs on, however old that is.
    if (isTimestamp(ts) && isLater(ts, place.oldest)) found.set(ts, message);
  }
  return "done";
}
