import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { startDemoModel, type DemoModel } from "../../../test/fakes/demo-model.ts";

const post = (demo: DemoModel, path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(demo.url + path, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** The frames of an answer, read apart from our own client. */
async function frames(response: Response): Promise<readonly Record<string, unknown>[]> {
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
}

test("lists its one model, and says where it answers", async () => {
  await using demo = await startDemoModel({ clock: systemClock });
  assert.match(demo.url, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  const models = await (await fetch(`${demo.url}/models`)).json();
  assert.partialDeepStrictEqual(models, { data: [{ id: "demo" }] });
  const lost = await post(demo, "/completions", {});
  assert.equal(lost.status, 404);
  assert.match(await lost.text(), /\/v1\/responses/);
  assert.equal((await fetch(`${demo.url}/responses`)).status, 404);
  assert.equal((await post(demo, "/responses", "{not json")).status, 400);
  assert.equal(demo.total, 0);
});

test("speaks the Responses API as codex needs it", async () => {
  const script = parseDemoScript({
    steps: [
      {
        reply: [
          { reasoning: { summary: "Hm.", raw: "raw" } },
          { text: "Hello there", phase: "commentary" },
          { call: { tool: "?search", args: { query: "x" } } },
          { custom: { tool: "apply_patch", input: "*** Begin Patch" } },
        ],
      },
    ],
  });
  await using demo = await startDemoModel({ clock: systemClock, script });
  const tools = [
    { type: "namespace", name: "talaria", tools: [{ type: "function", name: "session_search" }] },
  ];
  const response = await post(demo, "/responses", { stream: true, input: "hi", tools });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const said = await frames(response);
  assert.equal(said[0]?.["type"], "response.created");
  assert.equal(said.at(-1)?.["type"], "response.completed");
  assert.deepEqual(
    said.map((frame) => frame["sequence_number"]),
    said.map((_, at) => at),
  );
  const done = said.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
  assert.partialDeepStrictEqual(done, [
    { type: "reasoning", summary: [{ text: "Hm." }], content: [{ text: "raw" }] },
    { type: "message", phase: "commentary", content: [{ type: "output_text", text: "Hello there" }] },
    { type: "function_call", name: "session_search", namespace: "talaria", arguments: '{"query":"x"}' },
    { type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch" },
  ]);
  assert.partialDeepStrictEqual(said.at(-1), { response: { status: "completed", output: done } });
  const last = said.at(-1) as { response: { usage: Record<string, number> } };
  const { input_tokens = 0, output_tokens = 0, total_tokens } = last.response.usage;
  assert.ok(input_tokens > 0 && output_tokens > 0);
  assert.equal(total_tokens, input_tokens + output_tokens);
});

test("answers whole when nobody asked for a stream, and the same request always the same", async () => {
  await using demo = await startDemoModel({ clock: systemClock });
  const ask = async (path: string, body: object) => (await post(demo, path, body)).json();
  const body = { model: "demo", input: "hello" };
  const answer = await ask("/responses", body);
  assert.partialDeepStrictEqual(answer, { object: "response", output: [{ type: "message" }] });
  assert.deepEqual(await ask("/responses", body), answer);
  const chat = await ask("/chat/completions", { messages: [{ role: "user", content: "hello" }] });
  assert.partialDeepStrictEqual(chat, {
    choices: [{ finish_reason: "stop", message: { role: "assistant" } }],
  });
});

test("records requests without the key and tells who waits for one", async () => {
  const heard: number[] = [];
  await using demo = await startDemoModel({ clock: systemClock, onRequest: ({ n }) => heard.push(n) });
  const second = demo.waitForRequest(2);
  await (await post(demo, "/responses", { input: "one" }, { authorization: "Bearer sk", "x-a": "b" })).text();
  await (await post(demo, "/chat/completions", { messages: [] })).text();
  assert.equal((await second).path, "/v1/chat/completions");
  const first = await demo.waitForRequest(1);
  assert.deepEqual(first, demo.requests[0]);
  assert.deepEqual(
    [first.body, first.headers["x-a"], first.headers["authorization"]],
    [{ input: "one" }, "b", undefined],
  );
  assert.deepEqual(heard, [1, 2]);
});

test("keeps only the newest requests when it runs for long", async () => {
  await using demo = await startDemoModel({ clock: systemClock });
  for (let n = 0; n < 23; n += 1) await (await post(demo, "/responses", { input: "hello" })).text();
  assert.deepEqual([demo.total, demo.requests.length, demo.requests[0]?.n], [23, 20, 4]);
  await assert.rejects(demo.waitForRequest(1), /no longer kept/);
});

test("refuses and counts requests beyond the script's limit", async () => {
  const script = parseDemoScript({ maxRequests: 1, otherwise: [{ text: "again" }] });
  await using demo = await startDemoModel({ clock: systemClock, script });
  assert.equal((await post(demo, "/responses", { input: "a" })).status, 200);
  const refused = await post(demo, "/responses", { input: "b" });
  assert.equal(refused.status, 500);
  assert.match(await refused.text(), /allows 1 requests/);
  assert.equal(demo.total, 2);
});

test("closes although an answer hangs", async () => {
  const demo = await startDemoModel({
    clock: systemClock,
    script: parseDemoScript({ otherwise: [{ text: "wait" }, { hang: true }] }),
  });
  const response = await post(demo, "/responses", { stream: true, input: "a" });
  await demo[Symbol.asyncDispose]();
  await assert.rejects(response.text());
});

test("cuts the connection even after the last frame", async () => {
  const script = parseDemoScript({ otherwise: [{ text: "bye" }, { cut: { afterFrames: 999 } }] });
  await using demo = await startDemoModel({ clock: systemClock, script });
  const response = await post(demo, "/responses", { stream: true, input: "a" });
  await assert.rejects(response.text());
});

test("neither the server nor the client loads zod", async () => {
  const seen = new Set<string>();
  async function walk(file: URL): Promise<void> {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    const source = await readFile(file, "utf8");
    for (const [, name] of source.matchAll(/^(?:import|export) (?!type )[^;]*? from "([^"]+)"/gm)) {
      assert.notEqual(name, "zod", file.pathname);
      if (name?.startsWith(".") === true) await walk(new URL(name, file));
    }
  }
  await walk(new URL("server.ts", import.meta.url));
  await walk(new URL("../stream.ts", import.meta.url));
  assert.ok(seen.size > 15, "the walk found the files");
});
