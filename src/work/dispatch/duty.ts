import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { Duty, DutyLease } from "../../store/schema/lease-tables.ts";
import { type Owner, type Store, leaseExpiryMs, leaseHeartbeatMs } from "../../store/store.ts";

export type DutyParts = {
  readonly store: Pick<Store, "leases">;
  readonly owner: Owner;
  readonly isGone: (owner: Owner) => boolean;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** A duty of this process. `lost` aborts when another one has taken it over. */
export type HeldDuty = AsyncDisposable & {
  readonly lease: DutyLease;
  readonly lost: AbortSignal;
  /** A process that was stopped goes on with what it had received, before its heart beats again: looks whether it is still ours. */
  look(): Promise<void> | undefined;
};

/** Takes it, and keeps it alive until it is disposed of. `beat`: is called with every sign of life. */
export async function takeDuty(
  parts: DutyParts,
  duty: Duty,
  beat: () => void = () => {},
): Promise<HeldDuty | { readonly busy: Owner }> {
  const { store, owner, isGone, clock, log } = parts;
  const taken = await store.leases.acquireDuty(duty, owner, clock.now(), isGone);
  if ("busy" in taken) return taken;
  const { lease } = taken;
  const [lost, over] = [new AbortController(), new AbortController()];
  let renewedAt = clock.now();
  const renew = async (): Promise<void> => {
    const at = clock.now();
    // A store that cannot write just now does not mean that the lease is gone: nobody else can take it there either.
    const renewed = await store.leases.renew(lease, at).catch(() => undefined);
    if (over.signal.aborted || lost.signal.aborted) return;
    if (renewed === true) renewedAt = at;
    if (renewed !== false) return beat();
    log(`another process has taken over ${lease.duty}`);
    lost.abort(new Error(`another process has taken over ${lease.duty}`));
  };
  void keepUp(parts, renew, AbortSignal.any([over.signal, lost.signal]));
  return {
    lease,
    lost: lost.signal,
    look: () => (clock.now() - renewedAt < leaseExpiryMs ? undefined : renew()),
    async [Symbol.asyncDispose]() {
      over.abort(noLongerNeeded);
      // If it cannot be given back it is free as soon as we are gone.
      if (!lost.signal.aborted) await store.leases.release(lease).catch(() => {});
    },
  };
}

async function keepUp({ clock }: DutyParts, renew: () => Promise<void>, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const slept = await clock.sleep(leaseHeartbeatMs, over).then(
      () => true,
      () => false,
    );
    if (slept) await renew();
  }
}
