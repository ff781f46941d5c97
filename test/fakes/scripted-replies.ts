import type { DemoRequest, OfferedTool } from "../../src/models/demo/demo-request.ts";
import { errorReply, type Content, type Delivery, type Reply } from "../../src/models/demo/reply.ts";
import type { DemoScript, ScriptPart } from "./demo-script.ts";

/**
 * Each request takes the first unused step whose `when` fits what the person said last. The number of requests is
 * limited, because a script that always asks for a tool would keep an agent busy for ever.
 */
export function scriptedReplies(script: DemoScript): (conversation: DemoRequest) => Reply {
  const left = [...script.steps];
  let asked = 0;
  return (conversation) => {
    asked += 1;
    if (asked > script.maxRequests) return overLimit(asked, script.maxRequests);
    const last = conversation.userTexts.at(-1) ?? "";
    const at = left.findIndex(({ when }) => when === undefined || new RegExp(when).test(last));
    const parts = at === -1 ? script.otherwise : left.splice(at, 1)[0]?.reply;
    return parts === undefined ? noStep(asked, last) : scripted(parts, conversation);
  };
}

const overLimit = (asked: number, limit: number): Reply =>
  errorReply(
    500,
    "too_many_requests_for_script",
    `The script allows ${limit} requests and this is number ${asked}.`,
  );

const noStep = (asked: number, last: string): Reply =>
  errorReply(500, "script_is_over", `The script has no step for request ${asked} (“${last.slice(0, 80)}”).`);

function scripted(parts: readonly ScriptPart[], conversation: DemoRequest): Reply {
  const wanted = parts.flatMap((part) => ("call" in part ? [part.call.tool] : []));
  const missing = wanted.find((tool) => tool.startsWith("?") && find(conversation, tool) === undefined);
  if (missing !== undefined) return noTool(missing, conversation);
  return {
    content: parts.flatMap((part) => content(part, conversation)),
    delivery: Object.assign({}, ...parts.map(delivery)) as Delivery,
    ...parts.find((part) => "usage" in part),
  };
}

const noTool = (wanted: string, { tools }: DemoRequest): Reply =>
  errorReply(
    500,
    "script_tool_missing",
    `The script wants a tool named like “${wanted.slice(1)}”; offered are: ${tools.map(({ name }) => name).join(", ") || "none"}.`,
  );

/** An exact name need not be on offer: what happens with an unknown tool is worth a test. */
const find = ({ tools }: DemoRequest, wanted: string): OfferedTool | undefined =>
  tools.find(({ name }) => (wanted.startsWith("?") ? name.includes(wanted.slice(1)) : name === wanted));

function content(part: ScriptPart, conversation: DemoRequest): readonly Content[] {
  if ("text" in part) {
    const { text, chunks, phase } = part;
    return [
      {
        kind: "text",
        text,
        ...(chunks === undefined ? {} : { chunks }),
        ...(phase === undefined ? {} : { phase }),
      },
    ];
  }
  if ("reasoning" in part) return [{ kind: "reasoning", ...part.reasoning }];
  if ("call" in part) return [call(part.call, conversation)];
  if ("search" in part) return [{ kind: "search", ...part.search }];
  if ("custom" in part) return [{ kind: "custom", ...part.custom }];
  if ("hang" in part) return [{ kind: "hang" }];
  if ("errorFrame" in part) return [{ kind: "error", ...part.errorFrame }];
  if ("malformed" in part) return [{ kind: "malformed" }];
  if ("huge" in part) return [hugeText(part.huge.bytes)];
  return [];
}

function call(wanted: Extract<ScriptPart, { call: unknown }>["call"], conversation: DemoRequest): Content {
  const tool = find(conversation, wanted.tool);
  const args = typeof wanted.args === "string" ? wanted.args : JSON.stringify(wanted.args);
  const namespace = tool === undefined ? wanted.namespace : tool.namespace;
  const within = namespace === undefined ? {} : { namespace };
  return { kind: "call", tool: tool?.name ?? wanted.tool, ...within, args };
}

const hugeText = (bytes: number): Content => ({
  kind: "text",
  text: "x".repeat(bytes),
  chunks: Math.ceil(bytes / 65_536),
});

function delivery(part: ScriptPart): Delivery {
  if ("slow" in part) return { slowMs: part.slow.ms };
  if ("wrongFirst" in part) return { first: part.wrongFirst };
  if ("whole" in part) return { whole: true };
  if ("noCompleted" in part) return { noCompleted: true };
  if ("html" in part) return { http: page };
  if ("cut" in part)
    return {
      cut: "afterBytes" in part.cut ? { bytes: part.cut.afterBytes } : { frames: part.cut.afterFrames },
    };
  if (!("http" in part)) return {};
  const { status, headers, body } = part.http;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { http: { status, headers: { "content-type": "application/json", ...headers }, body: text } };
}

const page = {
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<!doctype html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n",
};
