import { mkdir } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import type { TestResult } from "../codex-versions/run-suite.ts";

export type TestRun = {
  /** Tests that were reached: a file that cannot be loaded has none. */
  readonly ran: number;
  readonly failed: readonly { readonly name: string; readonly why: string }[];
  /** Why nothing follows from the run, where nothing does. */
  readonly void?: string;
};

export type RunOptions = {
  readonly signal: AbortSignal;
  /** One that fails is enough. */
  readonly untilFailure?: boolean;
};

const reporter = new URL("../codex-versions/results.child.ts", import.meta.url).href;
/** For each file, on a machine that has other work. */
const patienceMs = 3 * 60_000;
/** A test that waits for ever for what no longer comes has noticed it, too. */
const longestTestMs = 90_000;

/** These test files in that tree, as `npm test` runs them. */
export async function runTests(
  folder: string,
  files: readonly string[],
  { signal, untilFailure = false }: RunOptions,
): Promise<TestRun> {
  const late = AbortSignal.timeout(files.length * patienceMs);
  const limits = ["--test-concurrency=2", `--test-timeout=${longestTestMs}`];
  const args = ["--test", ...limits, "--test-reporter", reporter, ...files];
  await using child = await startNode(folder, args, AbortSignal.any([signal, late]));
  const failed: { readonly name: string; readonly why: string }[] = [];
  let ran = 0;
  for await (const line of lines(child.stdout)) {
    const result = line.startsWith("{") ? (JSON.parse(line) as TestResult) : undefined;
    if (result === undefined || isFile(result.name)) continue;
    ran += 1;
    if (!result.passed) failed.push({ name: result.name, why: result.why.slice(0, 160) });
    if (untilFailure && failed.length > 0) return { ran, failed };
  }
  signal.throwIfAborted();
  if (late.aborted) return { ran, failed, void: "the tests did not end" };
  return { ran, failed, ...(ran === 0 ? { void: `no test ran: ${child.stderrTail()}` } : {}) };

  function isFile(name: string): boolean {
    return files.includes(isAbsolute(name) ? relative(folder, name) : name);
  }
}

/** Why the file cannot be loaded, if so: such a fault is one of spelling, and proves nothing. */
export async function loadFault(
  folder: string,
  file: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  await using child = await startNode(folder, ["--eval", `await import("./${file}")`], signal);
  const { code, stderrTail } = await child.exited;
  return code === 0 ? undefined : stderrTail;
}

async function startNode(
  folder: string,
  args: readonly string[],
  signal: AbortSignal,
): ReturnType<typeof spawnChild> {
  const { NODE_TEST_CONTEXT: _ours, ...inherited } = process.env;
  const env = Object.entries(inherited).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const temporary = join(folder, "tmp");
  await mkdir(temporary, { recursive: true });
  return spawnChild({
    command: process.execPath,
    args: ["--disable-warning=ExperimentalWarning", "--import", "./test/fast-modules.mjs", ...args],
    cwd: folder,
    env: {
      ...(Object.fromEntries(env) as Record<string, string>),
      // What a test leaves behind that was ended in the middle goes with the copy.
      TMPDIR: temporary,
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    },
    kind: "bench",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    signal,
    grace: { inputMs: 0, termMs: 2_000 },
  });
}
