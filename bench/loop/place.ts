import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "../../test/temp-folder.ts";

/** A folder for everything of one run, gone with it. */
export async function newPlace(): Promise<
  AsyncDisposable & { readonly folder: string; readonly cwd: string }
> {
  const temp = await tempFolder();
  const { path: folder } = temp;
  const cwd = join(folder, "work");
  await mkdir(cwd);
  return {
    folder,
    cwd,
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

export const modelName = "gpt-5.5";

/** A HOME in which Talaria is told of the scripted model. */
export async function newHome(inside: string, name: string, modelUrl: string): Promise<string> {
  const folder = join(inside, name);
  await mkdir(join(folder, "tmp"), { recursive: true });
  await mkdir(join(folder, "talaria"), { mode: 0o700 });
  const settings = `model: { provider: scripted, default: ${modelName} }
providers:
  scripted: { api: "${modelUrl}", protocol: responses }
`;
  await writeFile(join(folder, "talaria", "config.yaml"), settings, { mode: 0o600 });
  return folder;
}

export const environment = (folder: string): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: folder,
  TMPDIR: join(folder, "tmp"),
  TALARIA_HOME: join(folder, "talaria"),
});
