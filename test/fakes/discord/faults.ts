/** A call of the REST API, as it came. */
export type Call = {
  readonly method: string;
  /** Without `/api/v10`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: Uint8Array }[];
  readonly authorization: string | undefined;
};

/**
 * What goes wrong with a call. held: 429 (bare: only its body says for how long) · status: another answer than the true one · hang: nothing is done and nothing answered · hang after:
 * done, and never answered · half: done, and the answer stops in its middle · drop: cut before anything is done · drop after: done, and cut ·
 * fileless: done without the files
 */
export type CallFault =
  | {
      readonly kind: "held";
      readonly seconds: number;
      readonly global?: boolean;
      readonly bucket?: boolean;
      readonly bare?: boolean;
    }
  | { readonly kind: "status"; readonly status: number; readonly code?: number; readonly message?: string }
  | { readonly kind: "html"; readonly status: number }
  | { readonly kind: "hang" | "hang after" | "half" | "drop" | "drop after" | "fileless" };

type Planned = { readonly pick: (call: Call) => boolean; readonly fault: CallFault; times: number };

export type Faults = {
  /** The next calls that `pick` names go wrong in this way, `times` of them (1). Returns how to end that. */
  on(pick: RegExp | ((call: Call) => boolean), fault: CallFault, times?: number): () => void;
  clear(): void;
  of(call: Call): CallFault | undefined;
};

/** `pick` as a pattern is tried on `POST /channels/1/messages`. */
export function makeFaults(): Faults {
  const planned = new Set<Planned>();
  return {
    on(pick, fault, times = 1) {
      const named =
        typeof pick === "function" ? pick : (call: Call) => pick.test(`${call.method} ${call.path}`);
      const plan: Planned = { pick: named, fault, times };
      planned.add(plan);
      return () => void planned.delete(plan);
    },
    clear: () => planned.clear(),
    of(call) {
      for (const plan of planned) {
        if (!plan.pick(call)) continue;
        plan.times -= 1;
        if (plan.times <= 0) planned.delete(plan);
        return plan.fault;
      }
      return undefined;
    },
  };
}
