import type { SessionId } from "../../core/ids.ts";
import type { Agent } from "../../agent/index.ts";
import { mayHaveTool } from "../../approvals/policy/audience-rules.ts";
import type { Store } from "../../store/store.ts";
import type { Tool, TurnContext } from "../../tools/tool.ts";
import { orchestratorsTools, workersTools } from "../../core/cards/card-tools.ts";
import {
  type LiveTasks,
  delegation,
  handsOn,
  isDelegated,
  isWorkers,
  mayDelegatedUse,
} from "../../work/index.ts";
import type { Foundation } from "../foundation.ts";
import { chatToolsOf } from "./chat-tools.ts";

export type DelegationNeeds = Pick<
  Foundation,
  "loaded" | "store" | "redact" | "clock" | "terminals" | "allowance"
> & {
  readonly agent: Agent;
  readonly tasks: LiveTasks;
};

/** The tool that hands tasks on. Its schema is loaded with the other tools. */
export const delegationTools =
  ({ agent, tasks, loaded, store, redact, clock, terminals, allowance }: DelegationNeeds) =>
  async (): Promise<readonly Tool[]> => {
    const { delegateTool } = await import("../../tools/delegate-task.ts");
    const { delegation: settings, model } = loaded.config;
    const send: Agent["send"] = (incoming) => {
      terminals.handedOn(incoming.session);
      return agent.send(incoming);
    };
    const tool = delegateTool(
      handsOn(
        delegation({
          agent: { ...agent, send },
          live: tasks,
          sessions: store.sessions,
          settings,
          defaultRuntime: model.runtime,
          redact,
          allowance,
          clock,
        }),
      ),
    );
    return [tool as Tool];
  };

/** Those of all tools that turns of this session may have. The store knows it also after a restart, when a crash is repaired. */
export async function toolsOf(
  store: Pick<Store, "sessions" | "turns" | "inbox">,
  context: Pick<TurnContext, "session" | "audience" | "task"> & Partial<Pick<TurnContext, "turn" | "from">>,
  everything: readonly Tool[],
  handsOut: boolean,
): Promise<readonly Tool[]> {
  const { sessions } = store;
  const { session, audience, task } = context;
  const all = everything.filter(({ name }) => mayHaveTool(audience, name));
  const theirs = all.filter(({ name, toolset }) =>
    toolset !== "kanban"
      ? true
      : task === undefined
        ? handsOut && orchestratorsTools.has(name)
        : workersTools.has(name),
  );
  const known = ordinary.get(sessions) ?? new Map<SessionId, string>();
  const began = known.get(session);
  if (began !== undefined) return chatToolsOf(store, context, began, theirs);
  const found = await sessions.get(session);
  if (found === undefined) return chatToolsOf(store, context, undefined, theirs);
  if (isWorkers(found))
    return all.filter((tool) =>
      tool.toolset === "kanban" ? workersTools.has(tool.name) : mayDelegatedUse(tool),
    );
  if (isDelegated(found)) return theirs.filter(mayDelegatedUse);
  if (known.size >= mostKnown) known.clear();
  ordinary.set(sessions, known.set(session, found.surface));
  return chatToolsOf(store, context, found.surface, theirs);
}

/** Sessions that nobody handed on, and where they began: what a session is does not change. */
const ordinary = new WeakMap<object, Map<SessionId, string>>();
const mostKnown = 1000;
