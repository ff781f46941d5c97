import { isObject } from "../../codex-schema/json-schema.ts";
import type { ToolEnd } from "./commands.ts";
import { dynamicToolCall, mcpResult, mcpToolCall } from "./items.ts";
import type { McpCall, Step } from "./script.ts";
import { ask, completeItem, orStopped, type Stage, startItem, threadAndTurn, waitingOver } from "./stage.ts";
import type { Item } from "./thread-log.ts";
import type { Answer } from "./wire.ts";

type Of<Key extends string> = Extract<Step, Readonly<Record<Key, unknown>>>;

/** A tool of the host. Codex asks nobody before, waits for ever, and says nothing of the request being resolved. */
export async function playDynamicTool(
  stage: Stage,
  call: Of<"dynamicTool">["dynamicTool"],
): Promise<ToolEnd> {
  const { namespace = null, tool, args = {} } = call;
  const item = dynamicToolCall(stage.ids.short("call"), namespace, tool, args);
  const startedAtMs = await startItem(stage, item);
  const params = { ...threadAndTurn(stage), callId: item.id, namespace, tool, arguments: args };
  const { sent, answer } = stage.wire.ask("item/tool/call", params);
  await sent;
  const heard = await orStopped(stage, answer);
  const { contentItems, success } =
    heard === undefined ? { contentItems: [], success: false } : toolResult(heard);
  const status = success ? "completed" : "failed";
  await completeItem(stage, { ...item, status, contentItems, success, durationMs: 1 }, startedAtMs);
  return heard === undefined ? "stopped" : "done";
}

const failed = (text: string) => ({ contentItems: [{ type: "inputText", text }], success: false });

function toolResult(answer: Answer): { readonly contentItems: unknown; readonly success: boolean } {
  if ("error" in answer) return failed("dynamic tool request failed");
  const { contentItems, success } = isObject(answer.result) ? answer.result : {};
  if (!Array.isArray(contentItems) || typeof success !== "boolean")
    return failed("dynamic tool response was invalid");
  return { contentItems, success };
}

export async function playMcp(stage: Stage, call: McpCall): Promise<ToolEnd> {
  const item = mcpToolCall(stage.ids.short("call"), call);
  const startedAtMs = await startItem(stage, item);
  const key = `mcp ${call.server}/${call.tool}`;
  if (call.approve === true && !stage.live.grants.has(key)) {
    const answer = await ask(stage, {
      method: "mcpServer/elicitation/request",
      params: {
        serverName: call.server,
        mode: "form",
        _meta: {
          codex_approval_kind: "mcp_tool_call",
          persist: ["session", "always"],
          tool_description: call.tool,
          tool_params: call.args ?? {},
          tool_params_display: [],
        },
        message: `Allow the ${call.server} MCP server to run tool "${call.tool}"?`,
        requestedSchema: { type: "object", properties: {} },
      },
    });
    if (answer === undefined) return "stopped";
    await waitingOver(stage);
    const { action, persist } = elicited(answer);
    if (action !== "accept") {
      const message = `user ${action === "cancel" ? "cancelled" : "rejected"} MCP tool call`;
      return completeMcp(stage, item, startedAtMs, { status: "failed", error: { message } });
    }
    if (persist) stage.live.grants.add(key);
  }
  if (call.running === true) {
    await orStopped(stage, new Promise(() => {}));
    return "stopped"; // codex leaves the item open
  }
  stage.wire.note({ called: `${call.server}/${call.tool}`, item: item.id });
  if (call.error !== undefined)
    return completeMcp(stage, item, startedAtMs, { status: "failed", error: { message: call.error } });
  return completeMcp(stage, item, startedAtMs, { status: "completed", result: mcpResult(call.result ?? "") });
}

/** A server that asks the user something in the middle of its tool. */
export async function playElicit(stage: Stage, step: Of<"elicit">["elicit"]): Promise<ToolEnd> {
  const { server, tool, message, schema = { type: "object", properties: {} }, url } = step;
  const item = mcpToolCall(stage.ids.short("call"), { server, tool });
  const startedAtMs = await startItem(stage, item);
  const form = { mode: "form", _meta: null, message, requestedSchema: schema };
  const page = { mode: "url", _meta: null, message, url, elicitationId: stage.ids.short("eli") };
  const answer = await ask(stage, {
    method: "mcpServer/elicitation/request",
    params: { serverName: server, ...(url === undefined ? form : page) },
  });
  if (answer === undefined) return "stopped";
  await waitingOver(stage);
  const { action, content } = elicited(answer);
  const said = JSON.stringify(action === "accept" ? { action, content } : { action });
  return completeMcp(stage, item, startedAtMs, {
    status: "completed",
    result: mcpResult(`elicited ${said}`),
  });
}

async function completeMcp(stage: Stage, item: Item, startedAtMs: number, end: object): Promise<ToolEnd> {
  await completeItem(stage, { ...item, durationMs: 1, ...end }, startedAtMs);
  return "done";
}

function elicited(answer: Answer): {
  readonly action: unknown;
  readonly content: unknown;
  readonly persist: boolean;
} {
  const { action, content, _meta } = "result" in answer && isObject(answer.result) ? answer.result : {};
  const persist = isObject(_meta) && typeof _meta["persist"] === "string";
  return { action: action ?? "decline", content: content ?? null, persist };
}

/** Neither of these two has an item of its own. */
export async function playPermissions(
  stage: Stage,
  step: Of<"permissions">["permissions"],
): Promise<ToolEnd> {
  const answer = await ask(stage, {
    method: "item/permissions/requestApproval",
    params: {
      itemId: stage.ids.short("call"),
      environmentId: "local",
      startedAtMs: stage.clock.now(),
      cwd: stage.live.thread.meta.cwd,
      reason: step.reason ?? null,
      permissions: { network: null, fileSystem: null, ...step.permissions },
    },
    statusFirst: true,
  });
  return afterQuestion(stage, answer);
}

export async function playUserInput(stage: Stage, step: Of<"userInput">["userInput"]): Promise<ToolEnd> {
  const answer = await ask(stage, {
    method: "item/tool/requestUserInput",
    params: {
      itemId: stage.ids.short("call"),
      questions: step.questions.map((question) => ({
        isOther: true,
        isSecret: false,
        options: null,
        ...question,
      })),
      isBlocking: step.isBlocking ?? true,
      autoResolutionMs: null,
    },
    flag: "waitingOnUserInput",
    statusFirst: true,
  });
  return afterQuestion(stage, answer);
}

async function afterQuestion(stage: Stage, answer: Answer | undefined): Promise<ToolEnd> {
  if (answer === undefined) return "stopped";
  stage.wire.note({ answered: answer });
  await waitingOver(stage);
  return "done";
}
