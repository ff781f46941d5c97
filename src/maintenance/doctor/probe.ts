import { toFailure } from "../../core/failure.ts";
import type { Check } from "../../core/host.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";

/** A check, and what `doctor --fix` can do about it. Resolves with what was done. */
export type Finding = Check & { readonly fix?: () => Promise<string> };

/** One thing to look at, which may give several lines or none. */
export type Probe = {
  readonly name: string;
  look(signal: AbortSignal): Promise<readonly Finding[]>;
  readonly limitMs?: number;
};

const usualMs = 12_000;

/** Looks at everything at once and tells it in order. One that hangs or breaks is a line like the others. */
export async function* lookAt(
  probes: readonly Probe[],
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Finding, void, void> {
  const looks = probes.map((probe) => bounded(probe, clock, signal));
  for (const look of looks) {
    const findings = await look;
    signal.throwIfAborted();
    yield* findings;
  }
}

/** Never rejects. */
async function bounded(probe: Probe, clock: Clock, signal: AbortSignal): Promise<readonly Finding[]> {
  const { name, limitMs = usualMs } = probe;
  const late = new AbortController();
  const done = new AbortController();
  const patience = clock.sleep(limitMs, AbortSignal.any([done.signal, signal]), { hold: true }).then(
    () => [tooLate(name, limitMs)],
    () => [],
  );
  try {
    return await Promise.race([probe.look(AbortSignal.any([late.signal, signal])), patience]);
  } catch (error) {
    const { message, next } = toFailure(error);
    return [{ name, ok: false, detail: message, next }];
  } finally {
    late.abort(noLongerNeeded);
    done.abort(noLongerNeeded);
  }
}

const tooLate = (name: string, limitMs: number): Finding => ({
  name,
  ok: false,
  detail: `no answer within ${limitMs / 1000} s`,
  next: "Look at what the machine is busy with, then run doctor again.",
});

export const fine = (name: string, detail: string): Finding => ({ name, ok: true, detail });

/** Something to know; `next` only where there is something to do. */
export const note = (name: string, detail: string, next?: string): Finding => ({
  name,
  ok: true,
  level: "note",
  detail,
  ...(next === undefined ? {} : { next }),
});

export const wrong = (name: string, detail: string, next: string): Finding => ({
  name,
  ok: false,
  detail,
  next,
});

/** Wrong for whoever needs it; to others it is only worth a line. */
export const wrongIf = (needed: boolean, name: string, detail: string, next: string): Finding =>
  needed ? wrong(name, detail, next) : note(name, detail, next);

export const withFix = (finding: Finding, fix: () => Promise<string>): Finding => ({
  ...finding,
  fixable: true,
  fix,
});

/** Bytes as people read them. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const number = bytes / 1024 ** power;
  return `${power === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${units[power]}`;
}
