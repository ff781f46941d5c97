import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

/** A CODEX_HOME of one's own. Not under the temp folder: codex refuses to put its helpers there. */
export async function codexHome(): Promise<AsyncDisposable & { readonly path: string }> {
  const parent = resolve("node_modules/.cache/codex-homes");
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, "home-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Codex would look for its catalogue of plugins in the network otherwise. */
export const quietSettings = `check_for_update_on_startup = false
[features]
plugins = false
apps = false
[analytics]
enabled = false
`;
