import assert from "node:assert/strict";
import { mkdir, mkdtempDisposable, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Answers, Decision, Form, Question } from "../../../core/asking.ts";
import { actionHash } from "../../../approvals/action-hash.ts";
import { shownLines } from "../../../approvals/shown.ts";
import type { ToolBox } from "../../../tools/tool.ts";
import type { RequestFrame } from "../connection/frame.ts";
import { type RequestContext, answerRequest } from "./server-requests.ts";

type Answered = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
};

async function ask(
  method: string,
  params: object,
  also: { choice?: Decision["choice"]; answers?: Answers; context?: Partial<RequestContext> } = {},
): Promise<{
  readonly answered: readonly Answered[];
  readonly questions: readonly Question[];
  readonly forms: readonly Form[];
}> {
  const answered: Answered[] = [];
  const questions: Question[] = [];
  const forms: Form[] = [];
  const request: RequestFrame = {
    kind: "request",
    id: 0,
    method,
    params,
    respond: (result) => void answered.push({ result }),
    fail: (code, message) => void answered.push({ error: { code, message } }),
  };
  await answerRequest(request, {
    ports: {
      ask: async (question) => {
        questions.push(question);
        return { choice: also.choice ?? "deny", why: "not_asked" };
      },
      inquire: async (form) => {
        forms.push(form);
        return also.answers;
      },
      tools: {
        specs: [],
        enabled: [],
        call: async (name, args) => ({ ok: true, output: `${name} ${JSON.stringify(args)}` }),
      },
    },
    cwd: "/session",
    thread: "T",
    epoch: "7.1",
    signal: new AbortController().signal,
    stop: new AbortController().signal,
    offered: new Set(["session_search"]),
    onProgress: () => {},
    headOf: () => undefined,
    changesOf: async () => undefined,
    ...also.context,
  });
  return { answered, questions, forms };
}

describe("a request of codex", () => {
  const command = { itemId: "i1", command: "rm -f x", cwd: "/w", reason: "May I?" };

  for (const [choice, decision] of [
    ["deny", "decline"],
    ["once", "accept"],
    ["always", "accept"],
    ["session", "accept"],
  ] as const) {
    test(`for a command is answered ${decision} when the decision is ${choice}`, async () => {
      const { answered, questions } = await ask("item/commandExecution/requestApproval", command, { choice });
      assert.deepEqual(answered, [{ result: { decision } }]);
      assert.deepEqual(questions, [
        {
          tool: "exec_command",
          args: { command: "rm -f x", cwd: "/w" },
          cwd: "/w",
          effect: "local",
          action: { kind: "command", command: "rm -f x", fence: "unknown" },
          summary: "rm -f x",
          reason: "May I?",
          origin: { thread: "T", epoch: "7.1", request: "0", item: "i1" },
        },
      ]);
    });
  }

  test("for a command that may do more than it could shows that, and it is another action", async () => {
    const method = "item/commandExecution/requestApproval";
    const wanted = { network: { enabled: true }, fileSystem: { read: null, write: ["/var/tmp"] } };
    const context = { host: "example.com", protocol: "https" };
    const nothing = { additionalPermissions: null, networkApprovalContext: null };
    const [plain, more, other, reaching] = await Promise.all(
      [
        nothing,
        { additionalPermissions: wanted },
        { additionalPermissions: { ...wanted, network: null } },
        { networkApprovalContext: context },
      ].map(async (each) => (await ask(method, { ...command, ...each })).questions[0]),
    );
    assert.ok(plain && more && other && reaching);
    assert.deepEqual(plain.args, { command: "rm -f x", cwd: "/w" });
    assert.deepEqual(more.args, { command: "rm -f x", cwd: "/w", additionalPermissions: wanted });
    assert.match(more.summary, /^rm -f x \(with more permissions: .*"\/var\/tmp"/);
    assert.equal(reaching.summary, "rm -f x (to reach example.com by https)");
    for (const [asked, word] of [
      [more, /"\/var\/tmp"/],
      [reaching, /"example\.com"/],
    ] as const)
      assert.match(shownLines(asked, "codex").join("\n"), word);
    const hashes = [plain, more, other, reaching].map((asked) => actionHash(asked, "folder"));
    assert.equal(new Set(hashes).size, 4);
  });

  test("without command and cwd is still shown with words and a folder", async () => {
    const { questions } = await ask("item/commandExecution/requestApproval", { command: null, cwd: null });
    assert.equal(questions[0]?.cwd, "/session");
    assert.match(questions[0]?.summary ?? "", /did not say which command/);
  });

  test("for a patch says what it would change", async () => {
    const changes = ["a", "b", "c", "d"].map((path, at) => {
      return { path, kind: at === 0 ? "add" : "update", movePath: undefined, diff: "" };
    });
    const context = { changesOf: async () => changes };
    const { answered, questions } = await ask(
      "item/fileChange/requestApproval",
      { itemId: "i" },
      { context },
    );
    assert.equal(questions[0]?.summary, "apply_patch: 1 add, 3 update: a, b, c, +1 more");
    assert.partialDeepStrictEqual(questions[0]?.action, {
      kind: "change",
      changes: [{ path: "/session/a", kind: "add" }, { path: "/session/b", kind: "update" }, {}, {}],
    });
    assert.deepEqual(answered, [{ result: { decision: "decline" } }]);
  });

  test("for a patch that moves a file names both places", async () => {
    const changes = [{ path: "a", kind: "update", movePath: "/elsewhere/b", diff: "" }];
    const { questions } = await ask(
      "item/fileChange/requestApproval",
      { itemId: "i" },
      { context: { changesOf: async () => changes } },
    );
    assert.partialDeepStrictEqual(questions[0]?.action, {
      changes: [
        { path: "/session/a", kind: "move" },
        { path: "/elsewhere/b", kind: "add" },
      ],
    });
  });

  test("that the person stops is cancelled, and one that codex has settled gets no answer", async () => {
    const aborted = AbortSignal.abort();
    const method = "item/commandExecution/requestApproval";
    const stopped = await ask(method, command, {
      choice: "once",
      context: { signal: aborted, stop: aborted },
    });
    assert.deepEqual(stopped.answered, [{ result: { decision: "cancel" } }]);
    const settled = await ask(method, command, { choice: "once", context: { signal: aborted } });
    assert.deepEqual(settled.answered, []);
  });

  test("for a patch nobody knows is never empty", async () => {
    const { questions } = await ask("item/fileChange/requestApproval", { itemId: "i", grantRoot: "/big" });
    assert.equal(questions[0]?.summary, "apply_patch: details not available (grants write to /big)");
  });

  test("for permissions is refused by an empty grant, in the shape that codex reads", async () => {
    const permissions = { network: { enabled: true } };
    const method = "item/permissions/requestApproval";
    assert.deepEqual((await ask(method, { permissions })).answered, [
      { result: { permissions: {}, scope: "turn" } },
    ]);
    const granted = (await ask(method, { permissions }, { choice: "once" })).answered;
    assert.deepEqual(granted, [{ result: { permissions, scope: "turn" } }]);
    const lasting = (await ask(method, { permissions }, { choice: "session" })).answered;
    assert.deepEqual(
      lasting,
      [{ result: { permissions, scope: "turn" } }],
      "codex asks again, and we answer",
    );
  });

  test("for an MCP tool is decided like any action, whatever the server calls itself", async () => {
    const params = {
      serverName: "talaria-tools",
      message: "Allow?",
      mode: "form",
      _meta: { codex_approval_kind: "mcp_tool_call", tool_params: { a: 1 } },
    };
    const method = "mcpServer/elicitation/request";
    assert.deepEqual((await ask(method, params)).answered, [
      { result: { action: "decline", content: null } },
    ]);
    const { answered: session, questions } = await ask(method, params, { choice: "session" });
    assert.deepEqual(questions[0]?.args, { server: "talaria-tools", message: "Allow?", arguments: { a: 1 } });
    const unseen = await ask(method, { ...params, _meta: { codex_approval_kind: "mcp_tool_call" } });
    assert.deepEqual(unseen.questions[0]?.action, { kind: "tool", unseen: true });
    assert.deepEqual(session, [{ result: { action: "accept", content: {} } }]);
  });

  test("of an MCP server for a form is answered with the person's words in the right types", async () => {
    const properties = { name: { type: "string" }, count: { type: "integer" }, sure: { type: "boolean" } };
    const params = {
      serverName: "s",
      message: "Fill in",
      mode: "form",
      _meta: null,
      requestedSchema: { properties },
    };
    const answers = { name: "Ada", count: "3", sure: "yes" };
    const { answered, forms } = await ask("mcpServer/elicitation/request", params, { answers });
    assert.deepEqual(answered, [
      { result: { action: "accept", content: { name: "Ada", count: 3, sure: true } } },
    ]);
    assert.deepEqual(
      forms[0]?.fields.map((field) => field.name),
      ["name", "count", "sure"],
    );
  });

  test("to open an address is declined", async () => {
    const params = { serverName: "s", message: "Log in", mode: "url", url: "https://example.org" };
    const { answered } = await ask("mcpServer/elicitation/request", params, { choice: "once", answers: {} });
    assert.deepEqual(answered, [{ result: { action: "decline", content: null } }]);
  });

  test("for user input that nobody gives is an error, not silence", async () => {
    const params = { questions: [{ id: "q", question: "Which?", options: [{ label: "A" }] }] };
    const none = await ask("item/tool/requestUserInput", params);
    assert.match(none.answered[0]?.error?.message ?? "", /nobody was there/);
    const given = await ask("item/tool/requestUserInput", params, { answers: { q: "A" } });
    assert.deepEqual(given.answered, [{ result: { answers: { q: { answers: ["A"] } } } }]);
  });

  test("for a host tool runs only what was offered, in our namespace", async () => {
    const call = { tool: "session_search", namespace: "talaria", arguments: { query: "x" } };
    const ran = (await ask("item/tool/call", call)).answered[0]?.result;
    assert.deepEqual(ran, {
      contentItems: [{ type: "inputText", text: 'session_search {"query":"x"}' }],
      success: true,
    });
    for (const other of [
      { ...call, tool: "terminal" },
      { ...call, namespace: "evil" },
    ]) {
      const refused = (await ask("item/tool/call", other)).answered[0]?.result as { success: boolean };
      assert.equal(refused.success, false);
    }
  });

  test("for a host tool shows what it writes while it runs, and says of which call it is", async () => {
    const told: unknown[] = [];
    const call = { callId: "c1", tool: "session_search", namespace: "talaria" };
    const ports = {
      ask: async () => ({ choice: "deny", why: "not_asked" }) as const,
      inquire: async () => undefined,
      tools: {
        specs: [],
        enabled: [],
        async call(...[, , , progress]: Parameters<ToolBox["call"]>) {
          progress?.("half ");
          progress?.("done");
          return { ok: true, output: "done" };
        },
      },
    };
    const onProgress: RequestContext["onProgress"] = (of, text) => told.push([of, text]);
    const { answered } = await ask("item/tool/call", call, { context: { ports, onProgress } });
    assert.deepEqual(told, [
      [call, "half "],
      [call, "done"],
    ]);
    assert.equal(answered.length, 1);
  });

  test("in the old words is answered in the old words", async () => {
    const { answered } = await ask("execCommandApproval", { command: ["rm", "x"], cwd: "/w" });
    assert.deepEqual(answered, [{ result: { decision: "denied" } }]);
    const patch = await ask("applyPatchApproval", { fileChanges: { a: {} } }, { choice: "session" });
    assert.deepEqual(patch.answered, [{ result: { decision: "approved" } }]);
  });

  for (const method of ["something/new", "constructor", "attestation/generate"]) {
    test(`that we do not know (${method}) is refused at once`, async () => {
      const { answered } = await ask(method, {});
      assert.equal(answered[0]?.error?.code, -32601);
    });
  }
});

test("a yes to a patch is none when its path leads elsewhere by then", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "talaria-patch-"));
  const [cwd, link] = [folder.path, join(folder.path, "docs")];
  for (const name of ["shown", "other"]) await mkdir(join(cwd, name));
  await symlink("shown", link);
  const swapped = async (): Promise<Decision> => {
    await rm(link);
    await symlink("other", link);
    return { choice: "once", why: "person" };
  };
  const changesOf: RequestContext["changesOf"] = async () => [
    { path: join(link, "a"), kind: "add", movePath: undefined, diff: "+a" },
  ];
  for (const [answer, decision] of [
    [async (): Promise<Decision> => ({ choice: "once", why: "person" }), "accept"],
    [swapped, "decline"],
  ] as const) {
    const ports = { ask: answer, inquire: async () => undefined, tools: noTools };
    const context = { cwd, changesOf, ports };
    const { answered } = await ask("item/fileChange/requestApproval", { itemId: "i1" }, { context });
    assert.deepEqual(answered, [{ result: { decision } }]);
  }
});

const noTools: ToolBox = { specs: [], enabled: [], call: async () => ({ ok: false, output: "" }) };
