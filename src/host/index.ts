import { type Broker, makeBroker } from "../approvals/broker.ts";
import { tieFiles } from "../approvals/bound-files.ts";
import { folderIdentity } from "../approvals/folder-identity.ts";
import type { TieOf } from "../approvals/tie.ts";
import { makeAgent } from "../agent/agent.ts";
import { titles } from "../agent/titles.ts";
import type { Agent, AgentDeps } from "../agent/index.ts";
import { type Loaded, loadConfig, prepareHome } from "../config/config.ts";
import type { Auxiliary } from "../core/auxiliary.ts";
import type { CheckUp, Setup, TestProgress } from "../core/maintenance.ts";
import type { Host } from "../core/host.ts";
import type { TurnId } from "../core/ids.ts";
import { usedUp } from "../agent/budgets.ts";
import { priced } from "../core/spend.ts";
import type { ProcessRegistry } from "../lib/child.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { isAlive, selfIdentity } from "../lib/process-identity.ts";
import { redactor } from "../lib/redact.ts";
import type { TellingReviewer } from "../learning/review/reviewer.ts";
import { converse } from "../models/converse.ts";
import type { Candidates } from "../runtimes/loop/fallback.ts";
import { loopRuntime } from "../runtimes/loop/loop.ts";
import { loopWords } from "../runtimes/loop/words.ts";
import type { Runtime } from "../runtimes/runtime.ts";
import type { Owner, Store } from "../store/store.ts";
import { type SqliteOptions, openSqliteStore } from "../store/sqlite/open.ts";
import { rulesText } from "./approvals/approval-access.ts";
import { asking, policySettings, surroundings } from "./approvals/policy-settings.ts";
import { auxiliary } from "./models/auxiliary.ts";
import { auxiliaryPlace } from "./models/auxiliary-place.ts";
import { closing } from "./closing.ts";
import { lazyCodexRuntime } from "./codex/runtime.ts";
import { compaction } from "./models/compaction.ts";
import { type HostDeps, hostOf, ownersSurfaces } from "./host.ts";
import { preparation } from "./prompt/instructions.ts";
import { hostLearned } from "./learning/learned-access.ts";
import { type Learning, type LearningDeps, openLearning } from "./learning/learning.ts";
import { fileLog } from "./log.ts";
import { endOrphans } from "../maintenance/orphans.ts";
import { fileRecordings } from "./sessions/recordings.ts";
import { hostReviewer } from "./learning/reviews.ts";
import { type Routes, routes } from "./models/routes.ts";
import { codexPlaces } from "./tools/secret-places.ts";
import type { OpenHostParts } from "../maintenance/host-parts.ts";
import type { OpenTested } from "../maintenance/selftest/world.ts";
import { adviser } from "./approvals/smart.ts";
import { hostShell } from "./tools/shell.ts";
import type { HostToolBox } from "./tools/tool-box.ts";
import { hostTools } from "./tools/tools.ts";
import { spendingOf } from "./models/usage-access.ts";

export { codexProgram } from "./codex/plan.ts";
export { replayFile } from "./sessions/recordings.ts";
export { openProfiles, openSettings } from "./settings-access.ts";

export type OpenHost = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly cwd: string;
  readonly version: string;
  readonly profile?: string;
  /** Does not repair what a crash left. */
  readonly readOnly?: boolean;
  /** Sessions get titles and are reviewed in the background: for whoever stays long enough for it. */
  readonly titles?: boolean;
  /** The seams: what tests and fault runs put something else into. */
  readonly seams?: {
    readonly clock?: Clock;
    readonly store?: SqliteOptions;
    readonly wrapStore?: (store: Store) => Store;
    readonly runtimes?: Readonly<Record<string, Runtime>>;
    readonly tieOf?: TieOf;
  };
};

// What follows is loaded when it is used: most starts of the program never need it.

const openParts: OpenHostParts = async (...asked) =>
  (await import("./parts-for-maintenance.ts")).openHostParts(...asked);

export const openCheckUp = async (options: OpenHost): Promise<CheckUp> =>
  (await import("../maintenance/doctor/check-up.ts")).openCheckUp({ ...options, openParts });

/** Tries a choice in a home of its own, which has no profiles. */
export async function openSetup({ profile, ...options }: OpenHost): Promise<Setup> {
  const open = (env: OpenHost["env"], cwd: string): Promise<Host> => openHost({ ...options, env, cwd });
  const named = profile === undefined ? {} : { profile };
  return (await import("../maintenance/setup/setup.ts")).openSetup({ ...options, ...named, open, openParts });
}

export async function* selfTest(
  { profile, ...options }: OpenHost,
  signal: AbortSignal,
): AsyncGenerator<TestProgress, void, void> {
  const open: OpenTested = (place, wrapStore) => openHost({ ...options, ...place, seams: { wrapStore } });
  const named = profile === undefined ? {} : { profile };
  yield* (await import("../maintenance/selftest/selftest.ts")).selfTest(
    { ...options, ...named, open },
    signal,
  );
}

/** Joins everything and starts it. Disposing stops it in the opposite order. */
export async function openHost(options: OpenHost): Promise<Host> {
  await using parts = new AsyncDisposableStack();
  const clock = options.seams?.clock ?? systemClock;
  const flags = options.profile === undefined ? {} : { profile: options.profile };
  const loaded = await loadConfig({ ...options, flags });
  await prepareHome(loaded.config);
  const opened = parts.use(await openSqliteStore(loaded.config.paths.db, { clock, ...options.seams?.store }));
  const store = options.seams?.wrapStore?.(opened) ?? opened;
  const modelRoutes = parts.use(routes(loaded, clock));
  const { env } = options;
  const late = { isReview: (turn: TurnId) => reviews.isReview(turn), tools: () => toolBox };
  const base = agentDeps(options, loaded, store, modelRoutes, clock, late);
  const settings = policySettings(loaded, env, options.homeDir);
  const { timeoutMs } = loaded.config.approvals;
  const advice = settings.mode === "smart" ? { advise: adviser(base.auxiliary) } : {};
  const files = {
    folderId: folderIdentity,
    tieOf: options.seams?.tieOf ?? tieFiles(surroundings(env, options.homeDir)),
  };
  const isFollowed: Agent["isFollowed"] = (session) => agent.isFollowed(session);
  const broker = makeBroker({ ...base, settings, timeoutMs, isFollowed, ...files, ...advice });
  const shell = parts.use(hostShell({ ...base, loaded, env, settings }));
  const { cwd, version, titles: stays = false } = options;
  const own = { ...base, loaded, routes: modelRoutes, shell, env, cwd, version, stays };
  const tools = parts.use(hostTools({ ...own, agent: () => agent }));
  const { delegates, mcp } = tools;
  const toolBox: HostToolBox = tools.toolBox;
  const { settled } = delegates;
  const tell: Agent["tell"] = (...about) => agent.tell(...about);
  const reviews: TellingReviewer = hostReviewer({ ...base, loaded, routes: modelRoutes, toolBox, tell });
  const { news } = reviews;
  const known = parts.use(hostLearned({ ...base, loaded, cwd, tell, reviewer: () => reviews }));
  const side = { asking: asking(broker, delegates), settled, news, ...known.asked };
  const deps = { ...base, toolBox, ready: mcp.ready, background: shell, ...side };
  for (const runtime of Object.values(deps.runtimes)) parts.use(runtime);
  const agent: Agent = parts.use(makeAgent(deps));
  parts.use(reviews);
  const titling = parts.use(titles(base));
  if (options.readOnly !== true) await repair(deps, broker, agent, known.learned.settleForgotten);
  const ending = parts.use(closing());
  const stop = parts.move();
  return hostOf({
    options,
    loaded,
    deps,
    routes: modelRoutes,
    agent,
    broker,
    ...tools,
    shell,
    titling,
    reviews,
    known,
    rules: async () => rulesText(settings, await shell.fence()),
    closing: ending,
    dispose: () => stop.disposeAsync(),
  });
}

/** What a crash of this or another process left. */
async function repair(
  deps: BaseDeps,
  broker: Broker,
  agent: Agent,
  settle: () => Promise<unknown>,
): Promise<void> {
  const { found, ended } = await endOrphans(deps.store, deps.isGone, deps.clock);
  if (found > 0) deps.log(`ended ${ended} of ${found} processes that an earlier run left behind`);
  await broker.reconcile();
  await deps.learning.files.reconcile();
  await settle();
  const { turns, setAside, started } = await agent.reconcile();
  if (turns + setAside + started > 0)
    deps.log(`reconciled: ${turns} turns, ${setAside} set aside, ${started} started`);
}

type BaseDeps = Omit<HostDeps, "asking" | "toolBox"> & {
  readonly auxiliary: Auxiliary;
  readonly learning: Learning;
};

function agentDeps(
  options: OpenHost,
  loaded: Loaded,
  store: Store,
  modelRoutes: Routes,
  clock: Clock,
  late: Pick<LearningDeps, "isReview" | "tools">,
): BaseDeps {
  const redact = redactor(loaded.secrets);
  loaded.onSecret(redact.add);
  const owner = selfIdentity();
  const loop = loopRuntime({
    stream: converse,
    words: loopWords,
    routes: ({ model }) => modelRoutes.all(model),
  });
  const processes = registry(store, owner);
  const { env, version } = options;
  const { turn } = loaded.config;
  const log = fileLog(loaded.config.paths.logs, clock, redact);
  const settings = policySettings(loaded, env, options.homeDir);
  const places = codexPlaces(settings, loaded.config.terminal.network);
  const parts = { loaded, routes: modelRoutes, env, clock, processes, version, store, log };
  const codex = lazyCodexRuntime({ ...parts, places, redact, off: () => late.tools().switches.off() });
  const spending = spendingOf(loaded.config);
  const known = { config: loaded.config, store, env, clock, log, ownSurfaces: ownersSurfaces };
  const learning = openLearning({ ...known, ...late });
  const small = auxiliary({
    place: (task) => auxiliaryPlace(loaded, modelRoutes, task),
    converse,
    askCodex: codex.ask,
    usedUp: (session) => usedUp({ store, clock, ...spending }, session),
    record: (row) => store.usage.add({ ...row, ...priced(row, spending.priceOf) }),
    clock,
    log,
  });
  return {
    store,
    auxiliary: small,
    compaction: compaction(loaded.config, small),
    runtimes: options.seams?.runtimes ?? { loop, codex },
    ...standIn(loaded, modelRoutes),
    defaultRuntime: loaded.config.model.runtime,
    learning,
    prepare: preparation(loaded.config.paths.soul, learning.prompts),
    processes,
    recording: fileRecordings(loaded.config.paths.recordings, clock, redact),
    owner,
    isGone: (other) => other.host === owner.host && !isAlive(other),
    isChat: () => false,
    redact,
    clock,
    log,
    ...(turn.budgetMs === undefined ? {} : { turnBudgetMs: turn.budgetMs }),
    spending,
  };
}

/** The loop on the fallback routes alone: whoever hands a turn over has tried the chosen provider. */
function standIn({ config }: Loaded, modelRoutes: Routes): Pick<AgentDeps, "standIn"> {
  if (config.fallbacks.length === 0) return {};
  const others = async (): Promise<Candidates> => {
    const [main, first = main, ...more] = await modelRoutes.all(undefined);
    return [first, ...more];
  };
  return { standIn: loopRuntime({ stream: converse, words: loopWords, routes: others }) };
}

const registry = (store: Store, owner: Owner): ProcessRegistry => ({
  add: (child) => store.processes.add({ ...child, owner }),
  remove: (pid, startTime) => store.processes.remove(pid, startTime),
});
