import type { SessionId } from "../../core/ids.ts";
import { receivedElsewhere } from "../gateway/received-files.ts";
import type { AgentDeps } from "../../agent/index.ts";
import { whyNotOn } from "../../approvals/policy/audience-rules.ts";
import type { PolicySettings } from "../../approvals/policy/policy.ts";
import type { Config } from "../../config/config.ts";
import type { Auxiliary } from "../../core/auxiliary.ts";
import { converse } from "../../models/converse.ts";
import type { Candidates } from "../../runtimes/loop/fallback.ts";
import { loopRuntime } from "../../runtimes/loop/loop.ts";
import { loopInstructions } from "../../runtimes/loop/instructions.ts";
import type { Runtime } from "../../runtimes/runtime.ts";
import { lazyCodexRuntime } from "../codex/runtime.ts";
import type { Foundation, OpenHost } from "../foundation.ts";
import { codexPaths } from "../tools/secret-paths.ts";
import type { ToolSwitches } from "../tools/switches.ts";
import { auxiliary, auxiliaryTarget } from "./auxiliary.ts";
import type { Routes } from "./routes.ts";
import { costLedger } from "./usage-access.ts";

type Needs = Foundation & {
  readonly policy: PolicySettings;
  readonly switches: ToolSwitches;
  readonly seams?: OpenHost["seams"];
};

/** Who answers: in turns, where a turn's own provider is out of service, and beside the conversations. */
export type HostModels = Pick<AgentDeps, "runtimes" | "whyNotOn" | "standIn" | "compaction"> & {
  readonly auxiliary: Auxiliary;
};

export function hostModels({ policy, switches, seams, ...foundation }: Needs): HostModels {
  const { loaded, routes } = foundation;
  const paths = codexPaths(policy, loaded.config.terminal.network);
  const hiddenFrom = (session: SessionId) => receivedElsewhere(foundation, session);
  const codex = lazyCodexRuntime({ ...foundation, paths: { ...paths, hiddenFrom }, off: switches.off });
  const loop = onLoop(({ model }) => routes.all(model));
  const window = contextWindow(loaded.config);
  const smallTasks = auxiliary({
    ...foundation,
    ...costLedger(foundation),
    targetFor: (task) => auxiliaryTarget(loaded, routes, task),
    converse,
    askCodex: codex.ask,
  });
  return {
    runtimes: seams?.runtimes ?? { loop, codex },
    whyNotOn: (audience, runtime) => whyNotOn(audience, runtime, policy),
    // Whoever hands a turn over has tried the chosen provider.
    ...(loaded.config.fallbacks.length === 0 ? {} : { standIn: onLoop(() => fallbacksOnly(routes)) }),
    auxiliary: smallTasks,
    compaction: {
      auxiliary: smallTasks,
      threshold: loaded.config.compression.threshold,
      window: () => window,
    },
  };
}

const onLoop = (routes: Parameters<typeof loopRuntime>[0]["routes"]): Runtime =>
  loopRuntime({ stream: converse, baseInstructions: loopInstructions, routes });

async function fallbacksOnly(routes: Routes): Promise<Candidates> {
  const [main, first = main, ...more] = await routes.all(undefined);
  return [first, ...more];
}

/** Tokens that the models of the chosen provider can read, if the settings say it. */
export function contextWindow({ providers, model }: Config): number | undefined {
  const provider = providers[model.provider];
  return provider?.kind === "route" ? provider.contextWindow : undefined;
}
