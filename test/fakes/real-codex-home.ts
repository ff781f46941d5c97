import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { tempFolder } from "../temp-folder.ts";

/** A CODEX_HOME of one's own. Not under the temp folder: codex refuses to put its helpers there. */
export async function codexHome(): Promise<AsyncDisposable & { readonly path: string }> {
  const parent = resolve("node_modules/.cache/codex-homes");
  await mkdir(parent, { recursive: true });
  return await tempFolder(parent);
}

/** Codex would look for its catalogue of plugins in the network otherwise. */
export const quietSettings = `check_for_update_on_startup = false
[features]
plugins = false
apps = false
[analytics]
enabled = false
`;
