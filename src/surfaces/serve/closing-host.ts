import type { Calls, Client } from "../../core/calls.ts";
import { type Host, Refusal } from "../../core/host.ts";
import type { Caller } from "../../core/principal.ts";
import type { ToolServer } from "../../core/tooling.ts";
import { refusing } from "../../operations/in-process.ts";
import { operationNamed } from "../../operations/table.ts";

/** What may still be asked of a host that stops: to look, to end what runs, and to answer what it waits for. */
const stillTaken: ReadonlySet<string> = new Set(["turns.stop", "approvals.answer", "inquiries.reply"]);

/** The host as doors see it: once `closed` gives a reason, it takes no more work. A message is taken only by the executor. */
export function closingHost(host: Host, closed: () => string | undefined): Host {
  const guarded = (client: Client, next: string): Client => ({
    call(name, input, signal) {
      const taken = (): ReturnType<Calls[typeof name]> => {
        const why = closed();
        if (why === undefined || operationNamed.get(name)?.scope === "read" || stillTaken.has(name))
          return client.call(name, input, signal);
        return refusing(name, new Refusal("stopping", why, next));
      };
      const looked = name === "turns.send" ? host.executing?.look() : undefined;
      if (looked === undefined) return taken();
      return looked.then(taken as () => Promise<unknown>) as ReturnType<Calls[typeof name]>;
    },
  });
  return {
    ...host,
    as: (caller) => guarded(host.as(caller), nextFor(caller)),
    openTools: async (options) => guardedTools(await host.openTools(options), closed),
  };
}

const guardedTools = (tools: ToolServer, closed: () => string | undefined): ToolServer => ({
  ...tools,
  async call(...given) {
    const why = closed();
    if (why !== undefined) throw new Refusal("stopping", why, "Try again in a moment.");
    return tools.call(...given);
  },
});

/** Whoever sits here need not wait until the last turn has ended. */
const nextFor = ({ local }: Caller): string =>
  local ? "Start it again to go on without this one: it works by itself then." : "Try again in a moment.";
