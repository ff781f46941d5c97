import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { StoredOutbox } from "../../core/gateway/tables.ts";
import type { Config } from "../../config/config.ts";
import type { Store } from "../../store/store.ts";
import type { Closing } from "../closing.ts";
import type { Foundation } from "../foundation.ts";
import { outgoingFolder } from "../tools/chat-tools.ts";

const dayMs = 24 * 60 * 60_000;
/** How long words and files of chats are kept when nothing more is to be done with them. */
const keepMs = 30 * dayMs;
/** A copy that has no row by then was left by a crash. */
const orphanMs = dayMs;
/** Not at a start, which has enough to do. */
const firstMs = 10 * 60_000;
const everyMs = 6 * 60 * 60_000;

export type ChatRetentionDeps = Pick<Foundation, "clock" | "log" | "executing"> & {
  readonly store: Pick<Store, "outbox" | "received">;
  readonly loaded: { readonly config: Pick<Config, "home"> };
};

/** Removes what chats said and were told, with the copies of files that were sent, when it is old; now and then, where an executor stays. */
export function forgetChats(
  deps: ChatRetentionDeps,
  { signal, track }: Pick<Closing, "signal" | "track">,
): void {
  const { clock, log, executing } = deps;
  if (executing === undefined) return;
  const goOn = async (): Promise<void> => {
    for (let pause = firstMs; ; pause = everyMs) {
      await clock.sleep(pause, signal).catch(() => {});
      if (signal.aborted) return;
      await sweep(deps).catch((error: unknown) =>
        log(`old words of chats were not removed: ${String(error)}`),
      );
    }
  };
  void track(goOn());
}

async function sweep({ store, clock, loaded }: ChatRetentionDeps): Promise<void> {
  const now = clock.now();
  // Copies first: which file a row had is not known any more when its body is gone.
  await removeCopies(outgoingFolder(loaded.config.home), store, now);
  await store.outbox.forgetBodies(now - keepMs);
  await store.received.forgetBodies(now - keepMs);
}

/** Each stands in a folder that is named after its row. */
async function removeCopies(folder: string, { outbox }: Pick<Store, "outbox">, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => []); // nothing was ever sent
  for (const name of names.filter((each) => each.startsWith("obx_"))) {
    const row = await outbox.get(name);
    const path = join(folder, name);
    const isOver = row === undefined ? await isOrphan(path, now) : isUnneeded(row, now);
    if (isOver) await rm(path, { recursive: true, force: true });
  }
}

/** What is not settled may have to be sent yet. Whoever deletes a session wants its files gone, too. */
const isUnneeded = ({ settledAt, body }: StoredOutbox, now: number): boolean =>
  settledAt !== undefined && (settledAt < now - keepMs || body.kind !== "file");

const isOrphan = async (path: string, now: number): Promise<boolean> =>
  (await stat(path)).mtimeMs < now - orphanMs;
