import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../lib/clock.ts";
import type { NotificationFrame, RequestFrame } from "../connection/frame.ts";
import { threadFeed } from "../connection/thread-feed.ts";
import type { AppServer } from "../process/app-server.ts";
import { stopStrayTurn } from "./stray-turn.ts";

const scope = { threadId: "T", turnId: "U" };

test("a turn of codex's own is interrupted at once; what it did and wanted until its end is told", async () => {
  const asked: string[] = [];
  const source = threadFeed({ clock: systemClock, onDispose: () => {} });
  const push = (method: string, params: object): void =>
    source.push({ kind: "notification", method, params: { ...scope, ...params } }, 1, true);
  const server = {
    pid: 1,
    epoch: 1,
    async request(method: string) {
      asked.push(method);
      return {};
    },
  } as unknown as AppServer;
  const { feed } = source;
  const others: string[] = [];
  const onOther = async ({ method }: NotificationFrame): Promise<void> => void others.push(method);
  const fixture = { ...scope, cwd: "/w", clock: systemClock, redact: String };
  const stopped = stopStrayTurn({ server, feed, ...fixture, onOther });
  assert.deepEqual(asked, ["turn/interrupt"]);
  const command = { type: "commandExecution", id: "c1", command: "date", status: "completed", exitCode: 0 };
  push("item/started", { item: { ...command, status: "inProgress" } });
  push("item/completed", { item: { ...command, aggregatedOutput: "today" } });
  const answered = Promise.withResolvers<unknown>();
  const request: RequestFrame = {
    kind: "request",
    id: 0,
    method: "item/commandExecution/requestApproval",
    params: { ...scope, itemId: "c2", command: "rm -f precious", cwd: "/w" },
    respond: answered.resolve,
    fail: (_code, message) => answered.reject(new Error(message)),
  };
  source.push(request, 1, true);
  const last = {
    inputTokens: 5,
    cachedInputTokens: 0,
    outputTokens: 2,
    reasoningOutputTokens: 0,
    totalTokens: 7,
  };
  push("thread/tokenUsage/updated", { tokenUsage: { total: last, last, modelContextWindow: null } });
  assert.deepEqual(await answered.promise, { decision: "decline" });
  push("item/completed", { turnId: "earlier", item: { ...command, id: "c0" } });
  push("turn/completed", { turn: { id: "U", status: "interrupted", items: [] } });
  const { items, refused, ended } = await stopped;
  assert.deepEqual(others, ["item/completed"], "what is about another turn is not dropped");
  assert.partialDeepStrictEqual(items, [{ kind: "call", tool: "exec_command", output: "today" }]);
  assert.partialDeepStrictEqual(refused, [{ summary: "rm -f precious", tool: "exec_command" }]);
  assert.match(refused[0]?.refused ?? "", /nothing that was asked for here/);
  assert.deepEqual([ended.outcome, ended.usage?.input, ended.usage?.output], ["interrupted", 5, 2]);
});
