import { openHost } from "../../src/host/index.ts";
import type { Host } from "../../src/core/host.ts";
import type { ProcessRegistry } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { selfIdentity } from "../../src/lib/process/process-identity.ts";
import { startAppServer } from "../../src/runtimes/codex/process/app-server.ts";
import { codexRuntime } from "../../src/runtimes/codex/codex.ts";
import { launchOptions } from "../../src/runtimes/codex/process/launch.ts";
import { offeredToCodex } from "../../src/runtimes/codex/thread-settings/offered-tools.ts";
import { unreadMethods } from "../../src/runtimes/codex/process/opt-out.ts";
import type { CodexPlan } from "../../src/runtimes/codex/plan.ts";
import { appServerPool } from "../../src/runtimes/codex/process/pool.ts";
import type { Recorder } from "../../src/runtimes/codex/connection/recorded-wire.ts";
import type { Runtime } from "../../src/runtimes/runtime.ts";
import type { Store } from "../../src/store/store.ts";
import type { Job } from "./job.ts";
import { type Glimpse, glimpse } from "./seen.ts";

/** Called as soon as a frame of codex is here, before anybody makes anything of it. */
export type OnFrame = (seen: Glimpse, pid: number) => void;

/** The real host and store, with every turn on codex and somebody who sees each frame. */
export function openScene(job: Job, onFrame: OnFrame): Promise<Host> {
  const opened = Promise.withResolvers<Store>();
  const watched = watchedCodex(job, opened.promise, onFrame);
  const codex = job.mutant === "no-recovery" ? { ...watched, recover: async () => [] } : watched;
  return openHost({
    env: { PATH: process.env["PATH"], TALARIA_HOME: job.home },
    homeDir: job.home,
    cwd: job.cwd,
    version: "bench",
    seams: {
      runtimes: { codex },
      wrapStore(store) {
        opened.resolve(store);
        return job.mutant === "forget-thread" ? forgetful(store) : store;
      },
    },
  });
}

function watchedCodex(job: Job, store: Promise<Store>, onFrame: OnFrame): Runtime {
  const owner = selfIdentity();
  const pids: number[] = [];
  const processes: ProcessRegistry = {
    async add(child) {
      pids.push(child.pid);
      await (await store).processes.add({ ...child, owner });
    },
    remove: async (pid, startTime) => (await store).processes.remove({ pid, startTime, owner }),
  };
  const options = { clock: systemClock, processes, optOut: unreadMethods, clientVersion: "bench" };
  const pool = appServerPool({
    clock: systemClock,
    start: (launch, signal) => {
      const at = pids.length;
      const record: Recorder = (dir, frame) => {
        if (dir === "s>c") onFrame(glimpse(frame, at === 0), pids[at] ?? 0);
      };
      return startAppServer(launch, { ...options, record, signal });
    },
  });
  const plan = planOf(job);
  return codexRuntime({
    pool,
    plan: async () => plan,
    offer: offeredToCodex,
    frames: { listen: () => () => {} },
  });
}

const planOf = ({ binary, codexHome, model, marker, home }: Job): CodexPlan => ({
  launch: launchOptions({
    binary,
    env: { PATH: process.env["PATH"], HOME: home, [marker]: "1" },
    passEnv: [marker],
    route: { name: "scripted", url: model, headers: {} },
    retries: { request: 0, stream: 0 },
    isolated: { codexHome },
  }),
  provider: "scripted",
  loopRouteExists: false,
  model: "gpt-5.5",
  sandbox: "workspace-write",
  network: false,
  mcpServers: {},
  warnings: [],
});

/** Keeps no note of which thread a conversation is in. */
const forgetful = (store: Store): Store => ({
  ...store,
  search: store.search.bind(store),
  [Symbol.asyncDispose]: store[Symbol.asyncDispose].bind(store),
  bindings: { load: store.bindings.load.bind(store.bindings), save: async () => {} },
});
