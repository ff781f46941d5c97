import assert from "node:assert/strict";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "../../../test/temp-folder.ts";
import { systemClock } from "../../lib/clock.ts";
import type { ProcessRegistry } from "../../lib/process/child.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { type DemoModel, startDemoModel } from "../../../test/fakes/demo-model.ts";
import { startAppServer } from "./process/app-server.ts";
import type { AppServer, StartOptions } from "./process/app-server.ts";
import { launchOptions } from "./process/launch.ts";
import type { Launch, LaunchInput } from "./process/launch.ts";

export const root = join(import.meta.dirname, "../../..");

/** A codex to test, and what it says its version is. */
export type RealBinary = { readonly path: string; readonly version: string };

/** Ends every wait of a test that goes wrong. For all tests of a file together. */
export const patience = AbortSignal.timeout(300_000);

/** A folder for one test: `home` is a CODEX_HOME, which codex does not like inside the folder for temporary files. */
export type RealPlace = AsyncDisposable & {
  readonly home: string;
  readonly work: string;
  readonly model: DemoModel;
  launch(more?: Partial<LaunchInput>): Launch;
  start(launch?: Launch, options?: Partial<StartOptions>): Promise<AppServer>;
  /** Processes that the registry knows. */
  readonly registered: ReadonlySet<number>;
};

export async function realPlace(binary: string, steps: readonly object[] = []): Promise<RealPlace> {
  await using opened = new AsyncDisposableStack();
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const { path: folder } = opened.use(await tempFolder(cache));
  const [home, work, tmp] = ["home", "work", "tmp"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, work, tmp]) await mkdir(path);
  const script = parseDemoScript({ steps, otherwise: [{ text: "Understood." }] });
  const model = opened.use(await startDemoModel({ script, clock: systemClock }));
  const { processes, registered } = registry();
  const launch: RealPlace["launch"] = (more = {}) =>
    launchOptions({
      binary,
      env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: tmp },
      isolated: { codexHome: home },
      route: { name: "demo", url: model.url, key: "sk-canary-0123456789", headers: {} },
      model: "gpt-5.5",
      retries: { request: 0, stream: 0 },
      ...more,
    });
  const kept = opened.move();
  return {
    home,
    work,
    model,
    launch,
    start: async (how = launch(), options = {}) =>
      kept.use(
        await startAppServer(how, {
          clock: systemClock,
          processes,
          signal: patience,
          optOut: [],
          clientVersion: "0.0.0",
          ...options,
        }),
      ),
    registered,
    async [Symbol.asyncDispose]() {
      await kept.disposeAsync();
      assert.deepEqual([...registered], [], "every process was forgotten");
      assert.deepEqual(await processesWith(`HOME=${folder}`), [], "no process is left");
    },
  };
}

function registry(): { readonly processes: ProcessRegistry; readonly registered: ReadonlySet<number> } {
  const registered = new Set<number>();
  return {
    registered,
    processes: {
      add: async ({ pid }) => void registered.add(pid),
      remove: async (pid) => void registered.delete(pid),
    },
  };
}

/** Pids of the processes that have this in their environment. */
async function processesWith(variable: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")),
  );
  return pids.filter((_, index) => environments[index]?.split("\0").includes(variable));
}
