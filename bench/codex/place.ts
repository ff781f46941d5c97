import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "../../test/temp-folder.ts";
import { type Launch, launchOptions } from "../../src/runtimes/codex/process/launch.ts";
import { codexHome } from "../../test/fakes/real-codex-home.ts";

/** Where one side works. Nothing else touches it. */
export type Place = {
  readonly binary: string;
  readonly modelUrl: string;
  /** HOME, with the other folders in it. */
  readonly folder: string;
  readonly home: string;
  readonly cwd: string;
  readonly codexHome: string;
};

export const modelName = "gpt-5.5";

/** What the person says to a model that is to say something and then no more. */
export const hangWord = "hang";

const provider = "scripted";

export async function newPlace(binary: string, modelUrl: string): Promise<AsyncDisposable & Place> {
  await using opened = new AsyncDisposableStack();
  const own = opened.use(await codexHome());
  await writeFile(join(own.path, "config.toml"), codexSettings);
  const { path: folder } = opened.use(await tempFolder());
  const [home, cwd, tmp] = [join(folder, "home"), join(folder, "work"), join(folder, "tmp")];
  for (const path of [home, cwd, tmp]) await mkdir(path, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), settings(binary, modelUrl), { mode: 0o600 });
  const kept = opened.move();
  return {
    binary,
    modelUrl,
    folder,
    home,
    cwd,
    codexHome: own.path,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Codex looks for plugins and news in the network otherwise. */
const codexSettings = `check_for_update_on_startup = false
[features]
plugins = false
apps = false
[analytics]
enabled = false
`;

const settings = (binary: string, url: string): string => `model:
  provider: ${provider}
  default: ${modelName}
  openai_runtime: codex_app_server
  codex_bin: ${binary}
providers:
  ${provider}: { api: "${url}", protocol: responses }
`;

export const environment = ({ folder, home, codexHome: own }: Place): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: folder,
  TMPDIR: join(folder, "tmp"),
  TALARIA_HOME: home,
  CODEX_HOME: own,
});

/** As Talaria starts codex in this place, so that both sides drive the same program with the same options. */
export const launchIn = (place: Place): Launch =>
  launchOptions({
    binary: place.binary,
    env: environment(place),
    route: { name: provider, url: place.modelUrl, headers: {} },
  });
