import { usage } from "../failure.ts";
import type { CliPorts, ExitCode } from "../ports.ts";

export type SetupOptions = {
  readonly profile?: string;
  readonly provider?: string;
  readonly api?: string;
  readonly protocol?: string;
  readonly keyEnv?: string;
  readonly model?: string;
  readonly runtime?: string;
  readonly test: boolean;
  readonly json?: boolean;
};

/** `talaria setup`: asks on a terminal, and does what the options say elsewhere. Ctrl+C leaves everything as it was. */
export async function setup(ports: CliPorts, options: SetupOptions): Promise<ExitCode> {
  const { provider, json } = options;
  const given = [options.api, options.protocol, options.keyEnv, options.model, options.runtime];
  if (provider === undefined && given.some((value) => value !== undefined))
    throw usage("--provider is missing.", "Say which one is meant: talaria setup --provider NAME …");
  const stop = new AbortController();
  using cleanup = new DisposableStack();
  cleanup.defer(ports.onInterrupt(() => stop.abort()));
  const opened = await ports.setup(options.profile === undefined ? {} : { profile: options.profile });
  try {
    if (provider !== undefined)
      return await (await import("./script.ts")).setUp(ports, opened, { ...options, provider }, stop.signal);
    if (canAsk(ports) && json !== true)
      return await (await import("./dialogue.ts")).setUpByAsking(ports, opened, stop.signal);
    return await (await import("./script.ts")).explain(ports, opened, json === true, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    ports.stderr.write("\nNothing was written.\n");
    return 130;
  }
}

const canAsk = ({ stdin, stdout, env }: CliPorts): boolean =>
  stdin.isTTY === true && stdout.isTTY === true && env["TERM"] !== "dumb";
