import type { Loaded } from "../config/config.ts";
import type { ProcessRegistry } from "../lib/child.ts";
import type { Clock } from "../lib/clock.ts";
import type { Json } from "../core/json.ts";
import type { FrameTap } from "../runtimes/codex/codex.ts";
import type { Recorder } from "../runtimes/codex/recorded-wire.ts";
import type { RecordFrame, Runtime } from "../runtimes/runtime.ts";
import type { Store } from "../store/store.ts";
import { noteDrift } from "./codex-drift.ts";
import type { Routes } from "./routes.ts";

export type CodexParts = {
  readonly loaded: Loaded;
  readonly routes: Routes;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly processes: ProcessRegistry;
  readonly version: string;
  readonly store: Store;
  readonly log: (line: string) => void;
};

/** The codex runtime, loaded with its first turn: most starts of the program never need it. */
export function lazyCodexRuntime(parts: CodexParts): Runtime {
  let loading: Promise<Runtime> | undefined;
  const load = (): Promise<Runtime> => (loading ??= open(parts));
  return {
    name: "codex",
    async *run(turn, ports) {
      yield* (await load()).run(turn, ports);
    },
    steer: async (turn, input) => (loading === undefined ? "refused" : (await load()).steer(turn, input)),
    recover: async (turn, ports) => (await load()).recover(turn, ports),
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]();
    },
  };
}

async function open({
  loaded,
  routes,
  env,
  clock,
  processes,
  version,
  store,
  log,
}: CodexParts): Promise<Runtime> {
  const [
    { codexRuntime },
    { appServerPool },
    { startAppServer },
    { codexPlan },
    { unreadMethods },
    { offeredToCodex },
  ] = await Promise.all([
    import("../runtimes/codex/codex.ts"),
    import("../runtimes/codex/pool.ts"),
    import("../runtimes/codex/app-server.ts"),
    import("./codex-plan.ts"),
    import("../runtimes/codex/opt-out.ts"),
    import("../runtimes/codex/offered-tools.ts"),
  ]);
  const { frames, record } = frameTap();
  const options = { clock, processes, record, optOut: unreadMethods, clientVersion: version };
  const pool = appServerPool({
    clock,
    start: (launch, signal) => startAppServer(launch, { ...options, signal }),
  });
  return codexRuntime({
    pool,
    frames,
    onDrift: (names) =>
      void noteDrift(store, names).catch((error: unknown) => log(`codex drift: ${String(error)}`)),
    offer: offeredToCodex,
    plan: (turn, signal) => codexPlan(loaded, routes, env, clock, turn, signal),
  });
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
