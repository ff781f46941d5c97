import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { readTurnError } from "./error-info.ts";
import { itemDrift, readItem } from "./item.ts";
import { isIdleMethod } from "./methods.ts";
import { readLimits } from "./rate-limits.ts";
import { rpcProblem } from "./rpc-error.ts";
import { scopeOf, threadIdOf, turnIdOf } from "./scope.ts";
import { readTokenUsage } from "./token-usage.ts";
import { readThreadStatus, readTurn } from "./turn.ts";

describe("codex's frames", () => {
  test("the thread id is found wherever a version puts it", () => {
    assert.deepEqual(threadIdOf({ thread: { id: "a", sessionId: "b" }, threadId: "c" }), { id: "a" });
    assert.deepEqual(threadIdOf({ thread: { sessionId: "b" } }), { id: "b" });
    assert.deepEqual(threadIdOf({ sessionId: "c" }), { id: "c" });
    assert.deepEqual(threadIdOf({ threadId: "d" }), { id: "d" });
  });

  test("a reply without a thread id is named by what it has", () => {
    assert.deepEqual(threadIdOf({ thread: { id: "" }, model: "m" }), { missing: "thread, model" });
    assert.deepEqual(threadIdOf(null), { missing: "no fields" });
  });

  test("the turn id of a reply", () => {
    assert.equal(turnIdOf({ turn: { id: "u" } }), "u");
    assert.equal(turnIdOf({ turnId: "u" }), "u");
    assert.equal(turnIdOf({}), undefined);
  });

  test("the scope is read from the params, the thread, the turn and the item", () => {
    assert.deepEqual(scopeOf({ threadId: "t", turnId: "u", itemId: "i" }), {
      threadId: "t",
      turnId: "u",
      itemId: "i",
    });
    assert.deepEqual(scopeOf({ thread: { id: "t" }, turn: { id: "u" }, item: { id: "i" } }), {
      threadId: "t",
      turnId: "u",
      itemId: "i",
    });
    assert.deepEqual(scopeOf([1]), { threadId: undefined, turnId: undefined, itemId: undefined });
  });

  test("an error carries its kind and HTTP status, in either form", () => {
    assert.deepEqual(readTurnError({ message: "m", codexErrorInfo: "usageLimitExceeded" }), {
      message: "m",
      details: "",
      info: { kind: "usageLimitExceeded" },
    });
    const info = { httpConnectionFailed: { httpStatusCode: 401 } };
    assert.deepEqual(readTurnError({ message: "m", additionalDetails: "d", codexErrorInfo: info }), {
      message: "m",
      details: "d",
      info: { kind: "httpConnectionFailed", httpStatus: 401 },
    });
    assert.deepEqual(readTurnError("plain"), { message: "plain", details: "" });
    assert.equal(readTurnError(null), undefined);
  });

  test("a turn and a thread status are read as they come", () => {
    assert.deepEqual(readTurn({ id: "u", status: "failed", error: { message: "m" }, items: [1] }), {
      id: "u",
      status: "failed",
      error: { message: "m", details: "" },
      items: [1],
    });
    assert.deepEqual(readThreadStatus({ type: "active", activeFlags: ["waitingOnApproval", 7] }), {
      type: "active",
      flags: ["waitingOnApproval"],
    });
    assert.deepEqual(readThreadStatus({ type: "idle" }), { type: "idle", flags: [] });
  });

  test("token counts are never negative, and nothing is nothing", () => {
    const usage = readTokenUsage({
      total: { totalTokens: 10, inputTokens: -4 },
      last: { outputTokens: 2.7 },
      modelContextWindow: 0,
    });
    assert.deepEqual(usage, {
      total: { total: 10, input: 0, cached: 0, output: 0, reasoning: 0 },
      last: { total: 0, input: 0, cached: 0, output: 2, reasoning: 0 },
    });
    assert.equal(readTokenUsage({}), undefined);
  });

  test("limits name their windows, and the time at which work can go on", () => {
    const primary = { usedPercent: 100, windowDurationMins: 300, resetsAt: 1000 };
    const secondary = { usedPercent: 40.4, windowDurationMins: 10_080, resetsAt: 500 };
    assert.deepEqual(readLimits({ rateLimits: { primary, secondary } }), {
      text: "5 h: 100% used, 7 d: 40% used",
      resetsAt: 1_000_000,
    });
    assert.deepEqual(readLimits({ rateLimits: { primary: null, secondary } }), {
      text: "7 d: 40% used",
      resetsAt: 500_000,
    });
    assert.equal(readLimits({ rateLimits: { primary: null, secondary: null } }), undefined);
    const nonsense = { usedPercent: 3, windowDurationMins: 30, resetsAt: 1e300 };
    assert.deepEqual(readLimits({ rateLimits: { primary: nonsense } }), { text: "30 min: 3% used" });
  });

  test("what a refused request means", () => {
    const meanings = {
      "failed to load configuration: default_permissions requires a `[permissions]` table": "config",
      "thread 01a1 already has an active writer": "busy",
      "no rollout found for thread id 0000": "gone",
      "thread not found: 0000": "gone",
      "no active turn to interrupt": "idle",
      "Invalid request: unknown variant `thread/rollback`, expected one of `initialize`": "unsupported",
      "thread/start.dynamicTools requires experimentalApi capability": "unsupported",
      "error creating thread: required MCP servers failed to initialize: broken": "mcp",
      "remote image URLs are not supported; use an inline data URL instead": "other",
    };
    for (const [message, problem] of Object.entries(meanings)) assert.equal(rpcProblem(message), problem);
  });

  test("notifications for others are known, new ones are not", () => {
    assert.ok(
      ["thread/goal/cleared", "serverRequest/resolved", "remoteControl/status/changed"].every(isIdleMethod),
    );
    assert.ok(!isIdleMethod("turn/hologram"));
  });

  test("an item of any type is read; what is unknown of it is named", () => {
    assert.deepEqual(itemDrift(readItem({ type: "hologram" })), ["unknown without id", "item hologram"]);
    assert.deepEqual(itemDrift(readItem(7)), ["unknown without id", "item untyped"]);
    assert.deepEqual(itemDrift(readItem({ type: "agentMessage", id: "m", phase: "dream" })), ["phase dream"]);
    assert.deepEqual(itemDrift(readItem({ type: "fileChange", id: "f", status: "applied" })), [
      "fileChange status applied",
    ]);
    assert.deepEqual(itemDrift(readItem({ type: "commandExecution", id: "c", status: "declined" })), []);
  });

  test("no reader throws, whatever comes", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const read of [
          scopeOf,
          threadIdOf,
          turnIdOf,
          readTurnError,
          readItem,
          readLimits,
          readTokenUsage,
          readTurn,
          readThreadStatus,
        ])
          read(value);
      }),
    );
  });
});
