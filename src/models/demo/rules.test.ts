import assert from "node:assert/strict";
import { test } from "node:test";
import { fromChat, fromResponses, type DemoRequest } from "./demo-request.ts";
import { reviewPrompt } from "../../learning/review/review-prompt.ts";
import { replyByRules } from "./rules.ts";

const fn = (name: string, ...fields: readonly string[]) => ({
  type: "function",
  name,
  parameters: { type: "object", properties: Object.fromEntries(fields.map((field) => [field, {}])) },
});
const user = (said: string) => ({
  role: "user",
  type: "message",
  content: [{ type: "input_text", text: said }],
});
const loopTools = [
  fn("read_file", "path"),
  fn("session_search", "query"),
  fn("write_file", "path", "content"),
  fn("patch", "path", "edits"),
  fn("search_files", "pattern", "literal"),
];
const codexTools = [
  fn("exec_command", "cmd", "workdir"),
  { type: "custom", name: "apply_patch", format: {} },
  { type: "namespace", name: "talaria", tools: [fn("session_search", "query")] },
  { type: "web_search" },
];

const asked = (tools: readonly object[], ...input: readonly object[]): DemoRequest =>
  fromResponses({ model: "demo", stream: true, tools, input });

function text(conversation: DemoRequest): string {
  const [first, ...rest] = replyByRules(conversation).content;
  assert.ok(first?.kind === "text" && rest.length === 0, `not one text: ${JSON.stringify(first)}`);
  return first.text;
}

function call(conversation: DemoRequest): readonly unknown[] {
  const [first] = replyByRules(conversation).content;
  assert.ok(first?.kind === "call", `not a call: ${JSON.stringify(first)}`);
  return [first.namespace, first.tool, JSON.parse(first.args)];
}

const called = (name: string, output: unknown) => [
  { type: "function_call", call_id: "c1", name, arguments: "{}" },
  { type: "function_call_output", call_id: "c1", output },
];

test("a greeting is answered by saying what this is", () => {
  for (const greeting of ["hello", "Hi!", "hey there", "Good morning."])
    assert.match(text(asked([], user(greeting))), /offline demo model/);
});

test("plain words use the tools that the request offers", () => {
  const table: readonly (readonly [readonly object[], string, unknown[]])[] = [
    [loopTools, "read notes.md", [undefined, "read_file", { path: "notes.md" }]],
    [loopTools, "Please read the file `src/a.md`.", [undefined, "read_file", { path: "src/a.md" }]],
    [loopTools, 'could you show me the file "a.txt"?', [undefined, "read_file", { path: "a.txt" }]],
    [loopTools, "What is in notes.md?", [undefined, "read_file", { path: "notes.md" }]],
    [loopTools, "search for blue whales", [undefined, "session_search", { query: "blue whales" }]],
    [loopTools, "what did we say about Ada's cake?", [undefined, "session_search", { query: "Ada's cake" }]],
    [loopTools, "What did we decide about the cake?", [undefined, "session_search", { query: "the cake" }]],
    [
      loopTools,
      'write "hi there" to a.txt',
      [undefined, "write_file", { path: "a.txt", content: "hi there\n" }],
    ],
    [
      loopTools,
      "write notes/a.md: hello\nthere's more",
      [undefined, "write_file", { path: "notes/a.md", content: "hello\nthere's more\n" }],
    ],
    [
      loopTools,
      'replace "blue whale" with "cat" in a.txt',
      [undefined, "patch", { path: "a.txt", edits: [{ old: "blue whale", new: "cat" }] }],
    ],
    [
      loopTools,
      "Please search the files for a(b.",
      [undefined, "search_files", { pattern: "a(b", literal: true }],
    ],
    [
      loopTools,
      "search for whales in my files",
      [undefined, "search_files", { pattern: "whales", literal: true }],
    ],
    [
      [fn("search_files", "pattern", "literal")],
      "search for whales",
      [undefined, "search_files", { pattern: "whales", literal: true }],
    ],
    [
      [fn("terminal", "command")],
      "write a.txt: it's",
      [undefined, "terminal", { command: "printf '%s' 'it'\\''s\n' > 'a.txt'" }],
    ],
    [codexTools, "what did we say about cake?", ["talaria", "session_search", { query: "cake" }]],
    [codexTools, "run echo 'a b' > c.txt", [undefined, "exec_command", { cmd: "echo 'a b' > c.txt" }]],
    [codexTools, "list files", [undefined, "exec_command", { cmd: "ls -a" }]],
    [codexTools, "read notes.md", [undefined, "exec_command", { cmd: "cat -- 'notes.md'" }]],
    [[fn("terminal", "command")], "list the files here", [undefined, "terminal", { command: "ls -a" }]],
  ];
  for (const [tools, words, wanted] of table)
    assert.deepEqual(call(asked(tools, user(words))), wanted, words);
});

test("a tool that takes free text gets it as such", () => {
  assert.deepEqual(replyByRules(asked(codexTools, user("write a.txt: one\ntwo"))).content, [
    {
      kind: "custom",
      tool: "apply_patch",
      input: "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch",
    },
  ]);
});

test("a trick without its tool is not tried, and the answer lists what is possible here", () => {
  const answer = text(asked([fn("session_search", "query")], user("read notes.md")));
  assert.match(answer, /“search for X”/);
  assert.doesNotMatch(answer, /“read FILE”|“run CMD”/);
  assert.match(answer, /\n\nFor real answers, choose a model: `talaria setup`\.$/);
  assert.match(text(asked(codexTools, user("prove Fermat's theorem"))), /“run CMD”/);
});

test("what a tool gave back is told, long output only in its beginning", () => {
  const read = [user("read notes.md"), ...called("read_file", "line\n".repeat(50))];
  const answer = text(asked(loopTools, ...read));
  assert.match(answer, /notes\.md.*\n\nline\n/);
  assert.match(answer, /30 more lines/);
  const run = [
    user("run echo hi"),
    ...called("exec_command", "Chunk ID: 1\nWall time: 0\nProcess exited with code 0\nOutput:\nhi\n"),
  ];
  assert.equal(text(asked(codexTools, ...run)), "I ran `echo hi`. The output:\n\nhi");
  const silent = [user("run true"), ...called("exec_command", [{ type: "input_text", text: "" }])];
  assert.match(text(asked(codexTools, ...silent)), /\(nothing\)/);
  const foreign = [user("do magic"), ...called("wand", "poof")];
  assert.match(text(asked([], ...foreign)), /wand answered:\n\npoof/);
});

test("only results after the last words of the person count", () => {
  const turn = [user("read notes.md"), ...called("read_file", "old"), user("read other.md")];
  assert.deepEqual(call(asked(loopTools, ...turn)), [undefined, "read_file", { path: "other.md" }]);
});

test("the conversation is remembered", () => {
  const before = [
    user("My name is Ada, hello"),
    { role: "assistant", content: [{ type: "output_text", text: "hi" }] },
  ];
  assert.match(text(asked([], user("my name is Ada"))), /Nice to meet you, Ada/);
  assert.match(text(asked([], ...before, user("what is my name?"))), /Your name is Ada/);
  assert.match(text(asked([], ...before, user("What did I say first?"))), /“My name is Ada, hello”/);
  assert.match(text(asked([], user("what is my name?"))), /have not told me/);
});

test("what is kept between conversations is added by a tool and read in the instructions", () => {
  const memory = fn("memory", "action", "target", "content", "old_text");
  const kept = [undefined, "memory", { action: "add", target: "user", content: "I indent with tabs" }];
  for (const words of ["remember that I indent with tabs", "Please remember: I indent with tabs."])
    assert.deepEqual(call(asked([memory], user(words))), kept, words);
  const asks = "What do you know about me?";
  assert.match(text(asked([memory], user(asks))), /^Nothing that was there/);
  const told =
    "# You\n\n## Memory of the person, USER.md (9%: 10 of 99 characters, 2 entries)\n- indents with tabs (2026-01-31)\n- is Ada,\n  a developer\n\n## Skills\n- deploy: ships it";
  const answer = "From earlier conversations I know:\n\n- indents with tabs\n- is Ada,\n  a developer";
  const developer = { role: "developer", type: "message", content: [{ type: "input_text", text: told }] };
  assert.equal(text(asked([memory], developer, user(asks))), answer);
  const body = {
    model: "demo",
    messages: [
      { role: "system", content: told },
      { role: "user", content: asks },
    ],
  };
  assert.equal(text(fromChat(body)), answer);
  assert.equal(text(fromResponses({ model: "demo", instructions: told, input: [user(asks)] })), answer);
});

test("a look back at the conversation finds nothing", () => {
  const look = reviewPrompt(["memory", "skills"]);
  assert.equal(
    text(asked([fn("memory", "action", "content")], user("remember that I ski"), user(look))),
    "NOTHING",
  );
});

test("what a runtime puts into user messages is not what the person said", () => {
  const noise = [
    user("<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"),
    user("# AGENTS.md instructions for /w\n\nmy name is Noise"),
    user("first words"),
    user("<turn_aborted>\nstopped\n</turn_aborted>"),
  ];
  assert.match(text(asked([], ...noise, user("what did I say first?"))), /“first words”/);
  const after = [user("read notes.md"), user("<turn_aborted>\nstopped\n</turn_aborted>")];
  assert.deepEqual(call(asked(loopTools, ...after))[1], "read_file");
});

test("tools that codex sends as an input item count too", () => {
  const tools = [{ type: "namespace", name: "functions", tools: [fn("exec_command", "cmd")] }];
  const added = { type: "additional_tools", role: "developer", tools };
  assert.deepEqual(call(asked([], added, user("list files"))), [undefined, "exec_command", { cmd: "ls -a" }]);
});

test("tools that codex only describes in its code mode can be used", () => {
  const description = "Run JavaScript\n\n### `exec_command`\nRuns\n\n### `talaria__session_search`\nFinds";
  const tools = [{ type: "custom", name: "exec", description }];
  assert.deepEqual(call(asked(tools, user("list files"))), [undefined, "exec_command", { cmd: "ls -a" }]);
  assert.deepEqual(call(asked(tools, user("search for x"))), ["talaria", "session_search", { query: "x" }]);
});

test("chat completions are understood the same way", () => {
  const tools = loopTools.map(({ name, parameters }) => ({
    type: "function",
    function: { name, parameters },
  }));
  const messages = [
    { role: "system", content: "x" },
    { role: "user", content: [{ type: "text", text: "read a.md" }] },
  ];
  const first = fromChat({ model: "demo", stream: true, tools, messages });
  assert.deepEqual(call(first), [undefined, "read_file", { path: "a.md" }]);
  const result = [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", function: { name: "read_file", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "inside" },
  ];
  assert.match(
    text(fromChat({ tools, messages: [...messages, ...result] })),
    /read_file for a\.md.*\n\ninside/,
  );
});

test("a request that makes no sense is answered all the same", () => {
  for (const body of [
    {},
    { input: "hello" },
    { input: [1, null, { type: 3 }], tools: ["x", { type: "function" }] },
  ])
    assert.ok(text(fromResponses(body)).length > 0);
  assert.ok(text(fromChat({ messages: "?" })).length > 0);
});
