import type { Client } from "../calls.ts";
import { Refusal } from "../host.ts";
import type { SessionId } from "../ids.ts";

/** Which session a person asked to go on with when they started the program. */
export type StartIn = { readonly session?: string; readonly continue?: boolean };

/** `undefined`: in a new one. Rejects with a Refusal when there is no such session. */
export async function sessionToStartIn(
  client: Client<"sessions.get" | "sessions.list">,
  { session, continue: goOn }: StartIn,
  cwd: string,
): Promise<SessionId | undefined> {
  if (session !== undefined && goOn === true)
    throw new Refusal("usage", "Two sessions are asked for.", "Use either its id or --continue.");
  if (session !== undefined) return (await client.call("sessions.get", { session })).id;
  if (goOn !== true) return undefined;
  const [newest] = await client.call("sessions.list", { limit: 1, cwd });
  if (newest === undefined) {
    throw new Refusal(
      "usage",
      `There is no session of ${cwd} to continue.`,
      "Leave out --continue to start one.",
    );
  }
  return newest.id;
}
