import type { ToolClient } from "../../core/host.ts";
import type { OpenTools, ToolResult, ToolServer } from "../../core/tooling.ts";
import { PeerClosedError } from "../../lib/rpc/rpc-peer.ts";
import { isStopping } from "./replaceable-host.ts";

/** Opens the tools elsewhere, in the same session. */
export type OpenElsewhere = () => Promise<ToolClient>;

/**
 * Tools that outlive their host: when it goes, they are opened `elsewhere`, and what only looks is asked again there. Of another call
 * nobody can say whether it was done, and that is its result.
 */
export async function steadyTools(
  first: ToolClient,
  options: OpenTools,
  elsewhere: OpenElsewhere,
): Promise<ToolServer> {
  const opened = new AsyncDisposableStack();
  const openIn = async (client: ToolClient): Promise<ToolServer> =>
    opened.use(await client.openTools(options));
  let used = Promise.resolve(await openIn(first));
  const lookers = new Set<string>();
  const replace = (lost: Promise<ToolServer>): Promise<ToolServer> => {
    if (lost === used) {
      used = elsewhere().then((client) => openIn(opened.use(client)));
      used.catch(() => {}); // told to whoever asks
    }
    return used;
  };
  const attempt = async <Value>(
    work: (tools: ToolServer) => Promise<Value>,
    again: (next: Promise<ToolServer>) => Promise<Value>,
  ): Promise<Value> => {
    const asked = used;
    try {
      return await work(await asked);
    } catch (error) {
      // A host that is being stopped has not begun it.
      if (isStopping(error)) return work(await replace(asked));
      if (!(error instanceof PeerClosedError)) throw error;
      return again(replace(asked));
    }
  };
  return {
    async list() {
      const tools = await attempt(listOf, async (next) => listOf(await next));
      for (const { name, effect } of tools) if (effect === "none") lookers.add(name);
      return tools;
    },
    call(name, ...how) {
      const run = (tools: ToolServer) => tools.call(name, ...how);
      return attempt(run, async (next) => (lookers.has(name) ? run(await next) : lost(name)));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const listOf = (tools: ToolServer) => tools.list();

const lost = (name: string): ToolResult => ({
  ok: false,
  output:
    `The host that ran ${name} went away during it, and nobody can say whether it was done. ` +
    `Look, and call it again if it was not.`,
});
