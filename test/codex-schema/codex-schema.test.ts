import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readCodexSchema, type CodexSchema } from "./codex-schema.ts";
import { generateCodexSchema } from "./pinned-codex.ts";

describe("the schema of the pinned codex", () => {
  let schema: CodexSchema & AsyncDisposable;
  before(async () => {
    schema = await generateCodexSchema();
  });
  after(() => schema[Symbol.asyncDispose]());
  const client = (frame: object): string[] => schema.conversation().validateClientFrame(frame);

  test("a request is judged by its method, and fields that codex would ignore count", () => {
    const start = (params: object) => client({ id: 1, method: "thread/start", params });
    assert.deepEqual(start({ cwd: "/w", config: { "mcp_servers.x": { url: "http://x" } } }), []);
    assert.deepEqual(start({ cwd: 3 }), ["/params/cwd: should be string or null, is 3"]);
    assert.deepEqual(start({ approval_policy: "never" }), ['/params: unknown property "approval_policy"']);
    assert.equal(start({ approvalPolicy: "on-failure" }).length, 1);
    assert.deepEqual(client({ id: 1, method: "turn/start", params: { threadId: "t" } }), [
      '/params: "input" is missing',
    ]);
    assert.match(client({ id: 1, method: "thread/compact", params: {} })[0] ?? "", /no such request/);
    assert.match(client({ id: 1, method: "thread/read" })[0] ?? "", /"params" is missing/);
    assert.match(client({ id: null, method: "thread/read", params: { threadId: "t" } })[0] ?? "", /^\/id/);
  });

  test("an answer is judged by what was asked, also long after", () => {
    const judge = schema.conversation();
    const params = { threadId: "t", turnId: "u", callId: "c", namespace: null, tool: "x", arguments: {} };
    assert.deepEqual(judge.validateServerFrame({ id: 0, method: "item/tool/call", params }), []);
    const answer = (result: object) => judge.validateClientFrame({ id: 0, result });
    assert.deepEqual(answer({ contentItems: [{ type: "inputText", text: "ok" }], success: true }), []);
    assert.match(
      answer({ content: [], success: true })[0] ?? "",
      /item\/tool\/call answer .*"contentItems" is missing/,
    );
    assert.match(
      answer({ contentItems: [{ type: "text", text: "x" }], success: true })[0] ?? "",
      /contentItems\/0/,
    );
    assert.deepEqual(judge.validateClientFrame({ id: 0, error: { code: -32601, message: "no" } }), []);
    assert.match(judge.validateClientFrame({ id: 0, error: "no" })[0] ?? "", /error/);
    assert.match(judge.validateClientFrame({ id: 7, result: {} })[0] ?? "", /not asked/);
  });

  test("codex's own frames are judged too, but may hold more than we know", () => {
    const judge = schema.conversation();
    const params = { threadId: "t", status: { type: "idle" }, news: 1 };
    assert.deepEqual(
      judge.validateServerFrame({ method: "thread/status/changed", params, emittedAtMs: 1 }),
      [],
    );
    assert.equal(judge.validateServerFrame({ method: "thread/status/changed", params: {} }).length, 2);
    judge.validateClientFrame({ id: 5, method: "turn/interrupt", params: { threadId: "t", turnId: "u" } });
    assert.deepEqual(judge.validateServerFrame({ id: 5, result: {} }), []);
    assert.match(judge.validateServerFrame({ id: 6, result: {} })[0] ?? "", /not asked/);
  });

  test("the eleven requests of codex are known, each with the shape of its answer", () => {
    assert.equal(schema.serverMethods.length, 11);
    for (const method of schema.serverMethods) {
      const judge = schema.conversation();
      judge.heed({ id: 0, method });
      assert.notDeepEqual(
        judge.validateClientFrame({ id: 0, result: {} }),
        [],
        `anything goes as an answer to ${method}`,
      );
    }
  });

  test("a bundle with a keyword that we do not check is refused", async () => {
    const file = join(schema.file, "../strange.json");
    await writeFile(file, JSON.stringify({ definitions: { A: { pattern: "x" } } }));
    assert.throws(() => readCodexSchema(file), /#\/definitions\/A\/pattern/);
  });
});
