import { resolve } from "node:path";
import { demoScript } from "../../../test/fakes/demo-replies.ts";
import { codexHome } from "../../../test/fakes/real-codex-home.ts";
import { systemClock } from "../../lib/clock.ts";
import { startDemoModel } from "../../models/demo/server.ts";
import { type RuntimeUnderTest, runtimeSuite } from "../runtime.suite.ts";
import { startAppServer } from "./app-server.ts";
import { findCodex } from "./binary.ts";
import { codexRuntime } from "./codex.ts";
import { launchOptions } from "./launch.ts";
import { unreadMethods } from "./opt-out.ts";
import { appServerPool } from "./pool.ts";

const { signal } = new AbortController();
const processes = { add: async () => {}, remove: async () => {} };
const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", TMPDIR: "/tmp" };

runtimeSuite("codex, the real one", async (replies): Promise<RuntimeUnderTest> => {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await codexHome());
  const model = opened.use(await startDemoModel({ clock: systemClock, script: demoScript(replies) }));
  const binary = await findCodex({ env: {}, ownRoot: resolve("."), clock: systemClock, signal });
  if ("code" in binary) throw new Error(binary.message);
  const launch = launchOptions({
    binary: binary.path,
    env,
    route: { name: "scripted", url: model.url, headers: {} },
    retries: { request: 0, stream: 0 },
    isolated: { codexHome: home.path },
  });
  const options = { clock: systemClock, processes, optOut: unreadMethods, clientVersion: "test" };
  const start = (each: typeof launch, stop: AbortSignal) =>
    startAppServer(each, { ...options, signal: stop });
  const pool = appServerPool({ clock: systemClock, start });
  const plan = {
    launch,
    provider: "scripted",
    loopRouteExists: false,
    model: "gpt-5.5",
    network: false,
    mcpServers: {},
    warnings: [],
  };
  const runtime = opened.use(
    codexRuntime({
      pool,
      plan: async () => plan,
      offer: new Set(["echo", "fail", "wait"]),
      frames: { listen: () => () => {} },
    }),
  );
  const kept = opened.move();
  return {
    runtime,
    seenByModel: () => model.requests.map((request) => JSON.stringify(request.body)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
});
