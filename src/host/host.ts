import type { Handlers } from "../core/calls.ts";
import type { Host } from "../core/host.ts";
import { wantsTitles } from "../agent/titles.ts";
import { inProcess } from "../operations/in-process.ts";
import { defaultRuntime } from "./models/default-runtime.ts";
import { accessHandlers, httpBehind } from "./operations/access.ts";
import { bareHandlers } from "./operations/bare.ts";
import { cardHandlers } from "./operations/cards.ts";
import { conversations } from "./operations/conversations.ts";
import type { Joined } from "./operations/joined.ts";
import { goalHandlers, resumeGoals } from "./operations/goals.ts";
import { hostGateway } from "./gateway/behind.ts";
import { gatewayHandlers } from "./operations/gateway.ts";
import { ownSessions } from "./operations/own-sessions.ts";
import { records } from "./operations/records.ts";
import { checks, settings } from "./operations/settings.ts";
import { workHandlers } from "./operations/work.ts";
import { sending } from "./sessions/sending.ts";

/** The parts as callers see them. */
export function hostOf(parts: Omit<Joined, "runtime">): Host {
  const joined: Joined = { ...parts, runtime: defaultRuntime(parts.loaded, parts.store) };
  const { title_generation: titles } = joined.loaded.config.auxiliary;
  const send = sending({
    ...joined,
    withDefaultRuntime: joined.runtime.applyTo,
    wantsTitles: wantsTitles({ ...joined, enabled: titles?.enabled }),
  });
  const gateway = hostGateway(joined);
  const bare = bareHandlers(joined.options, joined.open);
  const handlers: Handlers = {
    ...conversations(joined, send, (caller) => host.as(caller)),
    ...goalHandlers(joined, send),
    ...records(joined),
    ...settings(joined),
    ...accessHandlers(joined),
    ...workHandlers(joined),
    ...cardHandlers(joined),
    ...gatewayHandlers(joined, gateway),
    ...bare,
    async *"doctor.look"(input, ...call) {
      if (input.fix === true) return yield* bare["doctor.look"](input, ...call);
      for (const check of await checks(joined, gateway.live())) yield { check };
    },
  };
  if (joined.options.executor === true) void resumeGoals(joined, send);
  const host: Host = {
    as: (caller) => ownSessions(inProcess(handlers, caller), caller, joined.store),
    subscribe: joined.agent.subscribe,
    http: httpBehind(joined),
    gateway: gateway.behind,
    openTools: async (wanted) => (await import("./tool-server/tool-server.ts")).toolServer(joined, wanted),
    ...(joined.executing === undefined ? {} : { executing: joined.executing }),
    activity: async () => ({
      running: joined.agent.busy(),
      questions: await waitingQuestions(joined),
    }),
    takeNoMore: joined.work.stop,
    drain: joined.agent.drain,
    release: joined.agent.release,
    redact: joined.redact,
    about: {
      home: joined.loaded.config.home,
      run: joined.loaded.config.paths.run,
      variables: joined.loaded.variables,
    },
    [Symbol.asyncDispose]: joined.dispose,
  };
  return host;
}

async function waitingQuestions({ store }: Pick<Joined, "store">): Promise<number> {
  const [approvals, inquiries] = await Promise.all([store.approvals.waiting(), store.inquiries.waiting()]);
  return approvals.length + inquiries.length;
}
