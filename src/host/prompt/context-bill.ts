import { loadSessionHistory } from "../../agent/session-history.ts";
import { type ContextBill, type ContextLine, contextLine } from "../../core/context-bill.ts";
import type { Calls } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Session } from "../../core/session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import type { Tool, ToolSpec } from "../../tools/tool.ts";
import { viewSize } from "../../transcript/compaction-due.ts";
import { loopInstructions } from "../../runtimes/loop/instructions.ts";
import { type PreviewParts, type Preparation, instructionsOf } from "./instructions.ts";

type Sources = {
  readonly store: Store;
  readonly preview: Preparation["preview"];
  /** Of a session, or of a new one. */
  readonly tools: (session: Session | undefined) => Promise<readonly Tool[]>;
  /** Of sessions in which nobody chose one: those that exist, and a new one. */
  readonly runtime: { readonly known: string; readonly fresh: () => string };
  /** Tokens that the models can read, as far as the settings know. */
  readonly window: number | undefined;
  readonly clock: Clock;
};

/** What the next turn gives to the model, from what is stored and set alone. */
export const contextBill =
  (sources: Sources): Calls["sessions.context"] =>
  async ({ session: id, cwd }) => {
    const session = id === undefined ? undefined : await sessionOf(sources.store, id);
    const runtime = session?.runtime ?? (session ? sources.runtime.known : sources.runtime.fresh());
    const target = session ?? { cwd, createdAt: sources.clock.now() };
    const [parts, conversation] = await Promise.all([
      sources.preview(target),
      session && conversationBill(sources.store, session),
    ]);
    const { usableTools } = await import("../../tools/registry.ts");
    const known = usableTools(await sources.tools(session));
    const tools = await toolLine(known, runtime, parts);
    const window = conversation?.window ?? sources.window;
    return {
      runtime,
      lines: [
        ...wordLines(known, runtime),
        ...instructionLines(parts),
        tools,
        ...(conversation?.lines ?? [nothingSaid]),
      ],
      ...(conversation?.used === undefined ? {} : { used: conversation.used }),
      ...(window === undefined ? {} : { window }),
      ...(runtime === "codex" ? { beyond: codexAdds } : {}),
    };
  };

const codexAdds =
  "Codex adds its own instructions, tools and MCP servers, and what your codex home has in AGENTS.md and skills. It keeps the conversation itself: this is what Talaria hands to a new thread.";

const nothingSaid = contextLine("conversation", "nothing has been said", 0);

async function sessionOf(store: Store, id: SessionId): Promise<Session> {
  const session = await store.sessions.get(id);
  if (session !== undefined) return session;
  throw new Refusal("not_found", `There is no session ${id}.`, "See `talaria sessions list`.");
}

/** Codex has its own. */
const wordLines = (tools: readonly Tool[], runtime: string): readonly ContextLine[] =>
  runtime === "codex"
    ? []
    : [
        contextLine(
          "how to work",
          "the words of the loop",
          loopInstructions(new Set(tools.map(({ name }) => name))).length,
        ),
      ];

function instructionLines(parts: PreviewParts): readonly ContextLine[] {
  const { persona, ownPersona, environment, project, learned, news } = parts;
  const [file = ""] = project.split(":", 1);
  return [
    contextLine("persona", ownPersona ? "SOUL.md" : "built in; SOUL.md replaces it", persona.length),
    contextLine("instructions", "folder, repository, system, day", environment.length),
    ...learned.map(({ name, text }) => contextLine(name, bytesIn(text), text.length)),
    ...(news.length === 0
      ? []
      : [contextLine("news", `${bytesIn(news.join(""))}, with every turn`, news.join("").length)]),
    contextLine("project", project === "" ? "no AGENTS.md here" : file, project.length),
  ];
}

const bytesIn = (text: string): string => `${Buffer.byteLength(text)} bytes`;

async function toolLine(tools: readonly Tool[], runtime: string, parts: PreviewParts): Promise<ContextLine> {
  const [{ toolSpec, responsesDefinition }, codex, room] = await Promise.all([
    import("../../tools/definitions.ts"),
    import("../../runtimes/codex/thread-settings/offered-tools.ts"),
    import("../../runtimes/codex/thread-settings/tool-room.ts"),
  ]);
  const specs = tools.map(toolSpec);
  const isCodex = runtime === "codex";
  const fitting = room.fitTools(
    codex.offered({ specs, enabled: [] }, codex.offeredToCodex),
    instructionsOf(parts),
  );
  const some: readonly ToolSpec[] = isCodex ? fitting.specs : specs;
  const shown = some.filter((spec) => !spec.deferred);
  const text = isCodex ? room.shownDefinitions(fitting) : JSON.stringify(shown.map(responsesDefinition));
  const later = some.length - shown.length;
  const detail = [
    count(shown, "tool"),
    ...(isCodex ? [`beside codex's own, ${bytesIn(text)}`] : []),
    ...(later === 0 ? [] : [`and ${later} that a search finds`]),
  ];
  return contextLine("tools", detail.join(", "), text.length);
}

const count = (some: readonly unknown[], word: string): string =>
  some.length === 1 ? `1 ${word}` : `${some.length} ${word}s`;

type ConversationBill = Pick<ContextBill, "lines" | "used" | "window">;

async function conversationBill(store: Store, { id }: Session): Promise<ConversationBill> {
  const { turns, messages, compactions, view } = await loadSessionHistory(store, id);
  const newest = compactions.findLast(({ summary }) => summary !== undefined);
  const { summary = "", pinned = [], upTo = 0 } = newest ?? {};
  const pins = pinned.reduce((sum, line) => sum + line.length, 0);
  const replaced = messages.filter(({ seq }) => seq <= upTo).length;
  const { used, window } = turns.findLast(({ turn }) => turn.usage !== undefined)?.turn.usage?.context ?? {};
  return {
    lines: [
      ...(summary === ""
        ? []
        : [contextLine("summary", `of the first ${replaced} messages`, summary.length)]),
      ...(pins === 0 ? [] : [contextLine("pinned", `${count(pinned, "line")}, word for word`, pins)]),
      contextLine(
        "conversation",
        `${count(view, "message")}, ${count(turns, "turn")}`,
        Math.max(0, viewSize(view) - summary.length - pins),
      ),
    ],
    ...(used === undefined ? {} : { used }),
    ...(window === undefined ? {} : { window }),
  };
}
