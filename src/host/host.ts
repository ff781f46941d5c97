import type { Agent, AgentDeps } from "../agent/index.ts";
import type { Titles } from "../agent/titles.ts";
import type { Broker } from "../approvals/broker.ts";
import { dispatch } from "../commands/dispatch.ts";
import { type Loaded, findingText } from "../config/config.ts";
import type { Host, HostStatus } from "../core/host.ts";
import type { McpServers } from "../core/tooling.ts";
import type { Reviewer } from "../learning/index.ts";
import type { Redactor } from "../lib/redact.ts";
import { approvalAccess } from "./approvals/approval-access.ts";
import { callDiff } from "./sessions/call-diff.ts";
import type { CheckSources } from "../maintenance/doctor/facts.ts";
import type { Closing } from "./closing.ts";
import { codexMigration } from "./codex/migration.ts";
import { contextWindow } from "./models/compaction.ts";
import { contextBill } from "./prompt/context-bill.ts";
import type { HostDelegation } from "./tools/delegation.ts";
import { type DefaultRuntime, defaultRuntime } from "./models/default-runtime.ts";
import { folderDiff } from "./sessions/folder-diff.ts";
import type { Preparation } from "./prompt/instructions.ts";
import type { HostLearned } from "./learning/learned-access.ts";
import { ownCommand } from "./sessions/own-command.ts";
import { readiness } from "./models/readiness.ts";
import { recordingAccess } from "./sessions/recordings.ts";
import type { Routes } from "./models/routes.ts";
import { sending } from "./sessions/sending.ts";
import { sessionAccess } from "./sessions/session-access.ts";
import type { HeardResults } from "./tools/heard-results.ts";
import type { HostShell } from "./tools/shell.ts";
import type { HostToolBox } from "./tools/tool-box.ts";
import { toolList } from "./tools/tool-list.ts";
import { usageAccess } from "./models/usage-access.ts";

export type HostDeps = AgentDeps & {
  readonly prepare: Preparation;
  readonly toolBox: HostToolBox;
  readonly redact: Redactor;
};

type Joined = {
  readonly options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
    readonly version: string;
    readonly titles?: boolean;
  };
  readonly loaded: Loaded;
  readonly deps: HostDeps;
  readonly routes: Routes;
  readonly agent: Agent;
  readonly broker: Broker;
  readonly heard: HeardResults;
  readonly delegates: HostDelegation;
  readonly mcp: McpServers;
  readonly shell: HostShell;
  readonly titling: Titles;
  readonly reviews: Reviewer;
  readonly known: HostLearned;
  readonly rules: () => Promise<readonly string[]>;
  readonly closing: Closing;
  readonly dispose: () => Promise<void>;
};

/** The parts as surfaces see them. */
export function hostOf(joined: Joined): Host {
  const { options, loaded, deps, agent, broker } = joined;
  const { store, clock } = deps;
  const { config } = loaded;
  const runtime = defaultRuntime(loaded, store);
  const stays = options.titles === true;
  const wantsTitles = stays && config.auxiliary.title_generation?.enabled !== false;
  const host: Host = {
    send: sending({ ...joined, named: runtime.named, wantsTitles, stays }),
    subscribe: agent.subscribe,
    stop: async (session) => (await joined.delegates.stop(session)) ?? agent.stop(session),
    running: agent.running,
    endRunning: agent.endRunning,
    delegated: joined.delegates.list,
    compress: agent.compress,
    undo: undoing(joined),
    redo: agent.redo,
    fork: agent.fork,
    choose: agent.choose,
    setDefaultRuntime: runtime.set,
    readiness: (name) =>
      readiness({ ...joined, env: options.env, clock, runtimes: Object.keys(deps.runtimes) }, name),
    context: contextBill({
      store,
      clock,
      look: deps.prepare.look,
      tools: async () => (await deps.toolBox.tools()).filter((tool) => !deps.toolBox.switches.isOff(tool)),
      runtime: { known: deps.defaultRuntime, fresh: runtime.current },
      window: contextWindow(config),
    }),
    tools: async () => toolList(await deps.toolBox.tools(), deps.toolBox.switches),
    switchTools: async (names, on) => deps.toolBox.switches.set(await deps.toolBox.tools(), names, on),
    openTools: async (wanted) =>
      (await import("./tool-server/tool-server.ts")).toolServer({ ...deps, ...joined }, wanted),
    mcp: joined.mcp,
    learned: joined.known.learned,
    recordings: recordingAccess(config.paths.recordings, options.cwd),
    migration: codexMigration({ ...deps, loaded, env: options.env, version: options.version }),
    diff: maskedDiff(joined),
    shell: ownCommand({ ...deps, env: options.env, closing: joined.closing }),
    sessions: sessionAccess(store, deps.owner, deps.isGone, clock),
    answer: broker.answer,
    reply: broker.reply,
    approvals: approvalAccess(store, clock, joined.rules),
    usage: usageAccess(store, clock, deps.spending),
    status: () => hostStatus(joined, runtime),
    checks: async () =>
      (await import("../maintenance/doctor/check-up.ts")).checks(checkSources(joined, host.migration)),
    command: (line, from) => {
      const busy = from.session !== undefined && agent.isBusy(from.session);
      return dispatch(line, { ...from, owner: ownersSurfaces.has(from.surface), busy }, host);
    },
    warnings: loaded.warnings.map(findingText),
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

const maskedDiff =
  (joined: Joined): Host["diff"] =>
  async (of) => {
    const { text, note } = await diffOf(joined, of);
    return { text: joined.deps.redact(text), ...(note === undefined ? {} : { note }) };
  };

const checkSources = (
  { options, loaded, deps, routes, shell }: Joined,
  migration: Host["migration"],
): CheckSources => ({
  place: loaded.config,
  env: options.env,
  clock: deps.clock,
  isGone: deps.isGone,
  openStore: async () => deps.store,
  settings: {
    loaded,
    routes,
    sandbox: shell.fence,
    findCodex: async (signal) =>
      (await import("./codex/plan.ts")).findOwnCodex(loaded.config, options.env, deps.clock, signal, true),
    migration,
  },
});

/** Whoever types there sits at the machine. */
export const ownersSurfaces: ReadonlySet<string> = new Set(["cli", "tui", "acp"]);

const diffOf = (
  { deps, options, closing }: Joined,
  of: Parameters<Host["diff"]>[0],
): ReturnType<Host["diff"]> =>
  of.what === "folder"
    ? closing.track(folderDiff(of.cwd, options.env, deps.clock, closing.signal, deps.redact))
    : callDiff(deps.store, of.session, of.what);

function hostStatus({ options, loaded, routes, deps }: Joined, runtime: DefaultRuntime): HostStatus {
  const { home, profile, model, providers, display } = loaded.config;
  const provider = providers[model.provider];
  return {
    version: options.version,
    home,
    profile,
    model: routes.model,
    provider: model.provider,
    models: provider?.kind === "route" ? provider.models : [],
    runtime: runtime.current(),
    runtimeSetting: runtime.setting(),
    knownRuntime: deps.defaultRuntime,
    display,
  };
}
