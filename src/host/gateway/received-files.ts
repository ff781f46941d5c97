import { statSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { botVariables } from "../../config/gateway/settings.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Audience } from "../../core/principal.ts";
import type { Store } from "../../store/store.ts";
import type { Foundation } from "../foundation.ts";
import { inputSettings } from "../operations/own-input.ts";

type Parts = Pick<Foundation, "loaded" | "homeDir" | "routes"> & { readonly store: Pick<Store, "sessions"> };

/** The owner's have one folder, which is hidden before there is anything in it. */
const ofOwner = "owner";

const rootOf = (parts: Parts): string => join(inputSettings(parts).folder, "received");

/** Where the files lie that people send into a session, for its turns. */
export const receivedFolder = (parts: Parts, session: SessionId, audience: Audience): string =>
  join(rootOf(parts), audience === "owner" ? ofOwner : session);

/** What was sent into other sessions, and turns of this one are not to see, although all work in the same folder. */
export async function receivedElsewhere(parts: Parts, session: SessionId): Promise<readonly string[]> {
  const root = rootOf(parts);
  const there = await namesIn(root);
  const hasBot = botVariables(parts.loaded.config.gateway).size > 0;
  // Without a bot there is what was sent before, if anything.
  if (!hasBot && there.length === 0) return [];
  const known = await parts.store.sessions.get(session);
  if (known === undefined || known.audience === "owner") return [];
  // With one something may be sent while this turn runs.
  if (hasBot) await mkdir(join(root, ofOwner), { recursive: true, mode: 0o700 });
  const names = hasBot ? new Set([ofOwner, ...there]) : there;
  // A task that was handed on works with what its session was sent.
  const own: ReadonlySet<string | undefined> = new Set([session, known.parent]);
  return [...names].filter((name) => !own.has(name)).map((name) => join(root, name));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  // Mostly it is not there, and to hear that from a promise takes fifty times as long.
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
