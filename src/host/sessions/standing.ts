import type { SaidBy, Standing } from "../../agent/index.ts";
import { type AccessTable, type StoredKey, isLookedAt, stillWorks } from "../../core/access.ts";
import { isPlatform } from "../../core/gateway/chat.ts";
import type { PeopleTable } from "../../core/gateway/tables.ts";
import { type Fault, FaultError } from "../../core/faults.ts";
import type { Principal } from "../../core/principal.ts";
import type { Limit } from "../../core/spend.ts";
import { dayStart } from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { isStillLetIn } from "../gateway/let-in.ts";

/** How soon a key or a person that is revoked anywhere ends the turns they have. */
const lookAgainMs = 500;

/** What a turn is taken to use as long as it runs: a tenth of the budget, and no less than this. */
const leastUse: Required<Limit> = { tokens: 10_000, usd: 0.05 };

type Deps = {
  readonly access: Pick<AccessTable, "key" | "device" | "spentBy">;
  readonly people: Pick<PeopleTable, "get">;
  readonly clock: Clock;
};

type Live = { readonly input: SaidBy; readonly end: (why: FaultError) => void };

/** Whoever came in over HTTP or from a chat is looked at again when a turn of theirs begins, and while it runs. */
export function standing({ access, people, clock }: Deps): Standing {
  const live = new Set<Live>();
  const running = new Map<string, number>();
  let watching = new AbortController();

  const watch = async (until: AbortSignal): Promise<void> => {
    while (!until.aborted) {
      await clock.sleep(lookAgainMs, until).catch(() => {});
      for (const { input } of new Map([...live].map((turn) => [callerOf(turn), turn])).values()) {
        // A store that cannot be read revokes nobody.
        if (await mayGoOn(input).catch(() => true)) continue;
        const why = new FaultError(revoked(input.from, "The turn was ended"));
        for (const turn of live) if (callerOf(turn) === callerOf({ input })) turn.end(why);
      }
    }
  };

  const mayGoOn = async (input: SaidBy): Promise<boolean> =>
    (await stillWorks(access, input.from)) && (await isStillLetIn(people, input));

  return {
    async check(input) {
      if (!(await mayGoOn(input))) throw new FaultError(revoked(input.from, "The turn was not started"));
    },
    async begin(input, isPart, end) {
      const { from } = input;
      const key = await keyOf(access, from);
      const room = key?.budget && (await roomIn({ ...key, budget: key.budget }, isPart));
      const one: Live = { input, end };
      if ((isLookedAt(from) || isPlatform(from.surface)) && live.add(one).size === 1)
        void watch(watching.signal);
      return {
        ...(room === undefined ? {} : { left: room }),
        [Symbol.dispose]() {
          if (room !== undefined && !isPart) running.set(from.id, (running.get(from.id) ?? 1) - 1);
          if (!live.delete(one) || live.size > 0) return;
          watching.abort(noLongerNeeded);
          watching = new AbortController();
        },
      };
    },
  };

  /** What is left of it. Those before are counted before it is read what is spent, so that nobody is in neither. */
  async function roomIn({ id, budget }: StoredKey & { readonly budget: Limit }, isPart: boolean) {
    const before = isPart ? 0 : (running.get(id) ?? 0);
    if (!isPart) running.set(id, before + 1);
    try {
      const spent = await access.spentBy(id, dayStart(clock.now()));
      const reserved = (unit: keyof Limit): number =>
        before * Math.max(leastUse[unit], (budget[unit] ?? 0) / 10);
      const units = (["tokens", "usd"] as const).filter((unit) => budget[unit] !== undefined);
      const left = (unit: keyof Limit): number => (budget[unit] ?? 0) - spent[unit];
      if (units.some((unit) => left(unit) <= 0)) throw new FaultError(usedUp);
      if (before > 0 && units.some((unit) => left(unit) <= reserved(unit))) throw new FaultError(reservedUp);
      return Object.fromEntries(units.map((unit) => [unit, left(unit)])) as Limit;
    } catch (error) {
      if (!isPart) running.set(id, (running.get(id) ?? 1) - 1);
      throw error;
    }
  }
}

/** Who has it, and where: whoever was let in with a group may be let in with another one. */
const callerOf = ({ input: { from, key } }: Pick<Live, "input">): string =>
  JSON.stringify([from.surface, from.id, from.role, isPlatform(from.surface) ? [key.surface, key.chat] : ""]);

const keyOf = async (access: Deps["access"], from: Principal): Promise<StoredKey | undefined> =>
  from.surface === "api" && isLookedAt(from) ? access.key(from.id) : undefined;

function revoked({ name, id, surface }: Principal, what: string): Fault {
  if (isPlatform(surface))
    return {
      code: "refused",
      message: `${what}: ${name ?? id} is not let in any more.`,
      next: `What is there of it is kept in its session. The owner lets somebody in with \`talaria gateway allow ${surface}:${id}\`.`,
    };
  return {
    code: "refused",
    message: `${what}: ${surface === "web" ? "the browser" : "the key"} ${name ?? id} was revoked.`,
    next: "What is there of it is kept in its session. The owner can give a new key with `talaria keys add`.",
  };
}

const usedUp: Fault = {
  code: "quota",
  message: "The turn was not started: its key has used up what it may use in a day.",
  next: "It goes on at midnight (UTC), or with another key.",
};

const reservedUp: Fault = {
  code: "quota",
  message:
    "The turn was not started: what is left of its key's budget for today is set aside for turns that run.",
  next: "Send it again when they have ended.",
};
