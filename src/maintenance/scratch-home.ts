import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FaultError } from "../core/faults.ts";

/** A temporary home for a test, with folders around it. All of it is gone afterwards. */
export type ScratchHome = AsyncDisposable & {
  /** TALARIA_HOME. */
  readonly home: string;
  /** To work in. */
  readonly cwd: string;
  /** HOME, for whoever must not see the person's. */
  readonly user: string;
  /** TMPDIR: codex does not put its helpers into a home that is inside the folder for temporary files. */
  readonly tmp: string;
};

/** Rejects with a storage fault where it cannot be made. */
export async function scratchHome(name: string, config: string): Promise<ScratchHome> {
  await using parts = new AsyncDisposableStack();
  try {
    const root = await realpath(await mkdtemp(join(tmpdir(), `talaria-${name}-`)));
    parts.defer(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
    const folder = async (inner: string): Promise<string> => {
      await mkdir(join(root, inner), { mode: 0o700 });
      return join(root, inner);
    };
    const home = await folder("home");
    await writeFile(join(home, "config.yaml"), config, { mode: 0o600 });
    const made = { home, cwd: await folder("work"), user: await folder("user"), tmp: await folder("tmp") };
    const owned = parts.move();
    return { ...made, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `A temporary home for the test cannot be made in ${tmpdir()}: ${why}`;
    const next = `Free space on the disk that holds ${tmpdir()}, or set TMPDIR to a folder elsewhere.`;
    throw new FaultError({ code: "storage", message, next }, error);
  }
}
