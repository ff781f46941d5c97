import { realpathSync } from "node:fs";
import type { CodexPlan } from "../../runtimes/codex/plan.ts";
import type { Loaded } from "../../config/config.ts";
import type { ProcessRegistry } from "../../lib/process/child.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Json } from "../../core/json.ts";
import type { FrameTap } from "../../runtimes/codex/codex.ts";
import type { Recorder } from "../../runtimes/codex/connection/recorded-wire.ts";
import type { AppServerPool, PoolOptions } from "../../runtimes/codex/process/pool.ts";
import type { ExpectedTurn, RecordFrame, Runtime, Turn, UnaskedWork } from "../../runtimes/runtime.ts";
import type { Store } from "../../store/store.ts";
import type { AskCodex } from "../models/auxiliary.ts";
import { isInside } from "../../lib/sandbox/paths.ts";
import { noteDrift } from "../../maintenance/codex-drift.ts";
import type { Routes } from "../models/routes.ts";
import type { Config } from "../../config/config.ts";
import type { Terminals } from "../sessions/terminals.ts";
import type { CodexPaths } from "../tools/secret-paths.ts";
import { doorFolders } from "./doors.ts";
import type { Fault } from "../../core/faults.ts";

export type CodexParts = {
  readonly loaded: Loaded;
  readonly routes: Routes;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly processes: ProcessRegistry;
  readonly version: string;
  readonly store: Store;
  readonly paths?: CodexPaths;
  /** Names of tools and toolsets that are switched off now. */
  readonly off: () => readonly string[];
  readonly log: (line: string) => void;
  readonly redact: (text: string) => string;
  readonly terminals?: Terminals;
};

/** The codex runtime, loaded with its first turn: most starts of the program never need it. */
export function lazyCodexRuntime(parts: CodexParts): Runtime & { readonly ask: AskCodex } {
  let loading: ReturnType<typeof open> | undefined;
  let loaded: Runtime | undefined;
  let take: ((work: UnaskedWork) => void) | undefined;
  const load = (): ReturnType<typeof open> =>
    (loading ??= open(parts).then((opened) => {
      loaded = opened.runtime;
      loaded.onUnasked?.((work) => take?.(work));
      return opened;
    }));
  return {
    name: "codex",
    async expect(turn, signal) {
      if (loading !== undefined) return;
      await load()
        .then(({ start }) => start(turn, signal))
        .catch(() => {});
    },
    onInput: (session) => loaded?.onInput?.(session),
    async *run(turn, ports) {
      yield* (await load()).runtime.run(turn, ports);
    },
    async *sideTurn(turn, ports) {
      yield* (await load()).runtime.sideTurn?.(turn, ports) ?? [];
    },
    steer: async (turn, input, name) =>
      loading === undefined ? "refused" : (await load()).runtime.steer(turn, input, name),
    async compact(turn, ports) {
      const { runtime } = await load();
      return (
        (await runtime.compact?.(turn, ports)) ?? { notNeeded: "Codex cannot shorten. Nothing was changed." }
      );
    },
    leave: async (turn, ports) => (await load()).runtime.leave?.(turn, ports),
    recover: async (turn, ports) => (await load()).runtime.recover(turn, ports),
    arrivedInputs: async (turn, ports) =>
      (await (await load()).runtime.arrivedInputs?.(turn, ports)) ?? new Set(),
    onUnasked: (listener) => void (take = listener),
    markKnown: async (...known) => loaded?.markKnown?.(...known),
    flushUnasked: async () => loaded?.flushUnasked?.(),
    release: async (session) => loaded?.release?.(session),
    running: (session) => loaded?.running?.(session) ?? [],
    endRunning: async (session, id) => (await loaded?.endRunning?.(session, id)) ?? [],
    ask: async (provider, question, signal) => (await load()).ask(provider, question, signal),
    async [Symbol.asyncDispose]() {
      await (await loading)?.runtime[Symbol.asyncDispose]();
    },
  };
}

type Opened = {
  readonly runtime: Runtime;
  readonly ask: AskCodex;
  /** Starts the app-server that such a turn will lease. */
  readonly start: (turn: ExpectedTurn, signal: AbortSignal) => Promise<void>;
};

async function open({
  loaded,
  routes,
  env,
  clock,
  processes,
  version,
  store,
  paths: { guarded, ...hidden } = { guarded: [], hidden: [], hiddenInSideTurns: [] },
  off,
  log,
  redact,
  terminals,
}: CodexParts): Promise<Opened> {
  const [
    { codexRuntime },
    { askEphemeral },
    { appServerPool },
    { startAppServer },
    { codexPlan },
    { unreadMethods },
    { offeredToCodex },
  ] = await Promise.all([
    import("../../runtimes/codex/codex.ts"),
    import("../../runtimes/codex/ephemeral.ts"),
    import("../../runtimes/codex/process/pool.ts"),
    import("../../runtimes/codex/process/app-server.ts"),
    import("./plan.ts"),
    import("../../runtimes/codex/process/opt-out.ts"),
    import("../../runtimes/codex/thread-settings/offered-tools.ts"),
  ]);
  const { frames, record } = frameTap();
  const { promise: greeted, resolve: onGreeted } = Promise.withResolvers<void>();
  const options = { clock, processes, record, optOut: unreadMethods, clientVersion: version, onGreeted };
  const start: PoolOptions["start"] = (launch, signal) => startAppServer(launch, { ...options, signal });
  const pool = appServerPool({ clock, start });
  const planFor: PlanFor = (turn, signal, terminal) =>
    codexPlan(loaded, routes, env, clock, turn, signal, off(), redact, terminal);
  const first = firstStart(planFor, pool, greeted);
  const runtime = codexRuntime({
    pool,
    frames,
    redact,
    onDrift: (names) => void noteDrift(store, names).catch((error) => log(`codex drift: ${String(error)}`)),
    offer: offeredToCodex,
    async plan(turn, signal) {
      await first.planned();
      const plan = await planFor(turn, signal, terminals?.of(turn.session));
      return "code" in plan ? plan : placed({ ...plan, ...hidden }, loaded.config, turn, guarded);
    },
  });
  const ask: AskCodex = async (provider, question, signal) => {
    const plan = await codexPlan(servedBy(loaded, provider), routes, env, clock, question, signal, off());
    return "code" in plan
      ? { model: "", fault: plan }
      : askEphemeral({ pool, clock }, plan, question, signal);
  };
  return { runtime, ask, start: first.start };
}

const placed = async (
  { hiddenFrom, ...plan }: CodexPlan & Pick<CodexPaths, "hiddenFrom">,
  config: Config,
  { session, cwd }: Pick<Turn, "session" | "cwd">,
  guarded: readonly string[],
): Promise<CodexPlan> => ({
  ...plan,
  hidden: [...(plan.hidden ?? []), ...((await hiddenFrom?.(session)) ?? [])],
  doors: () => doorFolders(config),
  ...(await unwritten(plan, cwd, guarded)),
});

type PlanFor = (
  turn: ExpectedTurn,
  signal: AbortSignal,
  terminal?: CodexParts["env"],
) => Promise<CodexPlan | Fault>;

/** `planned`: which codex it is has been asked by then, and need not be asked twice at once. */
function firstStart(
  planFor: PlanFor,
  pool: AppServerPool,
  greeted: Promise<void>,
): Pick<Opened, "start"> & { readonly planned: () => Promise<unknown> } {
  let planned: Promise<unknown> = Promise.resolve();
  return {
    planned: () => planned,
    async start(turn, signal) {
      const plan = planFor(turn, signal);
      planned = plan.catch(() => {});
      const found = await plan;
      if ("code" in found) return;
      // Given back at once: until the turn wants it, it is an idle one.
      const leased = pool.lease(found.launch, signal).then(
        (lease) => lease[Symbol.dispose](),
        () => {}, // the turn will hear of it
      );
      await Promise.race([greeted, leased]);
    },
  };
}

/** What no command may write, wherever it is. */
async function unwritten(
  { guards = [] }: CodexPlan,
  cwd: string,
  guarded: readonly string[],
): Promise<Pick<CodexPlan, "unwritable" | "holdsGuarded">> {
  const unwritable = guards.length === 0 ? [] : (await import("./deny-guard.ts")).guardPrograms();
  return { unwritable, holdsGuarded: overlaps(cwd, [...guarded, ...unwritable]) };
}

/** Is one of the places in the folder, or the folder in one of them? */
function overlaps(cwd: string, paths: readonly string[]): boolean {
  const folder = realFolder(cwd);
  return paths.some((path) => isInside(path, folder) || isInside(folder, path));
}

/** Every turn asks: to wait for it would take longer. */
function realFolder(cwd: string): string {
  try {
    return realpathSync.native(cwd);
  } catch {
    return cwd; // it is not there
  }
}

/** The settings as if this provider were the chosen one; the model that was chosen belongs to the other. */
function servedBy(loaded: Loaded, provider: string): Loaded {
  const { name: _, ...rest } = loaded.config.model;
  if (provider === rest.provider) return loaded;
  return { ...loaded, config: { ...loaded.config, model: { ...rest, provider } } };
}

/** Hands every frame to whoever records just now. */
function frameTap(): { readonly frames: FrameTap; readonly record: Recorder } {
  const listeners = new Set<RecordFrame>();
  const record = (dir: string, msg: Json): void => {
    for (const listener of listeners) listener({ dir, msg });
  };
  return {
    record: Object.assign(record, { isWanted: () => listeners.size > 0 }),
    frames: {
      listen(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
}
