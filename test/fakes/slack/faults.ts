/**
 * What goes wrong with a call. `dropped`: the connection ends, and nothing was done. `acceptedThenDropped`: it was done first.
 * `hang`: no answer ever comes; `done` says whether it was done. `garbled`: it was done, and half of the answer comes.
 */
export type Fault =
  | { readonly kind: "error"; readonly error: string; readonly more?: object }
  | { readonly kind: "rateLimited"; readonly seconds?: number }
  | { readonly kind: "status"; readonly status: number; readonly body?: string }
  | { readonly kind: "dropped" }
  | { readonly kind: "acceptedThenDropped" }
  | { readonly kind: "garbled" }
  | { readonly kind: "hang"; readonly done: boolean };

export type Faults = {
  /** The next calls of this method (`*`: of any) go wrong so, `times` of them. */
  next(method: string, fault: Fault, times?: number): void;
  /** Asked for every call that nothing else is planned for. */
  decide(choose: (method: string) => Fault | undefined): void;
  none(): void;
  take(method: string): Fault | undefined;
};

export function newFaults(): Faults {
  let planned: { readonly method: string; readonly fault: Fault; left: number }[] = [];
  let choose: (method: string) => Fault | undefined = nothing;
  return {
    next: (method, fault, times = 1) => void planned.push({ method, fault, left: times }),
    decide: (chosen) => void (choose = chosen),
    none() {
      planned = [];
      choose = nothing;
    },
    take(method) {
      const found = planned.find((plan) => plan.left > 0 && (plan.method === method || plan.method === "*"));
      if (found === undefined) return choose(method);
      found.left -= 1;
      return found.fault;
    },
  };
}

const nothing = (): undefined => undefined;
