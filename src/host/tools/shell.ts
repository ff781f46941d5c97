import { join } from "node:path";
import type { PolicySettings } from "../../approvals/policy/policy.ts";
import { type Sandbox, findSandbox } from "../../lib/sandbox/sandbox.ts";
import { childVariable } from "../../runtimes/codex/process/child-variable.ts";
import type { Runtime } from "../../runtimes/runtime.ts";
import type { TerminalTools } from "../../tools/terminal/terminal.ts";
import type { Tool } from "../../tools/tool.ts";
import { findOwnCodex } from "../codex/plan.ts";
import type { Foundation } from "../foundation.ts";
import type { Terminals } from "../sessions/terminals.ts";
import { hiddenPaths } from "./secret-paths.ts";

type Sources = Pick<Foundation, "loaded" | "env" | "processes" | "clock" | "redact"> & {
  readonly terminals?: Terminals;
  readonly settings: PolicySettings;
  /** Gives up looking for a sandbox. */
  readonly signal?: AbortSignal;
};

/** How commands of the loop are run. Nothing is looked for before the first one. */
export type HostShell = AsyncDisposable &
  Required<Pick<Runtime, "running" | "endRunning">> & {
    /** Files and folders that no command and no tool of a model reads or changes. */
    readonly guarded: readonly string[];
    tools(): Promise<readonly Tool[]>;
    readonly check: TerminalTools["check"];
    /** What commands run in, in words. `confined: false`: in no sandbox, although one was wanted. */
    sandbox(): Promise<{
      readonly confined: boolean;
      readonly text: string;
      readonly gaps: readonly string[];
    }>;
  };

export function hostShell(sources: Sources): HostShell {
  const { loaded, settings } = sources;
  let terminal: Promise<TerminalTools> | undefined;
  let made: TerminalTools | undefined;
  const terminalTools = async (): Promise<TerminalTools> => {
    terminal ??= makeTools(sources);
    made = await terminal;
    return made;
  };
  return {
    guarded: settings.guarded,
    tools: async () => (await terminalTools()).tools,
    check: async (wanted, signal) => (await terminalTools()).check(wanted, signal),
    running: (session) => made?.running(session) ?? [],
    endRunning: async (session, id) => (await made?.endRunning(session, id)) ?? [],
    async sandbox() {
      if (settings.securityMode === "unrestricted")
        return {
          confined: true,
          text: "run without a sandbox: terminal.security_mode is unrestricted",
          gaps: [],
        };
      const found = await sandboxOf(sources);
      if (found.kind === "none")
        return { confined: false, text: `each asks, there is no sandbox: ${found.why}`, gaps: [] };
      const network = loaded.config.terminal.network ? "with" : "without";
      return {
        confined: true,
        text: `run in the sandbox of ${found.kind}, ${network} network${whyNotCodex(found)}`,
        gaps: found.gaps,
      };
    },
    async [Symbol.asyncDispose]() {
      await (await terminal)?.[Symbol.asyncDispose]();
    },
  };
}

const whyNotCodex = ({ kind, why }: Sandbox): string =>
  kind === "codex" || why === undefined ? "" : ` (${why})`;

async function makeTools(sources: Sources): Promise<TerminalTools> {
  const { loaded, env, terminals, settings, processes, clock, redact } = sources;
  const { terminalTools } = await import("../../tools/terminal/terminal.ts");
  const { network } = loaded.config.terminal;
  return terminalTools({
    sandbox: () => sandboxOf(sources),
    securityMode: settings.securityMode,
    network,
    env,
    ...(terminals === undefined ? {} : { terminalOf: terminals.of }),
    passEnv: loaded.config.codex.env,
    hidden: hiddenPaths(settings, network),
    locked: settings.guarded,
    processes,
    childVariable,
    clock,
    redact,
  });
}

/** The codex that runs turns has the better sandbox; one that is missing or too old is no reason to have none. */
async function sandboxOf(sources: Sources): Promise<Sandbox> {
  const { loaded, env, clock, signal = new AbortController().signal } = sources;
  const found = await findOwnCodex(loaded.config, env, clock, signal);
  const home = join(loaded.config.paths.run, "codex-sandbox");
  const codex = "code" in found ? {} : { codex: { binary: found.path, home } };
  return findSandbox({ ...codex, env, clock, signal });
}
