import type { Broker } from "../../approvals/broker.ts";
import { Refusal } from "../../core/host.ts";
import { newId } from "../../core/ids.ts";
import type { NewSession } from "../../core/session.ts";
import type { OfferedTool, OpenTools, ToolServer } from "../../core/tooling.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import type { Tool } from "../../tools/tool.ts";
import { closing } from "../closing.ts";
import type { SessionAddresses } from "../tools/known-addresses.ts";
import type { HostToolBox } from "../tools/tool-box.ts";
import { programOf, toolAsking } from "./asking.ts";
import { exposedOverMcp, isExposed, localTools } from "./exposed.ts";

export type ToolServerParts = {
  readonly store: Pick<Store, "sessions">;
  readonly broker: Broker;
  readonly toolBox: HostToolBox;
  readonly addresses: Pick<SessionAddresses, "note">;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/**
 * Our tools for a program with a model of its own. The calls of one caller are one session, begun with the first of
 * them; they are checked, asked about and masked as those of any turn.
 */
export async function toolServer(parts: ToolServerParts, options: OpenTools): Promise<ToolServer> {
  const { store, broker, clock, log } = parts;
  const { cwd, surface, caller, asker, session } = options;
  const turn = newId("trn", clock.now());
  // What the owner starts and gives to a program is the owner's.
  const audience = "owner";
  const asking = toolAsking({ broker, log, options, session, turn });
  const all = new Map((await parts.toolBox.tools()).map((tool) => [tool.name, tool]));
  const wanted = wantedOf([...all.values()], options);
  const box = await parts.toolBox({
    session,
    turn,
    cwd,
    from: programOf(options),
    audience,
    clock,
    ...(options.task === undefined ? {} : { task: options.task }),
    ...asking,
  });
  const ending = closing();
  const listed = (): readonly OfferedTool[] => {
    const exposure = { ...options, canAsk: asker?.canAsk() === true };
    return box.specs.flatMap(({ name, description, parameters }) => {
      const tool = all.get(name);
      if (tool === undefined || !wanted(tool) || !isExposed(name, exposure)) return [];
      return [{ name, description, parameters, effect: tool.effect }];
    });
  };
  let begun: Promise<void> | undefined;
  const begin = async (): Promise<void> => {
    const title = caller();
    begun ??= beginSession(store, { id: session, cwd, surface, audience, title }, clock.now());
    try {
      await begun;
    } catch (error) {
      begun = undefined;
      throw error;
    }
  };
  const call: ToolServer["call"] = async (name, args, signal, progress) => {
    const names = listed().map((tool) => tool.name);
    if (!names.includes(name)) return { ok: false, output: notOffered(name, names) };
    try {
      await begin();
      const result = await box.call(name, args, AbortSignal.any([signal, ending.signal]), progress);
      parts.addresses.note(session, name, result.output);
      return result;
    } catch (error) {
      log(`${caller()} could not call ${name}: ${String(error)}`);
      return { ok: false, output: notRun(name, error) };
    }
  };
  return {
    list: async () => listed(),
    call: (...given) => ending.track(call(...given)),
    [Symbol.asyncDispose]: () => ending[Symbol.asyncDispose](),
  };
}

/** Unless it is one that another host has begun. */
async function beginSession(
  { sessions }: ToolServerParts["store"],
  session: NewSession,
  at: number,
): Promise<void> {
  const found = await sessions.get(session.id);
  if (found === undefined) return sessions.begin(session, at);
  if (found.surface !== session.surface) throw new Error(`${session.id} is not a session of such calls`);
}

/** What was named and is not offered is said at once, and not by a tool that is missing. */
function wantedOf(tools: readonly Tool[], { only, local, worker }: OpenTools): (tool: Tool) => boolean {
  if (only === undefined) return () => true;
  const offered = tools.filter(({ name }) => isExposed(name, { local, worker, canAsk: true }));
  const isNamed = ({ name, toolset }: Tool): boolean => only.includes(name) || only.includes(toolset);
  const known = new Set(offered.flatMap(({ name, toolset }) => [name, toolset]));
  const unknown = only.find((name) => !known.has(name));
  if (unknown === undefined) return isNamed;
  const isLocal = tools.some(
    ({ name, toolset }) => localTools.has(name) && [name, toolset].includes(unknown),
  );
  const sets = [...new Set(offered.map(({ toolset }) => toolset))].toSorted().join(", ");
  throw new Refusal(
    "usage",
    `No tool or toolset ${JSON.stringify(unknown)} is offered to other programs.`,
    isLocal && !local
      ? "Add --with-local-tools to offer the tools for commands and files too."
      : `There are the toolsets ${sets}, and the tools in them.`,
  );
}

const notOffered = (name: string, names: readonly string[]): string => {
  const known = exposedOverMcp.has(name) || localTools.has(name);
  const reason = known
    ? `${name} is not offered here now: it is switched off, cannot be used, or is kept from this program.`
    : `There is no tool ${JSON.stringify(name.slice(0, 100))}.`;
  return `${reason} There are: ${names.join(", ") || "none"}.`;
};

const notRun = (name: string, error: unknown): string =>
  `${name} was not run: ${error instanceof Error ? error.message : String(error)}. Run \`talaria doctor\`, then try again.`;
