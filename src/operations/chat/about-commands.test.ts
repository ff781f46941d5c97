import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { call, fakeHost, listed, noSession, say } from "./fake-host.suite.ts";

describe("/status", () => {
  test("says what the next turn runs with and where that comes from", async () => {
    const own = listed(call.session, { title: "Mine", runtime: "codex", cwd: "/else", effort: "low" });
    const from = { ...call, choices: { model: "small", record: true }, attended: "yolo" } as const;
    assert.deepEqual((await say("/status", fakeHost({ sessions: [own] }), from)).text.split("\n"), [
      "talaria    1.2.3",
      "session    ses_here000001",
      "title      Mine",
      "turns      0",
      "model      small (mine), chosen for the next message",
      "runtime    codex, chosen in this session",
      "reasoning  low, chosen in this session",
      "next       goes with the next message: model small, record on",
      "approvals  everything is allowed beforehand (yolo), and what cannot be taken back asks you; /yolo off ends it",
      "cwd        /else",
      "profile    default",
      "home       /home/ada/.talaria",
    ]);
  });

  test("has little to say before the first message", async () => {
    const { text } = await say("/status", fakeHost(), { ...noSession, attended: "none" });
    assert.match(text, /^session +none yet/m);
    assert.match(text, /^model +big \(mine\), the default$/m);
    assert.match(text, /^approvals +nobody can be asked/m);
    assert.doesNotMatch(text, /^(title|turns|next|reasoning)/m);
  });
});

test("/doctor says what is, and what to do", async () => {
  assert.equal((await say("/doctor")).text, "ok   store: fine\nFAIL model: no key\n     → set one");
});
