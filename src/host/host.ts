import type { Agent } from "../agent/index.ts";
import type { Titles } from "../agent/titles.ts";
import type { Broker } from "../approvals/broker.ts";
import type { PolicySettings } from "../approvals/policy/policy.ts";
import { dispatch } from "../commands/dispatch.ts";
import { findingText } from "../config/config.ts";
import type { Host, HostStatus } from "../core/host.ts";
import type { McpServers } from "../core/tooling.ts";
import type { Reviewer } from "../learning/index.ts";
import type { CheckSources } from "../maintenance/doctor/facts.ts";
import type { Runtime } from "../runtimes/runtime.ts";
import type { LiveTasks } from "../work/index.ts";
import { approvalAccess, rulesText } from "./approvals/approval-access.ts";
import type { Closing } from "./closing.ts";
import { codexMigration } from "./codex/migration.ts";
import { wantsTitles } from "../agent/titles.ts";
import { type Foundation, ownersSurfaces } from "./foundation.ts";
import type { HostLearned } from "./learning/learned-access.ts";
import { type DefaultRuntime, defaultRuntime } from "./models/default-runtime.ts";
import { contextWindow } from "./models/models.ts";
import { readiness } from "./models/readiness.ts";
import { usageAccess } from "./models/usage-access.ts";
import { contextBill } from "./prompt/context-bill.ts";
import type { Preparation } from "./prompt/instructions.ts";
import { diffAccess } from "./sessions/diff.ts";
import { ownCommand } from "./sessions/own-command.ts";
import { recordingAccess } from "./sessions/recordings.ts";
import { sending } from "./sessions/sending.ts";
import { sessionAccess } from "./sessions/session-access.ts";
import type { SessionAddresses } from "./tools/known-addresses.ts";
import type { HostShell } from "./tools/shell.ts";
import { toolList } from "./tools/switches.ts";
import type { HostToolBox } from "./tools/tool-box.ts";

/** All parts of a host that surfaces see something of. */
type Joined = Foundation & {
  readonly runtimes: Readonly<Record<string, Runtime>>;
  readonly policy: PolicySettings;
  readonly prepare: Preparation;
  readonly agent: Agent;
  readonly broker: Broker;
  readonly toolBox: HostToolBox;
  readonly mcp: McpServers;
  readonly addresses: SessionAddresses;
  readonly tasks: LiveTasks;
  readonly shell: HostShell;
  readonly titling: Titles;
  readonly reviews: Reviewer;
  readonly learned: HostLearned;
  readonly closing: Closing;
  readonly dispose: () => Promise<void>;
};

/** The parts as surfaces see them. */
export function hostOf(joined: Joined): Host {
  const { loaded, store, clock, cwd, env, agent, broker, tasks, toolBox, closing, learned, longLived } =
    joined;
  const { config } = loaded;
  const runtime = defaultRuntime(loaded, store);
  const { title_generation: titling } = config.auxiliary;
  const host: Host = {
    send: sending({
      ...joined,
      withDefaultRuntime: runtime.applyTo,
      wantsTitles: wantsTitles({ longLived, enabled: titling?.enabled }),
    }),
    subscribe: agent.subscribe,
    stop: async (session) => (await tasks.stop(session)) ?? agent.stop(session),
    running: agent.running,
    endRunning: agent.endRunning,
    delegated: tasks.list,
    compress: agent.compress,
    undo: undoing(joined),
    redo: agent.redo,
    fork: agent.fork,
    choose: agent.choose,
    setDefaultRuntime: runtime.set,
    readiness: (name) => readiness({ ...joined, runtimes: Object.keys(joined.runtimes) }, name),
    context: contextBill({
      store,
      clock,
      preview: joined.prepare.preview,
      tools: async () => (await toolBox.tools()).filter((tool) => !toolBox.switches.isOff(tool)),
      runtime: { known: config.model.runtime, fresh: runtime.current },
      window: contextWindow(config),
    }),
    tools: async () => toolList(await toolBox.tools(), toolBox.switches),
    switchTools: async (names, on) => toolBox.switches.set(await toolBox.tools(), names, on),
    openTools: async (wanted) => (await import("./tool-server/tool-server.ts")).toolServer(joined, wanted),
    mcp: joined.mcp,
    learned: learned.learned,
    recordings: recordingAccess(config.paths.recordings, cwd),
    migration: codexMigration(joined),
    diff: diffAccess(joined),
    shell: ownCommand({ ...joined, env, closing }),
    sessions: sessionAccess(store, joined.owner, joined.isGone, clock),
    answer: broker.answer,
    reply: broker.reply,
    approvals: approvalAccess(store, clock, async () =>
      rulesText(joined.policy, await joined.shell.sandbox()),
    ),
    usage: usageAccess(joined),
    status: () => hostStatus(joined, runtime),
    checks: async () =>
      (await import("../maintenance/doctor/check-up.ts")).checks(checkSources(joined, host.migration)),
    command: (line, from) => {
      const busy = from.session !== undefined && agent.isBusy(from.session);
      return dispatch(line, { ...from, owner: ownersSurfaces.has(from.surface), busy }, host);
    },
    warnings: [...joined.upgrades, ...loaded.warnings.map(findingText)],
    [Symbol.asyncDispose]: joined.dispose,
  };
  return host;
}

/** What is taken back is not to be learned from. */
const undoing =
  ({ agent, reviews }: Joined): Host["undo"] =>
  (session, turns) => {
    void reviews.cancel(session);
    return agent.undo(session, turns);
  };

const checkSources = (
  { loaded, env, store, clock, isGone, routes, shell }: Joined,
  migration: Host["migration"],
): CheckSources => ({
  location: loaded.config,
  env,
  clock,
  isGone,
  openStore: async () => store,
  settings: {
    loaded,
    routes,
    sandbox: shell.sandbox,
    findCodex: async (signal) =>
      (await import("./codex/plan.ts")).findOwnCodex(loaded.config, env, clock, signal, true),
    migration,
  },
});

function hostStatus({ version, loaded, routes }: Joined, runtime: DefaultRuntime): HostStatus {
  const { home, profile, model, providers, display } = loaded.config;
  const provider = providers[model.provider];
  return {
    version,
    home,
    profile,
    model: routes.model,
    provider: model.provider,
    models: provider?.kind === "route" ? provider.models : [],
    runtime: runtime.current(),
    runtimeSetting: runtime.setting(),
    knownRuntime: model.runtime,
    display,
  };
}
