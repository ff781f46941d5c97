import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import type { ModelRequest } from "./model.ts";
import { chatBody } from "./chat/body.ts";
import { responsesBody } from "./responses/body.ts";
import { plainNames, wireId, wireName } from "./wire-names.ts";

const anyText = fc.string({ unit: "grapheme", maxLength: 120 });

test("ids and names that every provider takes are left alone", () => {
  const id = fc.string({ minLength: 1, maxLength: 40 });
  const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
  fc.assert(fc.property(id, name, (one, other) => wireId(one) === one && wireName(other) === other));
});

test("whatever goes in, what comes out is taken everywhere and mapping it again changes nothing", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.match(wireName(text), /^[A-Za-z0-9_-]{1,64}$/);
      assert.equal(wireName(wireName(text)), wireName(text));
      assert.ok(wireId(text).length >= 1 && wireId(text).length <= 40);
      assert.equal(wireId(wireId(text)), wireId(text));
    }),
  );
});

test("different ids and names stay different, also when only the end differs", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 40, maxLength: 90 }), fc.string(), fc.string(), (start, a, b) => {
      fc.pre(a !== b);
      assert.notEqual(wireId(start + a), wireId(start + b));
      assert.notEqual(wireName(`${start}.${a}`), wireName(`${start}.${b}`));
    }),
  );
});

test("a model's call finds the tool under its own name again", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyText, { minLength: 1 }), (names) => {
      const plain = plainNames(names);
      for (const name of names) assert.equal(plain(wireName(name)), name);
    }),
  );
  assert.equal(plainNames([])("made_up"), "made_up");
});

test("call and result keep the same id on both protocols", () => {
  fc.assert(
    fc.property(anyText, anyText, (id, name) => {
      const request: ModelRequest = {
        model: "m",
        instructions: "",
        tools: [{ name, description: "", parameters: {} }],
        messages: [
          { role: "assistant", content: "", toolCalls: [{ id, name, arguments: "{}" }] },
          { role: "tool", toolCallId: id, content: "done" },
        ],
      };
      const [call, output] = responsesBody(request)["input"] as { call_id: string; name: string }[];
      assert.equal(call?.call_id, output?.call_id);
      const [asked, told] = chatBody(request)["messages"] as [
        { tool_calls: { id: string; function: { name: string } }[] },
        { tool_call_id: string },
      ];
      assert.equal(asked.tool_calls[0]?.id, told.tool_call_id);
      const [offered] = responsesBody(request)["tools"] as { name: string }[];
      assert.equal(call?.name, offered?.name);
      assert.equal(asked.tool_calls[0]?.function.name, offered?.name);
    }),
  );
});
