import { type TestHome, testHome } from "../../test/fakes/test-agent.ts";
import { type Script, says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import type { AgentDeps } from "../agent/index.ts";
import { localOwner } from "../core/principal.ts";
import type { Store } from "../store/store.ts";
import { type Cron, cron } from "./cron.ts";
import type { Dispatcher } from "./dispatch/dispatcher.ts";
import { inProcessDispatcher } from "./dispatch/in-process.ts";
import { type WorkSettings, workSource } from "./runner.ts";

export const maker = { by: localOwner("cli"), byModel: false, depth: 1 } as const;

export const settings: WorkSettings = {
  maxConcurrent: 2,
  maxMs: 60_000,
  run: { tokens: 1000 },
  budget: { day: {}, origins: {}, job: {} },
  zone: "UTC",
  pauseAfter: 3,
};

const isFolder = async (path: string): Promise<boolean> => path === "/";

export type WorkWorld = AsyncDisposable & {
  readonly home: TestHome;
  readonly clock: TestHome["clock"];
  readonly disk: Store;
  readonly cron: Cron;
  /** A host that runs what is due, as another process would. */
  serve(options?: Serve): Promise<Dispatcher>;
};

type Serve = Partial<AgentDeps> & {
  readonly pid?: number;
  readonly store?: Store;
  readonly settings?: WorkSettings;
};

/** A home with schedules and hosts that run them on this script. */
export async function workWorld(script: Script = (turn) => says("Done.", turn)): Promise<WorkWorld> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await testHome());
  const { clock, disk } = home;
  const kept = opened.move();
  const hosts = new Set<Dispatcher>();
  const schedules = cron({
    store: disk,
    settings,
    defaults: {
      zone: "UTC",
      cwd: "/",
      runtime: "scripted",
      runtimes: ["scripted"],
      isFolder,
      hashOf: async () => undefined,
      skill: async () => undefined,
      bind: async () => ({}),
    },
    clock,
    isGone: () => false,
    // How a process hears of what another one has written is for the dispatcher's own suite.
    changed: () => hosts.forEach((host) => host.changed()),
  });
  return {
    home,
    clock,
    disk,
    cron: schedules,
    async serve({ pid = 1, settings: own = settings, ...also } = {}) {
      const agent = await home.open(scriptedRuntime(script), {
        pid,
        answering: () => "read",
        ...also,
      });
      await agent.reconcile();
      const { store, owner } = agent;
      const log = also.log ?? (() => {});
      const isGone = also.isGone ?? (() => false);
      const source = workSource({ store, agent, settings: own, isFolder, clock, log });
      const dispatcher = inProcessDispatcher({
        store,
        source,
        most: own.maxConcurrent,
        owner,
        isGone,
        clock,
        log,
      });
      hosts.add(dispatcher);
      kept.defer(async () => {
        dispatcher.stop();
        await agent[Symbol.asyncDispose]();
        await dispatcher.settled();
        await dispatcher[Symbol.asyncDispose]();
      });
      return dispatcher;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
