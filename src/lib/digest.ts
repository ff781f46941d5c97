import { createHash } from "node:crypto";

/** The same for the same value: names of its fields in the order that they have. */
export const jsonDigest = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex");
