import { checkLine } from "../../operations/text/check-line.ts";
import type { Check } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Options } from "./action.ts";
import type { CliPorts, ExitCode } from "./ports.ts";
import { progress } from "./progress.ts";

/** `talaria doctor`: every check with its next step. Exit 0: nothing failed · 1: something did · 2: the settings cannot be read. */
export async function doctor(ports: CliPorts, options: Options): Promise<ExitCode> {
  const stop = new AbortController();
  using cleanup = new DisposableStack();
  cleanup.defer(ports.onInterrupt(() => stop.abort()));
  const line = cleanup.use(progress(ports, systemClock, "Looking at the installation"));
  const report = options.json === true ? jsonReport(ports) : textReport(ports);
  const fix = options["fix"] === true;
  const checks: Check[] = [];
  let unreadable = false;
  try {
    const client = await ports.openBare(options);
    for await (const step of client.call("doctor.look", { fix }, stop.signal)) {
      line.clear();
      if ("unreadable" in step) unreadable = step.unreadable;
      if ("fixed" in step) report.fixed(step.fixed);
      if (!("check" in step)) continue;
      checks.push(step.check);
      report.check(step.check);
    }
  } catch (error) {
    if (stop.signal.aborted) return 130;
    throw error;
  }
  report.summary(checks);
  if (unreadable) return 2;
  return checks.every(({ ok }) => ok) ? 0 : 1;
}

type Report = {
  check(check: Check): void;
  fixed(text: string): void;
  summary(checks: readonly Check[]): void;
};

function textReport({ stdout }: CliPorts): Report {
  return {
    check: (check) => void stdout.write(`${checkLine(check)}\n`),
    fixed: (text) => void stdout.write(`fixed: ${text}\n`),
    summary(checks) {
      const { failed, notes } = sums(checks);
      if (failed === 0)
        return void stdout.write(`\nNothing is wrong${notes === 0 ? "" : `; ${notes} to note`}.\n`);
      const mendable = checks.filter(({ fixable }) => fixable === true).length;
      const offer =
        mendable === 0 ? "" : ` talaria doctor --fix can fix ${mendable === 1 ? "one" : mendable} of these.`;
      stdout.write(
        `\n${failed === 1 ? "One thing is" : `${failed} things are`} wrong; what to do is below ${failed === 1 ? "it" : "each"}.${offer}\n`,
      );
    },
  };
}

function jsonReport({ stdout }: CliPorts): Report {
  const write = (value: object): void => void stdout.write(`${JSON.stringify(value)}\n`);
  return {
    check: (check) => write({ type: "check", ...check }),
    fixed: (text) => write({ type: "fixed", text }),
    summary(checks) {
      const { failed, notes } = sums(checks);
      write({ type: "summary", ok: failed === 0, checks: checks.length, failed, notes });
    },
  };
}

const sums = (checks: readonly Check[]): { readonly failed: number; readonly notes: number } => ({
  failed: checks.filter(({ ok }) => !ok).length,
  notes: checks.filter(({ level }) => level === "note").length,
});
