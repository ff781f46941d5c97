import type { LoggedEvent } from "../../core/event-log.ts";
import type { Envelope, SaidEvent, TurnEvent } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { FollowDeps } from "./follow.ts";
import { logReader } from "./log-reader.ts";

/** Brings what other processes do in a session to those who watch it here, in the order of the log. */
export type Elsewhere = AsyncDisposable & {
  /** From now on, and an open turn from its beginning. */
  watch(session: SessionId): Disposable;
  /**
   * Resolves when all that is committed until now was brought here. Nothing of it comes after what is said next. `last`: the
   * number of the session's last event, where it is known; who has read as far need not look again.
   */
  catchUp(session: SessionId, last?: number): Promise<void>;
};

export function elsewhere(deps: FollowDeps & { readonly log: (line: string) => void }): Elsewhere {
  const tails = new Map<SessionId, { readonly tail: Tail; users: number }>();
  return {
    watch(session) {
      const known = tails.get(session) ?? { tail: openTail(deps, session), users: 0 };
      tails.set(session, known);
      known.users += 1;
      let left = false;
      return {
        [Symbol.dispose]() {
          if (left) return;
          left = true;
          known.users -= 1;
          if (known.users > 0) return;
          tails.delete(session);
          known.tail[Symbol.dispose]();
        },
      };
    },
    catchUp: async (session, last) => tails.get(session)?.tail.read(last),
    async [Symbol.asyncDispose]() {
      for (const { tail } of tails.values()) tail[Symbol.dispose]();
      await Promise.all([...tails.values()].map(({ tail }) => tail.settled()));
      tails.clear();
    },
  };
}

type Tail = Disposable & {
  /** Reads what there is, unless it was read up to `upTo`; several calls wait for one another. */
  read(upTo?: number): Promise<void>;
  settled(): Promise<void>;
};

function openTail({ store, watchers, log }: Parameters<typeof elsewhere>[0], session: SessionId): Tail {
  const scope = { home: "", of: { session } } as const;
  const stop = new AbortController();
  let openTurn: TurnId | undefined;
  const begin = async () => logReader(store, scope, await startOfOpenTurn(store, session), watchers.isOwn);
  let reader = begin();
  reader.catch(() => {}); // tried again with the next look
  let last: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    reader = reader.catch(begin);
    for await (const event of (await reader).unread(stop.signal)) {
      if (event.type === "resume" || event.type === "heartbeat" || event.turn === undefined) continue;
      if (event.type === "started") openTurn = event.turn;
      if (event.type === "ended") openTurn = undefined;
      for (const told of toldOf(event, event.turn)) watchers.relay(told);
    }
  };
  const isReadTo = async (number: number | undefined): Promise<boolean> =>
    number !== undefined && (await reader.then((each) => each.place()).catch(() => -1)) >= number;
  const lookAfter = async (before: Promise<void>, upTo?: number): Promise<void> => {
    await before;
    try {
      if (!stop.signal.aborted && !(await isReadTo(upTo))) await look();
    } catch (error) {
      log(`what goes on elsewhere in ${session}: ${String(error)}`);
    }
  };
  const read = (upTo?: number): Promise<void> => {
    last = lookAfter(last, upTo);
    return last;
  };
  // What is committed here concerns a turn of others only while one is open: then somebody closes it for a dead process.
  const watch = store.events.watch((here) => (!here || openTurn !== undefined ? void read() : undefined));
  return {
    read,
    settled: () => last,
    [Symbol.dispose]() {
      stop.abort();
      watch[Symbol.dispose]();
    },
  };
}

/** Where the log of a session goes on for somebody who has seen all turns that have ended. */
async function startOfOpenTurn({ events }: FollowDeps["store"], session: SessionId): Promise<number> {
  const { from, to } = await events.extent({ session });
  return (await events.startOfOpenTurn(session)) ?? Math.max(from, to);
}

/** As a surface hears it: the person's words first, then what became of them. */
function toldOf(event: LoggedEvent, turn: TurnId): readonly Envelope[] {
  const { v, session, number } = event;
  const header = { v, seq: number, session, turn, elsewhere: true } as const;
  const told = (one: TurnEvent | SaidEvent): Envelope => ({ ...header, ...one });
  switch (event.type) {
    case "started": {
      const { from, input, runtime, model = "", cwd } = event;
      return [told({ type: "said", from, input }), told({ type: "started", runtime, model, cwd })];
    }
    case "steered":
      return [told({ type: "said", from: event.from, input: event.input, steered: true })];
    case "item":
      return [told({ type: "item", item: event.item })];
    case "notice":
      return [told({ type: "notice", code: event.code, text: event.text })];
    case "approval":
      return [told({ type: "approval", approval: event.approval })];
    case "inquiry":
      return [told({ type: "inquiry", inquiry: event.inquiry })];
    case "ended": {
      const { outcome, text, fault, calls, usage } = event;
      const also = { ...(fault === undefined ? {} : { fault }), ...(usage === undefined ? {} : { usage }) };
      return [told({ type: "ended", outcome, text, calls, ...also })];
    }
    case "began":
    case "changed":
    case "undone":
    case "redone":
    case "compacted":
    case "uncompacted":
    case "deleted":
    case "other":
      return [];
  }
}
