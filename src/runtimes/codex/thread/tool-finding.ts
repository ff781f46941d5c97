import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import type { AppServer } from "../process/app-server.ts";
import { RequestTimedOut } from "../process/gone.ts";
import { fieldsOf, listOf, textIn } from "../wire/fields.ts";

const patienceMs = 3_000;

const known = new WeakMap<AppServer, ReadonlySet<string>>();

/**
 * Can this model find tools that it is not shown? Codex lets the models of its own catalogue search for them, and no
 * others: from those a deferred tool would be hidden for good. Where codex does not say, nothing is hidden. Without a
 * name it is codex's own choice.
 */
export async function canFindTools(
  server: AppServer,
  model: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (model === undefined) return true;
  const before = known.get(server);
  if (before !== undefined) return before.has(model);
  try {
    const params = { includeHidden: true };
    const reply = await server.request("model/list", params, { signal, timeoutMs: patienceMs });
    const models = listOf(fieldsOf(reply)["data"]).flatMap((each) => textIn(fieldsOf(each), "model") ?? []);
    known.set(server, new Set(models));
    return models.includes(model);
  } catch (error) {
    if (error instanceof RpcError || error instanceof RequestTimedOut) return false;
    throw error;
  }
}
