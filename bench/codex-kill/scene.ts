import { openHost } from "../../src/host/index.ts";
import type { Json } from "../../src/core/json.ts";
import type { Host } from "../../src/core/host.ts";
import type { ProcessRegistry } from "../../src/lib/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { selfIdentity } from "../../src/lib/process-identity.ts";
import { startAppServer } from "../../src/runtimes/codex/app-server.ts";
import { codexRuntime } from "../../src/runtimes/codex/codex.ts";
import { launchOptions } from "../../src/runtimes/codex/launch.ts";
import { offeredToCodex } from "../../src/runtimes/codex/offered-tools.ts";
import { unreadMethods } from "../../src/runtimes/codex/opt-out.ts";
import type { CodexPlan } from "../../src/runtimes/codex/plan.ts";
import { appServerPool } from "../../src/runtimes/codex/pool.ts";
import type { Runtime } from "../../src/runtimes/runtime.ts";
import type { Store } from "../../src/store/store.ts";
import type { Job } from "./job.ts";
import { mutated } from "./mutants.ts";

/** Sees each frame that codex wrote, with the process that wrote it. */
export type OnFrame = (frame: Json, pid: number) => void;

/** The real host and store, with every turn on codex and somebody who sees each frame. */
export async function openScene(job: Job, onFrame: OnFrame): Promise<Host> {
  const stored = Promise.withResolvers<Store>();
  const runtime = codex(job, stored.promise, onFrame);
  return openHost({
    env: { PATH: process.env["PATH"], TALARIA_HOME: job.home },
    homeDir: job.home,
    cwd: job.cwd,
    version: "bench",
    seams: {
      runtimes: { codex: runtime },
      wrapStore(store) {
        stored.resolve(store);
        return mutated(store, job.mutant);
      },
    },
  });
}

function codex(job: Job, store: Promise<Store>, onFrame: OnFrame): Runtime {
  const owner = selfIdentity();
  let pid = 0;
  const processes: ProcessRegistry = {
    async add(child) {
      pid = child.pid;
      await (await store).processes.add({ ...child, owner });
    },
    remove: async (child, startTime) => (await store).processes.remove(child, startTime),
  };
  const record = (dir: string, frame: Json): void => {
    if (dir === "s>c") onFrame(frame, pid);
  };
  const options = { clock: systemClock, processes, record, optOut: unreadMethods, clientVersion: "bench" };
  const pool = appServerPool({
    clock: systemClock,
    start: (launch, signal) => startAppServer(launch, { ...options, signal }),
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
