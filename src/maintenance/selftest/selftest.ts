import { type HomeSources, loadConfig } from "../../config/config.ts";
import type { TestProgress, TestStep } from "../../core/maintenance.ts";
import { toFailure } from "../../core/failure.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { Failed, Skipped, type Step, steps } from "./steps.ts";
import { type OpenTested, type TestWorld, testWorld } from "./world.ts";

export type SelfTest = HomeSources & {
  readonly profile?: string;
  readonly open: OpenTested;
  readonly clock?: Clock;
};

const limitMs = 40_000;

/**
 * Whole turns on both runtimes with the built-in model, in a home of its own. Of the person's settings it reads only
 * which codex they mean; it reaches nobody but this machine.
 */
export async function* selfTest(
  options: SelfTest,
  signal: AbortSignal,
): AsyncGenerator<TestProgress, void, void> {
  const { env, clock = systemClock, open } = options;
  const codexBin = await namedCodex(options);
  await using world = await testWorld({ env, open, clock, ...(codexBin === undefined ? {} : { codexBin }) });
  for (const step of steps) {
    yield { begins: step.name };
    const progress = await tell(step, world, clock, signal);
    signal.throwIfAborted();
    yield progress;
  }
}

/** Settings that cannot be read are doctor's business. */
async function namedCodex(options: SelfTest): Promise<string | undefined> {
  const flags = options.profile === undefined ? {} : { profile: options.profile };
  const loaded = await loadConfig({ ...options, flags }).catch(() => undefined);
  return loaded?.config.model.codexBin;
}

async function tell(step: Step, world: TestWorld, clock: Clock, signal: AbortSignal): Promise<TestStep> {
  const { name } = step;
  const begun = clock.monotonic();
  const took = (): number => Math.round(clock.monotonic() - begun);
  try {
    const detail = await within(step, world, clock, signal);
    return { name, state: "ok", ms: took(), detail };
  } catch (error) {
    if (error instanceof Skipped) return { name, state: "skipped", ms: took(), detail: error.message };
    return { name, state: "failed", ms: took(), ...reasonOf(error) };
  }
}

async function within(step: Step, world: TestWorld, clock: Clock, signal: AbortSignal): Promise<string> {
  const done = new AbortController();
  const late = clock.sleep(limitMs, AbortSignal.any([done.signal, signal]), { hold: true }).then(() => {
    throw new Error(`it did not come to an end within ${limitMs / 1000} s`);
  });
  try {
    return await Promise.race([step.run(world, clock), late]);
  } finally {
    done.abort(noLongerNeeded);
    late.catch(() => {}); // it was only raced
  }
}

function reasonOf(error: unknown): Pick<TestStep, "detail" | "next"> {
  if (error instanceof Failed) return { detail: error.message, next: error.next };
  const { code, message, next } = toFailure(error);
  if (code !== "bug") return { detail: message, next };
  return {
    detail: error instanceof Error ? error.message : String(error),
    next: "Run talaria doctor. If it finds nothing, please report this with the output of talaria selftest --json.",
  };
}
