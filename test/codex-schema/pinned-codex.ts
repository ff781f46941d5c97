import { globSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnChild, type Child } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type CodexSchema, readCodexSchema } from "./codex-schema.ts";

const root = join(import.meta.dirname, "../..");

/** The native program of the codex that package.json pins: it starts in a tenth of the time of its npm wrapper. */
export function pinnedCodex(): string {
  const [found] = globSync("node_modules/@openai/codex-*/vendor/*/bin/codex", { cwd: root });
  if (found === undefined)
    throw new Error("The pinned codex is not installed for this machine. Run `npm ci --include=optional`.");
  return join(root, found);
}

/** A folder for CODEX_HOME. Codex dislikes one under the folder for temporary files. */
export async function privateHome(): Promise<AsyncDisposable & { readonly path: string }> {
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const path = await mkdtemp(join(cache, "codex-home-"));
  return { path, [Symbol.asyncDispose]: () => remove(path) };
}

/** Runs codex, real or not, with nothing of our environment but what every program needs. */
export const spawnCodex = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Child> =>
  spawnChild({
    command,
    args,
    cwd: env["CODEX_HOME"] ?? root,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", ...env },
    kind: "codex",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    grace: { inputMs: 6_000 },
  });

/** Asks the pinned codex for its schema, which takes half a second. Disposing removes the file. */
export async function generateCodexSchema(): Promise<CodexSchema & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await privateHome());
  const out = await mkdtemp(join(tmpdir(), "codex-schema-"));
  opened.defer(() => remove(out));
  const args = ["app-server", "generate-json-schema", "--experimental", "--out", out];
  await using child = await spawnCodex(pinnedCodex(), args, { CODEX_HOME: home.path });
  const { code, stderrTail } = await child.exited;
  if (code !== 0) throw new Error(`codex could not write its schema (exit ${code}): ${stderrTail}`);
  const schema = readCodexSchema(join(out, "codex_app_server_protocol.schemas.json"));
  const kept = opened.move();
  return { ...schema, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5 });
