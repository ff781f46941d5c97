import type { CallItem } from "../../../core/items.ts";
import type { ItemId } from "../../../core/ids.ts";
import { type Json, isPlainObject, stableJson } from "../../../core/json.ts";
import { cutMiddle } from "../../../tools/cut-middle.ts";
import { diffOf } from "./change-diff.ts";
import { boundedText } from "./seen-text.ts";
import type {
  ChangeItem,
  CollabItem,
  CommandItem,
  DynamicItem,
  McpItem,
  WireCall,
} from "../wire/call-item.ts";
import { fieldsOf, textIn } from "../wire/fields.ts";

/** What mapping needs to know of the turn. */
export type Place = {
  /** Used where an item does not say where it ran. */
  readonly cwd: string;
  /** The namespace of our own tools, which are recorded under their plain names. Not given: every one is ours. */
  readonly hostNamespace?: string | undefined;
  /** The command that runs as this item of an earlier turn. */
  readonly commandOf?: ((itemId: string) => string | undefined) | undefined;
};

/** Name and arguments of a call: all that is known before it has run. */
export type CallHead = Pick<CallItem, "id" | "callId" | "tool" | "args">;

export function callHead(body: WireCall, id: ItemId, place: Place): CallHead {
  switch (body.type) {
    case "commandExecution": {
      const args = { command: body.command, cwd: body.cwd ?? place.cwd };
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
      const { hostNamespace = namespace } = place;
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

/** `seen`: the output that came in pieces, for an item that does not repeat it as a whole. */
export function callItem(body: WireCall, id: ItemId, place: Place, seen: string): CallItem {
  const head = { ...callHead(body, id, place), kind: "call" as const };
  switch (body.type) {
    case "commandExecution":
      return { ...head, ...commandResult(body, seen) };
    case "fileChange":
      return { ...head, ...changeResult(body) };
    case "mcpToolCall":
      return { ...head, ...mcpResult(body) };
    case "dynamicToolCall":
      return { ...head, ...dynamicResult(body) };
    case "collabAgentToolCall":
      return { ...head, output: agentLines(body), ok: body.status === "completed" };
  }
}

type Result = Pick<CallItem, "output" | "ok" | "exitCode" | "durationMs" | "diff">;

function commandResult(body: CommandItem, seen: string): Result {
  const { status, exitCode } = body;
  const output = boundedText(body.output ?? seen);
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

function changeResult({ status, changes }: ChangeItem): Result {
  const summary = `apply_patch status=${status}, ${changes.length} change(s)`;
  const declined = status === "declined" ? "\nThe change was declined and no file was touched." : "";
  const diff = diffOf(changes);
  return {
    output: summary + declined,
    ok: status === "completed",
    ...(diff === "" ? {} : { diff }),
  };
}

/** An MCP result is not bounded by anybody else, so history gets only its beginning and end. */
const longestMcpResult = 4000;
const longestMcpError = 1000;

function mcpResult(body: McpItem): Result {
  const ok = body.status === "completed" && body.error === undefined;
  if (body.error !== undefined) {
    return { output: cutMiddle(`[error] ${body.error}`, longestMcpError), ok, ...duration(body) };
  }
  const said = contentText(body.content);
  const structured = said.hasText || isNothing(body.structured) ? "" : jsonText(body.structured);
  const output = [said.text, structured].filter(Boolean).join("\n");
  return { output: cutMiddle(output || silence(ok), longestMcpResult), ok, ...duration(body) };
}

function dynamicResult(body: DynamicItem): Result {
  const ok = body.status === "completed" && body.success !== false;
  const output = boundedText(contentText(body.content).text);
  return { output: output || silence(ok), ok, ...duration(body) };
}

const silence = (ok: boolean): string => (ok ? "" : "The call failed and reported nothing.");

const duration = ({ durationMs }: { durationMs: number | undefined }): Pick<CallItem, "durationMs"> =>
  durationMs === undefined ? {} : { durationMs };

const agentLines = ({ agents, status }: CollabItem): string =>
  boundedText(
    agents
      .map(({ id, status: at, message }) => `${id}: ${at}${message === "" ? "" : `\n${message}`}`)
      .join("\n") || `status=${status}`,
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
