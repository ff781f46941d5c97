import { onDisk } from "../on-disk.ts";
import type { Talaria } from "../talaria.ts";
import { normalised } from "./serving.ts";

/** What is kept of all sessions, without what differs between two runs. */
export async function exported(it: Talaria): Promise<readonly unknown[]> {
  const sessions = await onDisk(it.home).catch(() => []);
  return sessions.map(({ turns, said }) => ({ turns, said: said.map((line) => normalised(line, it)) }));
}
