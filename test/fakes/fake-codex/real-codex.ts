import type { DemoScript } from "../demo-script.ts";
import { type DemoModel, startDemoModel } from "../demo-model.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { pinnedCodex, privateHome, spawnCodex } from "../../codex-schema/pinned-codex.ts";
import { drive, type Driver } from "./driver.ts";

/** The pinned codex on a scripted model, with a home of its own and no way to the network. */
export type RealCodex = AsyncDisposable & {
  readonly home: string;
  readonly model: DemoModel;
  /** A new process on the same home. */
  start(): Promise<Driver>;
};

export async function realCodex(script: DemoScript): Promise<RealCodex> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await privateHome());
  const model = opened.use(await startDemoModel({ script, clock: systemClock }));
  const kept = opened.move();
  return {
    home: home.path,
    model,
    async start() {
      const env = { CODEX_HOME: home.path, HOME: home.path, RUST_LOG: "error" };
      return kept.use(drive(await spawnCodex(pinnedCodex(), launchArgs(model.url), env)));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const launchArgs = (url: string): readonly string[] => [
  "app-server",
  ...[
    'model="gpt-5.5"',
    'model_provider="scripted"',
    `model_providers.scripted={name="scripted",base_url="${url}",wire_api="responses",requires_openai_auth=false,supports_websockets=false,request_max_retries=0,stream_max_retries=0}`,
    'sandbox_mode="danger-full-access"',
    'approval_policy="on-request"',
    'web_search="disabled"',
    "check_for_update_on_startup=false",
    "analytics.enabled=false",
    "features.plugins=false",
    "features.apps=false",
    "features.request_permissions_tool=true",
    "features.unbounded_connection_retries=false",
  ].flatMap((setting) => ["-c", setting]),
];
