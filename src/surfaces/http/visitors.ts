import { type AccessTable, type HttpSettings, stillWorks } from "../../core/access.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { HttpFailure } from "./failures.ts";
import { perMinute, tooMany } from "./limits.ts";
import type { Visitor } from "./visit.ts";

/** How soon a key that is revoked in another process ends what it has open. */
const lookAgainMs = 500;
/** The time of the last use need not be exact, and a commit for every request would cost more than the request. */
const usedEveryMs = 60_000;

export type Visit = { readonly gone: AbortSignal; leave(): void };

export type Visitors = Disposable & {
  /** Throws when they have too many open, or came too often. */
  enter(visitor: Visitor): Visit;
  count(): number;
};

type Open = { readonly visitor: Visitor; readonly ended: AbortController };

/** Who is inside. Whoever may come in no more is let go, whatever they were reading. */
export function visitors(
  access: Pick<AccessTable, "key" | "device" | "used">,
  { perMinute: most, concurrent }: Pick<HttpSettings, "perMinute" | "concurrent">,
  clock: Clock,
): Visitors {
  const inside = new Set<Open>();
  const requests = perMinute(most, clock);
  const lastUse = new Map<string, number>();
  const closing = new AbortController();
  let watching = false;

  const note = (id: string): void => {
    const now = clock.now();
    if (now - (lastUse.get(id) ?? 0) < usedEveryMs) return;
    lastUse.set(id, now);
    void access.used(id, now).catch(() => {}); // only for a list
  };

  const watch = async (): Promise<void> => {
    if (watching) return;
    watching = true;
    while (inside.size > 0 && !closing.signal.aborted) {
      await clock.sleep(lookAgainMs, closing.signal).catch(() => {});
      const ids = new Map([...inside].map(({ visitor }) => [visitor.id, visitor]));
      for (const visitor of ids.values()) {
        // A store that cannot be read revokes nobody.
        if (await stillWorks(access, visitor.caller).catch(() => true)) continue;
        for (const open of inside) if (open.visitor.id === visitor.id) open.ended.abort(revoked());
      }
    }
    watching = false;
  };

  return {
    enter(visitor) {
      const { id } = visitor;
      const wait = requests.add(id);
      if (wait !== undefined) throw tooMany("requests with this key in a minute", wait);
      const open = [...inside].filter((each) => each.visitor.id === id).length;
      if (open >= concurrent) throw tooMany(`requests at once: ${open} are open`, 1);
      note(id);
      const one: Open = { visitor, ended: new AbortController() };
      inside.add(one);
      void watch();
      return { gone: one.ended.signal, leave: () => void inside.delete(one) };
    },
    count: () => inside.size,
    [Symbol.dispose]() {
      closing.abort(noLongerNeeded);
      for (const { ended } of inside) ended.abort(stopping());
    },
  };
}

const stopping = (): HttpFailure =>
  new HttpFailure(
    503,
    "stopping",
    "Talaria is being stopped.",
    "What there is of a turn is kept in its session. Ask again in a moment.",
  );

const revoked = (): HttpFailure =>
  new HttpFailure(
    403,
    "revoked",
    "What you came in with was revoked.",
    "Ask the owner of this Talaria for a new key.",
  );
