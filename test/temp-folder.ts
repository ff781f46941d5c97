import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export type TempFolder = AsyncDisposable & { readonly path: string };

/** A new folder, by its real name. `inside`: where it is, if not among other temporary files. */
export const newFolder = async (inside = tmpdir()): Promise<string> =>
  await realpath(await mkdtemp(join(inside, "talaria-test-")));

/** It goes with all that is in it; what is still being written in it is waited for. */
export async function tempFolder(inside?: string): Promise<TempFolder> {
  const path = await newFolder(inside);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Until the end of the test. */
export async function testFolder(t: Pick<TestContext, "after">): Promise<string> {
  const folder = await tempFolder();
  t.after(() => folder[Symbol.asyncDispose]());
  return folder.path;
}
