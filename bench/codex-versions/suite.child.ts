/** The contract of all runtimes on one codex, that of CODEX_BIN. Not for `npm test`: that has the pinned one already. */
import { env as own } from "node:process";
import { systemClock } from "../../src/lib/clock.ts";
import { startDemoModel } from "../../src/models/demo/server.ts";
import { startAppServer } from "../../src/runtimes/codex/app-server.ts";
import { findCodex } from "../../src/runtimes/codex/binary.ts";
import { codexRuntime } from "../../src/runtimes/codex/codex.ts";
import { launchOptions } from "../../src/runtimes/codex/launch.ts";
import { unreadMethods } from "../../src/runtimes/codex/opt-out.ts";
import { appServerPool } from "../../src/runtimes/codex/pool.ts";
import { runtimeSuite } from "../../src/runtimes/runtime.suite.ts";
import { demoScript } from "../../test/fakes/demo-replies.ts";
import { codexHome } from "../../test/fakes/real-codex-home.ts";

const configured = own["CODEX_BIN"];
if (configured === undefined) throw new Error("CODEX_BIN does not say which codex to test.");

const { signal } = new AbortController();
const env = { PATH: own["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent", TMPDIR: own["TMPDIR"] ?? "/tmp" };
const processes = { add: async () => {}, remove: async () => {} };

runtimeSuite(`codex at ${configured}`, async (replies) => {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await codexHome());
  const model = opened.use(await startDemoModel({ clock: systemClock, script: demoScript(replies) }));
  const binary = await findCodex({ configured, env, ownRoot: "/", clock: systemClock, signal });
  if ("code" in binary) throw new Error(binary.message);
  const launch = launchOptions({
    binary: binary.path,
    env,
    route: { name: "scripted", url: model.url, headers: {} },
    retries: { request: 0, stream: 0 },
    isolated: { codexHome: home.path },
  });
  const options = { clock: systemClock, processes, optOut: unreadMethods, clientVersion: "bench" };
  const pool = appServerPool({
    clock: systemClock,
    start: (each, stop) => startAppServer(each, { ...options, signal: stop }),
  });
  const plan = {
    launch,
    provider: "scripted",
    loopRouteExists: false,
    model: "gpt-5.5",
    network: false,
    mcpServers: {},
    warnings: [],
  };
  const offer = new Set(["echo", "fail", "wait"]);
  const frames = { listen: () => () => {} };
  const runtime = opened.use(codexRuntime({ pool, plan: async () => plan, offer, frames }));
  const kept = opened.move();
  return {
    runtime,
    seenByModel: () => model.requests.map((request) => JSON.stringify(request.body)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
});
