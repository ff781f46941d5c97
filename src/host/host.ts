import type { Handlers } from "../core/calls.ts";
import type { Host } from "../core/host.ts";
import { inProcess } from "../operations/in-process.ts";
import { defaultRuntime } from "./models/default-runtime.ts";
import { bareHandlers } from "./operations/bare.ts";
import { conversations } from "./operations/conversations.ts";
import type { Joined } from "./operations/joined.ts";
import { ownSessions } from "./operations/own-sessions.ts";
import { records } from "./operations/records.ts";
import { checks, settings } from "./operations/settings.ts";

/** The parts as callers see them. */
export function hostOf(parts: Omit<Joined, "runtime">): Host {
  const joined: Joined = { ...parts, runtime: defaultRuntime(parts.loaded, parts.store) };
  const bare = bareHandlers(joined.options, joined.open);
  const handlers: Handlers = {
    ...conversations(joined, (caller) => host.as(caller)),
    ...records(joined),
    ...settings(joined),
    ...bare,
    async *"doctor.look"(input, ...call) {
      if (input.fix === true) return yield* bare["doctor.look"](input, ...call);
      for (const check of await checks(joined)) yield { check };
    },
  };
  const host: Host = {
    as: (caller) => ownSessions(inProcess(handlers, caller), caller, joined.store),
    subscribe: joined.agent.subscribe,
    openTools: async (wanted) => (await import("./tool-server/tool-server.ts")).toolServer(joined, wanted),
    [Symbol.asyncDispose]: joined.dispose,
  };
  return host;
}
