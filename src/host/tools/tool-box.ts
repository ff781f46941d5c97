import type { AgentDeps } from "../../agent/index.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Redactor } from "../../lib/redact/redact.ts";
import type { Store } from "../../store/store.ts";
import { liveOutput } from "../../tools/terminal/live-output.ts";
import type { Tool, ToolBox, ToolResult } from "../../tools/tool.ts";
import { toolsOf } from "./delegation.ts";
import type { HostShell } from "./shell.ts";
import { type ToolSwitches, allOn } from "./switches.ts";

export type HostToolBox = AgentDeps["toolBox"] & {
  /** All that there is, also what is switched off or cannot be used here. */
  tools(): Promise<readonly Tool[]>;
  readonly switches: ToolSwitches;
  /** Further ones, which are made with the first turn and are the same for all. To be called before it. */
  add(...further: readonly MoreTools[]): void;
};

export type MoreTools = () => Promise<readonly Tool[]>;

export type ToolBoxParts = {
  readonly store: Store;
  readonly shell: Pick<HostShell, "tools" | "guarded">;
  readonly redact: Redactor;
  readonly switches?: ToolSwitches;
  /** Sessions of the owner may make cards. */
  readonly handsOutCards?: boolean;
  /** What lies in the working folder and is not for turns of this session. */
  readonly hiddenFrom?: (session: SessionId) => Promise<readonly string[]>;
  /** Those that may be others with every turn. */
  readonly changing?: MoreTools;
};

/** The tools of a turn. Loaded with the first one: their schemas cost a tenth of a second that `--help` need not pay. */
export function hostToolBox(parts: ToolBoxParts): HostToolBox {
  const { store, redact, switches = allOn, changing = async () => [], hiddenFrom } = parts;
  const further: MoreTools[] = [];
  let loading: ReturnType<typeof load> | undefined;
  const loaded = (): ReturnType<typeof load> => (loading ??= load(parts, further));
  const tools = async (): Promise<readonly Tool[]> => [...(await loaded()).tools, ...(await changing())];
  const allow = (tool: Tool): boolean => !switches.isOff(tool);
  const box: AgentDeps["toolBox"] = async (context) => {
    const { toolBox } = await loaded();
    const all = await tools();
    const allowed = await toolsOf(store, context, all, parts.handsOutCards === true);
    const hidden = context.audience === "owner" ? [] : ((await hiddenFrom?.(context.session)) ?? []);
    return masking(toolBox(allowed, { ...context, hidden }, { allow, mask: redact }), redact, context.clock);
  };
  const add: HostToolBox["add"] = (...more) => {
    if (loading !== undefined) throw new Error("the tools are made already, and these would be missing");
    further.push(...more);
  };
  return Object.assign(box, { switches, tools, add });
}

/** Once for all turns: what a tool finds out about the machine is found out when it is made. */
async function load({ store, shell }: ToolBoxParts, further: readonly MoreTools[]) {
  const [registry, reading, writing, patching, finding] = await Promise.all([
    import("../../tools/registry.ts"),
    import("../../tools/files/read-file.ts"),
    import("../../tools/files/write-file.ts"),
    import("../../tools/files/patch.ts"),
    import("../../tools/files/search-files.ts"),
  ]);
  const { guarded } = shell;
  const [read, find] = [reading.readFileTool(guarded), finding.searchFilesTool(guarded)];
  const files = [read, writing.writeFileTool, patching.patchTool, find];
  const more = await Promise.all(further.map((make) => make()));
  const tools = [
    ...files,
    ...(await shell.tools()),
    ...(await sessionTools(store)),
    ...more.flat(),
  ] as readonly Tool[];
  return { toolBox: registry.toolBox, tools };
}

/** Tools that work on conversations: what was said earlier, what is to be done, and a question to the person. */
async function sessionTools(store: Store) {
  const [searching, listing, asking] = await Promise.all([
    import("../../tools/session-search.ts"),
    import("../../tools/todo.ts"),
    import("../../tools/clarify.ts"),
  ]);
  const search = searching.sessionSearchTool({
    search: (query) => store.search(query),
    recent: (limit) => store.sessions.list({ limit }),
    messages: (session, window) => store.sessions.messages(session, window),
  });
  return [search, listing.todoTool(store.todos), asking.clarifyTool];
}

/** The names of all that are on, and of the sets that they belong to. */
export async function namesOn({ tools, switches }: HostToolBox): Promise<ReadonlySet<string>> {
  const on = (await tools()).filter((tool) => !switches.isOff(tool));
  return new Set(on.flatMap(({ name, toolset }) => [name, toolset]));
}

/** Masked where it comes from, so that the model gets what the session keeps: a key in a file is not sent on. */
const masking = (box: ToolBox, redact: Redactor, clock: Clock): ToolBox => ({
  specs: box.specs,
  enabled: box.enabled,
  async call(name, args, signal, progress, head): Promise<ToolResult> {
    const live = progress && liveOutput(progress, redact, clock);
    const { output, diff, ...rest } = await box.call(name, args, signal, live?.add, head);
    live?.end();
    return { ...rest, output: redact(output), ...(diff === undefined ? {} : { diff: redact(diff) }) };
  },
});
