/**
 * `talaria serve` with its gateway, that ends itself without a word (kill -9) at a named step of its store. The same host,
 * store and adapters as the program's; only the store is watched, and may be one of the mutants.
 */
import { argv, env, stderr, stdout } from "node:process";
import { openHost } from "../../src/host/index.ts";
import { openGateway } from "../../src/surfaces/gateway/index.ts";
import { serve } from "../../src/surfaces/serve/index.ts";
import { type MutantName, mutants } from "./mutants.ts";
import { type StepStrike, watchFor } from "./steps.ts";

export type HostJob = { readonly strike?: StepStrike; readonly mutant?: MutantName };

const { strike, mutant } = JSON.parse(argv[2] ?? "{}") as HostJob;
const sources = { homeDir: env["HOME"] ?? "", cwd: process.cwd(), version: "bench" };
const die = (): void => void process.kill(process.pid, "SIGKILL");
const seams = {
  ...(strike === undefined ? {} : { store: { onStatement: watchFor(strike, die) } }),
  ...(mutant === undefined ? {} : { wrapStore: mutants[mutant] }),
};

process.exitCode = await serve(
  {
    env,
    version: sources.version,
    stdout,
    // Its environment is what it was given: no shell is asked for another one.
    stdin: { isTTY: true },
    stderr: Object.assign(stderr, { isTTY: false }),
    openHost: (how) => openHost({ ...sources, ...how, seams }),
    doors: [openGateway],
    status: async () => undefined,
    onSignal: (names, callback) => {
      for (const name of names) process.on(name, callback);
      return () => {
        for (const name of names) process.off(name, callback);
      };
    },
  },
  {},
);
