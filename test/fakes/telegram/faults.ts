/**
 * What goes wrong with a call. `dropped`: the connection ends, and nothing was done. `acceptedThenDropped`: it was done first. `hang`: no
 * answer ever comes; `done` says whether it was done. `garbled`: it was done, and half of the answer comes. `status`: a page of some proxy.
 */
export type Fault =
  | { readonly kind: "error"; readonly code: number; readonly description: string; readonly more?: object }
  | { readonly kind: "rateLimited"; readonly seconds?: number }
  | { readonly kind: "status"; readonly status: number; readonly done?: boolean }
  | { readonly kind: "dropped" }
  | { readonly kind: "acceptedThenDropped" }
  | { readonly kind: "garbled" }
  | { readonly kind: "hang"; readonly done: boolean };

export type Faults = {
  /** The next calls of this method (`*`: of any but getUpdates) go wrong so, `times` of them. */
  next(method: string, fault: Fault, times?: number): void;
  /** Asked for every call that nothing else is planned for. */
  decide(choose: (method: string) => Fault | undefined): void;
  /** Somebody else polls with the token: every poll is ended with a 409. */
  otherPoller(isThere: boolean): void;
  /** Those that are open are cut, and every new connection is reset as soon as it is there. */
  unreachable(isSo: boolean): void;
  /** The updates of one answer are put into another order. */
  disorder(order: ((updates: readonly object[]) => readonly object[]) | undefined): void;
  none(): void;
};

export type PlannedFaults = Faults & {
  take(method: string): Fault | undefined;
  readonly now: {
    otherPoller: boolean;
    unreachable: boolean;
    order: (updates: readonly object[]) => readonly object[];
  };
};

/** `changed`: after something that open polls have to know. `cut`: ends all connections. */
export function newFaults(changed: () => void, cut: () => void): PlannedFaults {
  let planned: { readonly method: string; readonly fault: Fault; left: number }[] = [];
  let choose: (method: string) => Fault | undefined = nothing;
  const now: PlannedFaults["now"] = { otherPoller: false, unreachable: false, order: asTheyAre };
  return {
    now,
    next: (method, fault, times = 1) => void planned.push({ method, fault, left: times }),
    decide: (chosen) => void (choose = chosen),
    otherPoller(isThere) {
      now.otherPoller = isThere;
      changed();
    },
    unreachable(isSo) {
      now.unreachable = isSo;
      if (isSo) cut();
    },
    disorder: (order) => void (now.order = order ?? asTheyAre),
    none() {
      planned = [];
      choose = nothing;
      Object.assign(now, { otherPoller: false, unreachable: false, order: asTheyAre });
    },
    take(method) {
      const isMeant = (wanted: string): boolean =>
        wanted === method || (wanted === "*" && method !== "getUpdates");
      const found = planned.find((plan) => plan.left > 0 && isMeant(plan.method));
      if (found === undefined) return choose(method);
      found.left -= 1;
      return found.fault;
    },
  };
}

const nothing = (): undefined => undefined;
const asTheyAre = (updates: readonly object[]): readonly object[] => updates;
