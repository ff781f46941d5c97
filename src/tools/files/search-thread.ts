import { ownProgram } from "../../lib/own-files.ts";
import { inOwnThread } from "../own-thread.ts";
import type { FileHit, FileSearch, SearchEnd } from "./file-search.ts";

export type Message =
  | { readonly kind: "found"; readonly hits: readonly FileHit[] }
  | { readonly kind: "end"; readonly end: SearchEnd };

/** A regular expression may take for ever. Rejects when the signal aborts; what was found until then has been passed on. */
export const searchInThread = (
  search: FileSearch,
  found: (hits: readonly FileHit[]) => void,
  signal: AbortSignal,
): Promise<SearchEnd> =>
  inOwnThread(
    ownProgram("./search.child.ts", import.meta.url),
    { workerData: search, resourceLimits: { maxOldGenerationSizeMb: 256 } },
    (message: Message) => (message.kind === "end" ? message.end : void found(message.hits)),
    signal,
  );
