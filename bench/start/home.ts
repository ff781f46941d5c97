import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codexHome, quietSettings } from "../../test/fakes/real-codex-home.ts";
import type { StartName } from "./start.ts";

/** Where a program is started. */
export type Home = AsyncDisposable & {
  readonly cwd: string;
  /** Talaria's own folder in it. */
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
};

export type HomeMaker = (name: StartName) => Promise<Home>;

/** Homes as they are before the first start: settings where a model is asked, else nothing at all. */
export function homeMaker(inside: string, binary: string, modelUrl: string): HomeMaker {
  return async (name) => {
    await using parts = new AsyncDisposableStack();
    const folder = await mkdtemp(join(inside, `${name}-`));
    const [cwd, tmp, home] = [join(folder, "work"), join(folder, "tmp"), join(folder, ".talaria")];
    for (const path of [cwd, tmp]) await mkdir(path);
    const own = asksModel.has(name) ? parts.use(await codexHome()) : undefined;
    if (own !== undefined) {
      await mkdir(home, { mode: 0o700 });
      await writeFile(join(home, "config.yaml"), settings(binary, modelUrl), { mode: 0o600 });
      await writeFile(
        join(own.path, "config.toml"),
        name === "exec" ? codexSettings(modelUrl) : quietSettings,
      );
    }
    const kept = parts.move();
    return {
      cwd,
      state: home,
      env: {
        PATH: process.env["PATH"] ?? "/usr/bin:/bin",
        HOME: folder,
        TMPDIR: tmp,
        ...(own === undefined ? {} : { CODEX_HOME: own.path }),
      },
      [Symbol.asyncDispose]: () => kept.disposeAsync(),
    };
  };
}

const asksModel: ReadonlySet<StartName> = new Set(["loop", "codex", "driver", "exec"]);

export const model = "gpt-5.5";

const settings = (binary: string, url: string): string => `model:
  provider: scripted
  default: ${model}
  codex_bin: ${binary}
providers:
  scripted: { api: "${url}", protocol: responses }
`;

/** Codex is told of the same model in its own way. */
const codexSettings = (url: string): string => `model = "${model}"
model_provider = "scripted"
${quietSettings}
[model_providers.scripted]
name = "scripted"
base_url = "${url}"
wire_api = "responses"
supports_websockets = false
`;
