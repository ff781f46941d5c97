import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest } from "../model.ts";
import { responsesBody } from "./body.ts";

const plain: ModelRequest = { model: "m", instructions: "", messages: [], tools: [] };

test("a plain request holds nothing that nobody set, and keeps nothing at the provider", () => {
  assert.deepEqual(responsesBody(plain), { model: "m", input: [], store: false, stream: true });
});

test("history becomes input items, with calls beside their results and pictures as data", () => {
  const { input } = responsesBody({
    ...plain,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", name: "a.png", mediaType: "image/png", base64: "AAAA" },
        ],
      },
      {
        role: "assistant",
        content: "Looking.",
        reasoning: "hidden",
        toolCalls: [{ id: "c1", name: "zoom", arguments: '{"x":2}' }],
      },
      { role: "tool", toolCallId: "c1", content: "a cat" },
      { role: "assistant", content: "A cat." },
      { role: "user", content: "thanks" },
    ],
    sealed: [{ before: 1, data: { type: "reasoning", summary: [], encrypted_content: "sealed" } }],
  });
  assert.deepEqual(input, [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "look" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      ],
    },
    { type: "reasoning", summary: [], encrypted_content: "sealed" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Looking." }] },
    { type: "function_call", call_id: "c1", name: "zoom", arguments: '{"x":2}' },
    { type: "function_call_output", call_id: "c1", output: "a cat" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "A cat." }] },
    { type: "message", role: "user", content: [{ type: "input_text", text: "thanks" }] },
  ]);
});

test("what somebody set is sent: instructions, tools, effort, schema, cache key", () => {
  const body = responsesBody({
    ...plain,
    instructions: "Be brief.",
    tools: [{ name: "zoom", description: "zooms", parameters: { type: "object" } }],
    effort: "high",
    outputSchema: { type: "object" },
    cacheKey: "ses_1",
  });
  assert.deepEqual(body, {
    model: "m",
    instructions: "Be brief.",
    input: [],
    tools: [
      { type: "function", name: "zoom", description: "zooms", parameters: { type: "object" }, strict: false },
    ],
    parallel_tool_calls: true,
    reasoning: { effort: "high" },
    include: ["reasoning.encrypted_content"],
    text: { format: { type: "json_schema", name: "answer", schema: { type: "object" }, strict: true } },
    prompt_cache_key: "ses_1",
    store: false,
    stream: true,
  });
});

test("a request for an answer in one piece asks for no stream", () => {
  const { stream_options, stream } = responsesBody(plain, false);
  assert.deepEqual([stream, stream_options], [false, undefined]);
});
