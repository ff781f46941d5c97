import assert from "node:assert/strict";
import { test } from "node:test";
import { FaultError } from "../../src/core/faults.ts";
import type { DemoRequest } from "../../src/models/demo/demo-request.ts";
import { parseDemoScript } from "./demo-script.ts";
import { scriptedReplies } from "./scripted-replies.ts";

const saying = (text: string, tools: DemoRequest["tools"] = []): DemoRequest => ({
  model: "demo",
  streamed: true,
  tools,
  userTexts: [text],
  instructions: "",
  results: [],
});
const say = (text: string) => [{ text }];

/** The texts, or the HTTP body, of the replies to what is said in turn. */
function replies(script: object, ...said: readonly string[]): readonly string[] {
  const answer = scriptedReplies(parseDemoScript(script));
  return said.map((text) => {
    const { content, delivery } = answer(saying(text));
    return (
      delivery?.http?.body ?? content.map((part) => (part.kind === "text" ? part.text : part.kind)).join()
    );
  });
}

test("steps are used in order, once each", () => {
  const [first, second, third] = replies(
    { steps: [{ reply: say("1") }, { reply: say("2") }] },
    "a",
    "b",
    "c",
  );
  assert.deepEqual([first, second], ["1", "2"]);
  assert.match(third ?? "", /no step for request 3/);
});

test("a step with `when` waits for its words, `otherwise` answers the rest", () => {
  const script = {
    steps: [
      { when: "^cake\\b", reply: say("yum") },
      { when: "tea", reply: say("sip") },
    ],
    otherwise: say("hm"),
  };
  assert.deepEqual(replies(script, "tea", "cake please", "cake", "tea"), ["sip", "yum", "hm", "hm"]);
});

test("requests beyond the limit are refused, because a script could keep an agent busy for ever", () => {
  const [, last] = replies({ maxRequests: 1, otherwise: say("again") }, "a", "b");
  assert.match(last ?? "", /allows 1 requests and this is number 2/);
  assert.equal(parseDemoScript({}).maxRequests, 50);
});

test("a tool is found by part of its name, with its namespace; a missing one is reported", () => {
  const answer = scriptedReplies(
    parseDemoScript({ otherwise: [{ call: { tool: "?search", args: { q: 1 } } }] }),
  );
  const tools = [{ name: "session_search", namespace: "talaria", custom: false, fields: [] }];
  assert.deepEqual(answer(saying("x", tools)).content, [
    { kind: "call", tool: "session_search", namespace: "talaria", args: '{"q":1}' },
  ]);
  assert.match(answer(saying("x")).delivery?.http?.body ?? "", /named like “search”; offered are: none/);
});

test("a tool that nobody offers can be called by its exact name", () => {
  const answer = scriptedReplies(parseDemoScript({ otherwise: [{ call: { tool: "nope", args: "{raw" } }] }));
  assert.deepEqual(answer(saying("x")).content, [{ kind: "call", tool: "nope", args: "{raw" }]);
});

test("a script that cannot be used is a config fault that names the place", () => {
  const wrong = [
    { steps: [{ reply: [{ txet: "x" }] }] },
    { steps: [{ reply: [] }] },
    { steps: [{ when: "(", reply: say("x") }] },
    { maxRequests: 0 },
    { surprise: true },
    "text",
  ];
  for (const json of wrong)
    assert.throws(
      () => parseDemoScript(json),
      (error) => error instanceof FaultError && error.fault.code === "config" && error.fault.next !== "",
      JSON.stringify(json),
    );
  assert.throws(() => parseDemoScript({ steps: [{ when: "(", reply: say("x") }] }), /steps\[0\]\.when/);
});
