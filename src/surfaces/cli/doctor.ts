import { checkLine } from "../../commands/text/check-line.ts";
import type { CheckUp } from "../../core/maintenance.ts";
import type { Check } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import type { CliPorts, ExitCode } from "./ports.ts";
import { type Progress, progress } from "./progress.ts";

export type DoctorOptions = { readonly profile?: string; readonly json?: boolean; readonly fix?: boolean };

/** `talaria doctor`: every check with its next step. Exit 0: nothing failed · 1: something did · 2: the settings cannot be read. */
export async function doctor(ports: CliPorts, options: DoctorOptions): Promise<ExitCode> {
  const profile = options.profile === undefined ? {} : { profile: options.profile };
  const stop = new AbortController();
  using cleanup = new DisposableStack();
  cleanup.defer(ports.onInterrupt(() => stop.abort()));
  await using checkUp = await ports.checkUp(profile);
  const line = cleanup.use(progress(ports, systemClock, "Looking at the installation"));
  try {
    return await examine(ports, checkUp, options, line, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return 130;
    throw error;
  }
}

async function examine(
  ports: CliPorts,
  checkUp: CheckUp,
  options: DoctorOptions,
  line: Progress,
  signal: AbortSignal,
): Promise<ExitCode> {
  const report = options.json === true ? jsonReport(ports) : textReport(ports);
  if (options.fix === true) await fix(checkUp, line, signal, report);
  const checks: Check[] = [];
  for await (const check of checkUp.look(signal)) {
    checks.push(check);
    line.clear();
    report.check(check);
  }
  report.summary(checks);
  if (checkUp.unreadable) return 2;
  return checks.every(({ ok }) => ok) ? 0 : 1;
}

async function fix(checkUp: CheckUp, line: Progress, signal: AbortSignal, report: Report): Promise<void> {
  await Array.fromAsync(checkUp.look(signal));
  line.update("Fixing");
  const done = await checkUp.fix();
  line.clear();
  for (const text of done) report.fixed(text);
  line.update("Looking again");
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
