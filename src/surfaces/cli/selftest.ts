import type { TestStep } from "../../core/maintenance.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Options } from "./action.ts";
import type { CliPorts, ExitCode } from "./ports.ts";
import { progress } from "./progress.ts";

/** `talaria selftest`: what works here, step by step. Exit 0: nothing failed, though something may have been left out. */
export async function selftest(ports: CliPorts, options: Options): Promise<ExitCode> {
  const { stdout, stderr } = ports;
  const json = options.json === true;
  const stop = new AbortController();
  using cleanup = new DisposableStack();
  cleanup.defer(ports.onInterrupt(() => stop.abort()));
  const line = cleanup.use(progress(ports, systemClock, "Preparing"));
  const steps: TestStep[] = [];
  const begun = systemClock.monotonic();
  try {
    const client = await ports.openBare(options);
    for await (const step of client.call("selftest.run", {}, stop.signal)) {
      if ("begins" in step) {
        line.update(`Trying: ${step.begins}`);
        continue;
      }
      steps.push(step);
      line.clear();
      stdout.write(json ? `${JSON.stringify({ type: "step", ...step })}\n` : `${stepLine(step)}\n`);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    stderr.write("\nStopped; nothing is left of it.\n");
    return 130;
  }
  const seconds = (systemClock.monotonic() - begun) / 1000;
  const count = (state: TestStep["state"]): number => steps.filter((step) => step.state === state).length;
  const sums = { passed: count("ok"), skipped: count("skipped"), failed: count("failed") };
  if (json)
    stdout.write(
      `${JSON.stringify({ type: "summary", ok: sums.failed === 0, ...sums, ms: Math.round(seconds * 1000) })}\n`,
    );
  if (!json) stdout.write(`\n${summaryText(sums)} (${seconds.toFixed(1)} s)\n`);
  return sums.failed === 0 ? 0 : 1;
}

const marks = { ok: "✓", skipped: "-", failed: "✗" } as const;

function stepLine({ name, state, ms, detail, next }: TestStep): string {
  const head = `${marks[state]} ${name} (${ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`})`;
  const words = state === "skipped" ? `left out: ${detail}` : detail;
  return `${head}: ${words}${next === undefined ? "" : `\n  → ${next}`}`;
}

function summaryText({
  passed,
  skipped,
  failed,
}: Readonly<Record<"passed" | "skipped" | "failed", number>>): string {
  if (failed > 0)
    return `${failed === 1 ? "One step" : `${failed} steps`} of ${passed + skipped + failed} failed.`;
  if (skipped > 0) return `What could be tried works: ${passed} steps; ${skipped} were left out.`;
  return `Everything works: ${passed} steps.`;
}
