import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId } from "../../core/ids.ts";

/** A folder for each session, for what its commands need only for a while. Disposing removes them all. */
export type Scratch = AsyncDisposable & { folder(session: SessionId): Promise<string> };

export function scratch(): Scratch {
  const folders = new Map<SessionId, Promise<string>>();
  return {
    folder(session) {
      const folder = folders.get(session) ?? mkdtemp(join(tmpdir(), "talaria-scratch-"));
      folders.set(session, folder);
      return folder;
    },
    async [Symbol.asyncDispose]() {
      const made = await Promise.allSettled(folders.values());
      for (const folder of made)
        if (folder.status === "fulfilled") await rm(folder.value, { recursive: true, force: true });
    },
  };
}
