import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest } from "../model.ts";
import { chatBody } from "./body.ts";

const plain: ModelRequest = { model: "m", instructions: "", messages: [], tools: [] };

test("a plain request asks for a stream with usage and nothing else", () => {
  assert.deepEqual(chatBody(plain), {
    model: "m",
    messages: [],
    stream: true,
    stream_options: { include_usage: true },
  });
});

test("history becomes messages, with calls beside their results and pictures as data", () => {
  const { messages } = chatBody({
    ...plain,
    instructions: "Be brief.",
    messages: [
      { role: "user", content: [{ type: "image", name: "a.png", mediaType: "image/png", base64: "AAAA" }] },
      { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "zoom", arguments: "{}" }] },
      { role: "tool", toolCallId: "c1", content: "a cat" },
      { role: "assistant", content: "A cat." },
    ],
  });
  assert.deepEqual(messages, [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "zoom", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "a cat" },
    { role: "assistant", content: "A cat." },
  ]);
});

test("what somebody set is sent: tools, effort, schema", () => {
  const body = chatBody({
    ...plain,
    tools: [{ name: "zoom", description: "zooms", parameters: { type: "object" } }],
    effort: "low",
    outputSchema: { type: "object" },
  });
  assert.partialDeepStrictEqual(body, {
    tools: [
      { type: "function", function: { name: "zoom", description: "zooms", parameters: { type: "object" } } },
    ],
    reasoning_effort: "low",
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", schema: { type: "object" }, strict: true },
    },
  });
});

test("a request for an answer in one piece asks for no stream", () => {
  const { stream_options, stream } = chatBody(plain, false);
  assert.deepEqual([stream, stream_options], [false, undefined]);
});
