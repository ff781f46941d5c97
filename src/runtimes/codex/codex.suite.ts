import { demoScript } from "../../../test/fakes/demo-replies.ts";
import { codexHome } from "../../../test/fakes/real-codex-home.ts";
import { systemClock } from "../../lib/clock.ts";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import { type ModelReply, type RuntimeUnderTest, runtimeSuite } from "../runtime.suite.ts";
import type { Runtime } from "../runtime.ts";
import type { CodexPlan } from "./plan.ts";
import { startAppServer } from "./process/app-server.ts";
import { codexRuntime } from "./codex.ts";
import { type Launch, launchOptions } from "./process/launch.ts";
import { unreadMethods } from "./process/opt-out.ts";
import { appServerPool } from "./process/pool.ts";
import type { Offer } from "./thread-settings/offered-tools.ts";
import type { RealBinary } from "./real-codex.suite.ts";
import { justBegunSuite } from "./just-begun.suite.ts";
import { type CodexPlace, type Journal, recoverySuite } from "./recovery.suite.ts";

/** All that codex owes us, on this program. It takes up the calls of one answer as it likes. */
export function realCodexSuite(name: string, binary: RealBinary, journal: Journal): void {
  const open = (replies: readonly ModelReply[]): Promise<CodexPlace> => codexPlace(binary, replies);
  runtimeSuite(name, async (replies) => underTest(await open(replies)), { callOrder: "any" });
  recoverySuite(name, open, { journal });
  if (journal === "whole") justBegunSuite(name, open);
}

async function codexPlace(
  { path, version }: RealBinary,
  replies: readonly ModelReply[],
): Promise<CodexPlace> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await codexHome());
  const model = opened.use(await startDemoModel({ clock: systemClock, script: demoScript(replies) }));
  const launch = launchOptions({
    binary: path,
    version,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent", TMPDIR: "/tmp" },
    route: { name: "scripted", url: model.url, headers: {} },
    retries: { request: 0, stream: 0 },
    isolated: { codexHome: home.path },
  });
  const kept = opened.move();
  return {
    start: () => kept.use(suiteRuntime(launch, "gpt-5.5")),
    seenByModel: () => model.requests.map((request) => JSON.stringify(request.body)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** One start there, for the runtime suite. */
export const underTest = (fixture: CodexPlace): RuntimeUnderTest => ({
  runtime: fixture.start(),
  seenByModel: fixture.seenByModel,
  [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
});

/** The runtime as the program would make it, with the tools of the runtime suite. */
export function suiteRuntime(
  launch: Launch,
  model?: string,
  offer: Offer = suiteOffer,
  more: Partial<CodexPlan> = {},
): Runtime {
  const processes = { add: async () => {}, remove: async () => {} };
  const options = { clock: systemClock, processes, optOut: unreadMethods, clientVersion: "test" };
  const pool = appServerPool({
    clock: systemClock,
    start: (each, signal) => startAppServer(each, { ...options, signal }),
  });
  const plan = {
    launch,
    provider: "scripted",
    loopRouteExists: false,
    network: false,
    mcpServers: {},
    warnings: [],
    ...(model === undefined ? {} : { model }),
    ...more,
  };
  return codexRuntime({
    pool,
    plan: async () => plan,
    offer,
    frames: { listen: () => () => {} },
  });
}

const suiteOffer: Offer = new Map(["echo", "fail", "wait"].map((name) => [name, "shown"]));
