import type { ItemId } from "../../../core/ids.ts";
import type { CallHead, CallItem } from "../../../core/items.ts";
import { type Json, isPlainObject, stableJson } from "../../../core/json.ts";
import { cutMiddle } from "../../../tools/cut-middle.ts";
import type {
  ChangeItem,
  CollabItem,
  CommandItem,
  DynamicItem,
  McpItem,
  WireCall,
  Change,
} from "../wire/call-item.ts";
import { fieldsOf, textIn } from "../wire/fields.ts";
import { boundedText } from "./seen-text.ts";

/** What mapping needs to know of the turn. */
export type MappingContext = {
  /** Used where an item does not say where it ran. */
  readonly cwd: string;
  /** The namespace of our own tools, which are recorded under their plain names. Not given: every one is ours. */
  readonly hostNamespace?: string | undefined;
  /** Masks secrets, before anything is cut. */
  readonly mask: (text: string) => string;
  /** The command that runs as this item of an earlier turn. */
  readonly commandOf?: ((itemId: string) => string | undefined) | undefined;
};

export function callHead(body: WireCall, id: ItemId, context: MappingContext): CallHead {
  switch (body.type) {
    case "commandExecution": {
      const args = { command: body.command, cwd: body.cwd ?? context.cwd };
      return { id, callId: `codex_exec_${id}`, tool: "exec_command", args };
    }
    case "fileChange":
      return { id, callId: `codex_apply_patch_${id}`, tool: "apply_patch", args: changeArgs(body) };
    case "mcpToolCall": {
      const { server, tool } = body;
      const callId = `codex_mcp_${server}_${tool}_${id}`;
      return { id, callId, tool: `mcp.${server}.${tool}`, args: argsOf(body.args) };
    }
    case "dynamicToolCall": {
      const { namespace, tool } = body;
      const { hostNamespace = namespace } = context;
      const name = namespace === hostNamespace || namespace === undefined ? tool : `${namespace}.${tool}`;
      return { id, callId: `codex_dyn_${tool}_${id}`, tool: name, args: argsOf(body.args) };
    }
    case "collabAgentToolCall": {
      const args = {
        receivers: body.receivers,
        ...(body.prompt === undefined ? {} : { prompt: body.prompt }),
      };
      return { id, callId: `codex_collab_${body.tool}_${id}`, tool: `collab.${body.tool}`, args };
    }
  }
}

/** `seen`: the output that came in pieces, masked and bounded, for an item that does not repeat it as a whole. */
export function callItem(body: WireCall, id: ItemId, context: MappingContext, seen: string): CallItem {
  const head = { ...callHead(body, id, context), kind: "call" as const };
  switch (body.type) {
    case "commandExecution":
      return { ...head, ...commandResult(body, seen, context) };
    case "fileChange":
      return { ...head, ...changeResult(body, context) };
    case "mcpToolCall":
      return { ...head, ...mcpResult(body, context) };
    case "dynamicToolCall":
      return { ...head, ...dynamicResult(body, context) };
    case "collabAgentToolCall":
      return { ...head, output: agentLines(body, context), ok: body.status === "completed" };
  }
}

type Result = Pick<CallItem, "output" | "ok" | "exitCode" | "durationMs" | "diff">;

function commandResult(body: CommandItem, seen: string, { mask }: MappingContext): Result {
  const { status, exitCode } = body;
  const output = body.output === undefined ? seen : boundedText(mask(body.output));
  const ok = status === "completed" && (exitCode ?? 0) === 0;
  if (status === "declined") return { output: "The command was declined and did not run.", ok: false };
  const silent = !ok && output === "" && exitCode === undefined;
  return {
    output: silent ? nothingReported(status) : output,
    ok,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...duration(body),
  };
}

const nothingReported = (status: string): string =>
  status === "inProgress" ? "[not finished]" : `The command ended as "${status}" and reported nothing.`;

function changeResult({ status, changes }: ChangeItem, { mask }: MappingContext): Result {
  const summary = `apply_patch status=${status}, ${changes.length} change(s)`;
  const declined = status === "declined" ? "\nThe change was declined and no file was touched." : "";
  const diff = diffOf(changes, mask);
  return {
    output: summary + declined,
    ok: status === "completed",
    ...(diff === "" ? {} : { diff }),
  };
}

/** An MCP result is not bounded by anybody else, so history gets only its beginning and end. */
const longestMcpResult = 4000;
const longestMcpError = 1000;

function mcpResult(body: McpItem, { mask }: MappingContext): Result {
  const ok = body.status === "completed" && body.error === undefined;
  if (body.error !== undefined) {
    return { output: cutMiddle(mask(`[error] ${body.error}`), longestMcpError), ok, ...duration(body) };
  }
  const said = contentText(body.content);
  const structured = said.hasText || isNothing(body.structured) ? "" : jsonText(body.structured);
  const output = [said.text, structured].filter(Boolean).join("\n");
  return { output: cutMiddle(mask(output) || silence(ok), longestMcpResult), ok, ...duration(body) };
}

function dynamicResult(body: DynamicItem, { mask }: MappingContext): Result {
  const ok = body.status === "completed" && body.success !== false;
  const output = boundedText(mask(contentText(body.content).text));
  return { output: output || silence(ok), ok, ...duration(body) };
}

const silence = (ok: boolean): string => (ok ? "" : "The call failed and reported nothing.");

const duration = ({ durationMs }: { durationMs: number | undefined }): Pick<CallItem, "durationMs"> =>
  durationMs === undefined ? {} : { durationMs };

const agentLines = ({ agents, status }: CollabItem, { mask }: MappingContext): string =>
  boundedText(
    mask(
      agents
        .map(({ id, status: at, message }) => `${id}: ${at}${message === "" ? "" : `\n${message}`}`)
        .join("\n") || `status=${status}`,
    ),
  );

const changeArgs = ({ changes }: ChangeItem): Json => ({
  changes: changes.map(({ kind, path, movePath }) => ({
    kind,
    path,
    ...(movePath === undefined ? {} : { move_path: movePath }),
  })),
});

/** Arguments are an object in every history; what a model sent instead is kept inside one. */
function argsOf(value: unknown): Json {
  if (isNothing(value)) return {};
  if (isDeeper(value, deepest)) return { input: "[arguments that are nested too deep]" };
  return isPlainObject(value) ? (value as Json) : { input: value as Json };
}

/** Far below what the stack allows whoever writes them down: reading JSON goes deeper than writing it. */
const deepest = 500;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** The words of a result; a picture or sound is named, not copied. */
function contentText(content: readonly unknown[]): { readonly text: string; readonly hasText: boolean } {
  const parts = content.map(fieldsOf);
  const texts = parts.map((part) => {
    const type = textIn(part, "type") ?? "part";
    return (
      textIn(part, "text") ?? `[${[mediaName(type), textIn(part, "mimeType")].filter(Boolean).join(" ")}]`
    );
  });
  return { text: texts.join("\n"), hasText: parts.some((part) => textIn(part, "text") !== undefined) };
}

const mediaName = (type: string): string => type.replace(/^input(?=[A-Z])/, "").toLowerCase();

const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;

/** Nested too deep for the stack is the one thing JSON cannot say again. */
function jsonText(value: unknown): string {
  try {
    return stableJson(value);
  } catch {
    return "[a result that is nested too deep]";
  }
}

/** One unified text of all changes, as `git diff` would show them, masked and bounded. */
const diffOf = (changes: readonly Change[], mask: (text: string) => string): string =>
  boundedText(mask(changes.map(changeDiff).join("")));

function changeDiff({ kind, path, movePath, diff }: Change): string {
  if (kind === "add") return `--- /dev/null\n+++ ${path}\n${wholeFile(diff, "+")}`;
  if (kind === "delete") return `--- ${path}\n+++ /dev/null\n${wholeFile(diff, "-")}`;
  return `--- ${path}\n+++ ${movePath ?? path}\n${withNewline(diff)}`;
}

/** Codex sends an added or deleted file as its content. */
function wholeFile(content: string, sign: "+" | "-"): string {
  if (content === "") return "";
  const lines = content.replace(/\n$/, "").split("\n");
  const hunk = sign === "+" ? `@@ -0,0 +1,${lines.length} @@` : `@@ -1,${lines.length} +0,0 @@`;
  return [hunk, ...lines.map((line) => sign + line), ""].join("\n");
}

const withNewline = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
