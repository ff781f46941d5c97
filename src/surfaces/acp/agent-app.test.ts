import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { agentApp } from "./agent-app.ts";
import type { OpenSession } from "./open-session.ts";
import type { OpenSessions } from "./sessions.ts";
import { stdioStream } from "./stdio.ts";

const prompt = (text: string): object => ({ sessionId: "s", prompt: [{ type: "text", text }] });

test("messages that come at once are begun in their order, whatever they are", async () => {
  const begun: string[] = [];
  const all = Promise.withResolvers<void>();
  const note = (what: string): void => {
    begun.push(what);
    if (begun.length === 5) all.resolve();
  };
  const session = {
    prompt: async ([block]) => {
      note(block?.type === "text" ? block.text : "?");
      return { stopReason: "end_turn" as const };
    },
    cancel: async () => note("cancel"),
    choose: async (_setting, value) => {
      note(value);
      throw new Error("no matter");
    },
  } as Partial<OpenSession> as OpenSession;
  const sessions = { get: () => session } as Partial<OpenSessions> as OpenSessions;
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const app = agentApp(sessions, "1.0.0");
  const connection = app.connect(stdioStream({ stdin, stdout }, { clock: systemClock, log: assert.fail }));
  const messages = [
    { id: 1, method: "initialize", params: { protocolVersion: 1 } },
    { id: 2, method: "session/prompt", params: prompt("one") },
    { method: "session/cancel", params: { sessionId: "s" } },
    { id: 3, method: "session/prompt", params: prompt("two") },
    { id: 4, method: "session/set_mode", params: { sessionId: "s", modeId: "codex" } },
    { id: 5, method: "session/prompt", params: prompt("three") },
  ];
  stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
  await all.promise;
  assert.deepEqual(begun, ["one", "cancel", "two", "codex", "three"]);
  stdin.end();
  await connection.closed;
});
