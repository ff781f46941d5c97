import { Refusal } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import type { Session } from "../core/session.ts";
import type { AgentDeps } from "./index.ts";

/** What is asked for must be here; a Refusal says what is not. */

export async function requireSession({ store }: AgentDeps, id: SessionId): Promise<Session> {
  const session = await store.sessions.get(id);
  if (session !== undefined) return session;
  throw new Refusal("not_found", `There is no session ${id}.`, "See `talaria sessions list`.");
}

export function requireRuntime({ runtimes }: AgentDeps, name: string): void {
  if (runtimes[name] !== undefined) return;
  const names = Object.keys(runtimes).join(", ");
  throw new Refusal("config", `There is no runtime "${name}" here.`, `Choose one of: ${names}.`);
}

export const busyHere = (session: SessionId): Refusal =>
  new Refusal("busy", `Session ${session} is busy with a turn.`, "Wait for it, or stop it first.");
