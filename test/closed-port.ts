import { createServer } from "node:net";
import { onLoopback } from "./loopback.ts";

/** Nobody listens on it: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  await using bound = await onLoopback(createServer());
  return bound.port;
}
