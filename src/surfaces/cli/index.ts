import { systemClock } from "../../lib/clock.ts";
import { reportFailure } from "./failure.ts";
import { plainRun } from "./plain-run.ts";
import type { CliPorts, ExitCode } from "./ports.ts";
import { withProgress } from "./progress.ts";

export type { CliPorts, HostOptions } from "./ports.ts";

/** Runs what was typed to its exit code. A plain message loads next to nothing, nor does an editor. */
export async function start(given: CliPorts): Promise<ExitCode> {
  const ports: CliPorts = {
    ...given,
    openHost: (options) =>
      withProgress(given, systemClock, "Opening the store", () => given.openHost(options)),
  };
  const plain = plainRun(ports.argv);
  if (plain === undefined && !isPlainAcp(ports.argv))
    return (await import("./command-line.ts")).runCli(ports);
  try {
    if (plain === undefined) return await ports.acp({});
    return await (await import("./run.ts")).run(ports, plain.words, plain.options);
  } catch (error) {
    return reportFailure(error, { ...ports, json: plain?.options.json === true });
  }
}

/** As editors start it. */
const isPlainAcp = ([first, ...rest]: readonly string[]): boolean => first === "acp" && rest.length === 0;
