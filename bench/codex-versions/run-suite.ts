import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/lib/clock.ts";
import { runCommand } from "../../src/lib/process/command.ts";

export type TestResult =
  | { readonly name: string; readonly passed: true }
  | { readonly name: string; readonly passed: false; readonly why: string };

const suite = fileURLToPath(new URL("suite.child.ts", import.meta.url));
const reporter = new URL("results.child.ts", import.meta.url).href;

/** The contract of the runtimes on this codex, in a process of its own. */
export async function runSuite(binary: string): Promise<readonly TestResult[]> {
  const { stdout, stderr, timedOut } = await runCommand({
    command: process.execPath,
    args: ["--test", "--test-reporter", reporter, suite],
    cwd: process.cwd(),
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", CODEX_BIN: binary },
    clock: systemClock,
    signal: new AbortController().signal,
    timeoutMs: 15 * 60_000,
  });
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  if (timedOut || lines.length === 0)
    throw new Error(`The suite on ${binary} ${timedOut ? "did not end" : "ran no test"}: ${stderr}`);
  return lines.map((line) => JSON.parse(line) as TestResult);
}
