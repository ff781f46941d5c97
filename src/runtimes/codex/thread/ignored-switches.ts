import type { NoticeEvent } from "../../../core/events.ts";
import type { SessionId } from "../../../core/ids.ts";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { Ports, Turn } from "../../runtime.ts";
import type { CodexPlan } from "../plan.ts";
import type { AppServer } from "../process/app-server.ts";
import { fieldsOf, listOf } from "../wire/fields.ts";
import { request } from "./requests.ts";

const told = new WeakMap<AppServer, Set<SessionId>>();

/** What the person has forbidden or switched off and this codex does not heed: for each session, once in a process. */
export async function ignoredNotices(
  server: AppServer,
  { guards = [], ignoredByCodex: sentences = [] }: CodexPlan,
  { session, cwd }: Turn,
  ports: Ports,
): Promise<readonly NoticeEvent[]> {
  const sessions = told.get(server) ?? new Set<SessionId>();
  if (sessions.has(session)) return [];
  told.set(server, sessions.add(session));
  const unguarded = guards.length > 0 && !(await isGuarded(server, guards.length, cwd, ports));
  return [...(unguarded ? [notGuarded] : []), ...sentences].map((text) => ({
    type: "notice",
    code: "codex_unheeded",
    text,
  }));
}

/** By what codex says of its hooks. One that does not say, before 0.128, cannot be relied on. */
async function isGuarded(server: AppServer, count: number, cwd: string, ports: Ports): Promise<boolean> {
  try {
    const reply = fieldsOf(await request(server, "hooks/list", { cwds: [cwd] }, ports));
    const hooks = listOf(reply["data"]).flatMap((folder) => listOf(fieldsOf(folder)["hooks"]));
    const ours = hooks
      .map(fieldsOf)
      .filter(
        ({ source, enabled, trustStatus }) =>
          source === "sessionFlags" && enabled === true && trustStatus === "trusted",
      );
    return ours.length === count;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

const notGuarded =
  "Codex did not confirm that it looks at your deny list (approvals.deny) and at what you switched off before it runs something, so do not rely on them here: `features.hooks` may be off in its settings, or it is older than 0.128. What it asks about is looked at all the same, and its sandbox holds.";
