import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "../../test/temp-folder.ts";
import type { Host } from "../../src/core/host.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { type DemoModel, startDemoModel } from "../../test/fakes/demo-model.ts";
import { codexHome, quietSettings } from "../../test/fakes/real-codex-home.ts";

export type Place = AsyncDisposable & {
  readonly host: Host;
  readonly model: DemoModel;
  readonly cwd: string;
};

/** The whole program on the real codex with a login alone, and a model that answers everything but reviews. */
export async function openPlace(reviews: number): Promise<Place> {
  await using parts = new AsyncDisposableStack();
  const { path: folder } = parts.use(await tempFolder());
  const [home, cwd, tmp] = ["home", "work", "tmp"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [cwd, tmp]) await mkdir(path);
  await mkdir(home, { mode: 0o700 });
  const own = parts.use(await codexHome());
  const hanging = { when: "^\\[Talaria, not the person", reply: [{ text: "Let me look" }, { hang: true }] };
  const script = parseDemoScript({
    maxRequests: 1_000_000,
    steps: Array.from({ length: reviews }, () => hanging),
    otherwise: [{ text: "Understood." }],
  });
  const model = parts.use(await startDemoModel({ clock: systemClock, script }));
  await writeFile(join(own.path, "config.toml"), codexSettings(model.url));
  await writeFile(join(home, "config.yaml"), settings, { mode: 0o600 });
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: folder,
    TALARIA_HOME: home,
    CODEX_HOME: own.path,
    TMPDIR: tmp,
  };
  const host = parts.use(await openHost({ env, homeDir: folder, cwd, version: "0.0.0", longLived: true }));
  const kept = parts.move();
  return { host, model, cwd, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Reviews come when they are asked for, and not by themselves. */
const settings = `model: { provider: openai-codex, openai_runtime: codex_app_server }
auxiliary: { title_generation: { enabled: false } }
memory: { nudge_interval: 0 }
skills: { creation_nudge_interval: 0 }
`;

const codexSettings = (url: string): string => `model = "gpt-5.5"
model_provider = "own"
${quietSettings}
[model_providers.own]
name = "own"
base_url = "${url}"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`;
