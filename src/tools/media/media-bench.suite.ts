import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "../../../test/temp-folder.ts";

/** Where tools put files; `left` names what is in it, unfinished files included. */
export type MediaFolder = AsyncDisposable & {
  readonly folder: string;
  /** Holds it, and whatever else a test needs. */
  readonly top: string;
  left(): Promise<readonly string[]>;
  /** A program on a PATH of its own that does what these lines of sh say. */
  program(name: string, lines: string): Promise<string>;
};

export async function mediaFolder(): Promise<MediaFolder> {
  const temp = await tempFolder();
  const { path: top } = temp;
  const folder = join(top, "home", "media");
  return {
    top,
    folder,
    left: () => readdir(folder).catch(() => []),
    async program(name, lines) {
      const path = join(top, "bin");
      await mkdir(path, { recursive: true });
      await writeFile(join(path, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
      return path;
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

export const unregistered = { add: async () => {}, remove: async () => {} };
