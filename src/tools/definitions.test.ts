import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { codexDynamicDefinition, responsesDefinition, toolSpec } from "./definitions.ts";
import type { Tool } from "./tool.ts";

const schema = z.object({
  text: z.string().min(1).describe("What to remember"),
  target: z.enum(["memory", "user"]).default("memory"),
  line: z.int().min(1).max(99).optional(),
});
const tool: Tool<typeof schema> = {
  name: "remember",
  description: "Keep a fact.",
  schema,
  effect: "local",
  toolset: "test",
  timeoutMs: 1000,
  maxOutputChars: 1000,
  run: async () => ({ ok: true, output: "" }),
};
const spec = toolSpec(tool);
/** A property with a default may be left out, so it is not required. */
const parameters = {
  type: "object",
  properties: {
    text: { type: "string", minLength: 1, description: "What to remember" },
    target: { type: "string", enum: ["memory", "user"], default: "memory" },
    line: { type: "integer", minimum: 1, maximum: 99 },
  },
  required: ["text"],
};

describe("one schema makes the definition for", () => {
  test("the Responses API", () => {
    assert.deepEqual(responsesDefinition(spec), {
      type: "function",
      name: "remember",
      description: "Keep a fact.",
      parameters,
      strict: false,
    });
  });

  test("codex dynamic tools, shown up front or deferred", () => {
    const definition = {
      type: "function",
      name: "remember",
      description: "Keep a fact.",
      inputSchema: parameters,
    };
    assert.deepEqual(codexDynamicDefinition(spec), definition);
    assert.deepEqual(codexDynamicDefinition(spec, { deferLoading: true }), {
      ...definition,
      deferLoading: true,
    });
  });
});

test("the schema of a tool is made once", () => {
  assert.equal(toolSpec({ ...tool }).parameters, spec.parameters);
});
