import { createHash } from "node:crypto";
import { folded } from "./folded.ts";

/** The name under which uses of a memory entry are counted. It says nothing of what the entry says. */
export const entryKey = (entry: string): string =>
  createHash("sha256").update(folded(entry)).digest("hex").slice(0, 16);
