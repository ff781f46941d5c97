import type { Agent } from "../../agent/index.ts";
import type { Config } from "../../config/config.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import type { Tool } from "../../tools/tool.ts";
import { type Delegation, delegation, handsOn, isDelegated, mayDelegatedUse } from "../../work/index.ts";

/** Tasks that turns hand on, and what that means for the tools of a session. */
export type HostDelegation = Delegation & {
  tool(): Promise<Tool>;
  /** Those of all that turns of this session may have. */
  toolsOf(session: SessionId, all: readonly Tool[]): Promise<readonly Tool[]>;
};

type Parts = {
  readonly config: Pick<Config, "delegation" | "model">;
  readonly agent: () => Agent;
  readonly store: Pick<Store, "sessions">;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
};

export function hostDelegation({ config, agent, store, redact, clock }: Parts): HostDelegation {
  const tasks = delegation({
    agent,
    sessions: store.sessions,
    settings: config.delegation,
    defaultRuntime: config.model.runtime,
    redact,
    clock,
  });
  return {
    ...tasks,
    // Its schema is loaded with the other tools.
    tool: async () => (await import("../../tools/delegate-task.ts")).delegateTool(handsOn(tasks)) as Tool,
    // The store knows it also after a restart, when a crash is repaired.
    async toolsOf(session, all) {
      const found = await store.sessions.get(session);
      return found !== undefined && isDelegated(found) ? all.filter(mayDelegatedUse) : all;
    },
  };
}
