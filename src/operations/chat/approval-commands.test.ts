import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { call, fakeHost, say } from "./fake-host.suite.ts";

describe("/approvals", () => {
  test("says what asks, what is allowed beforehand and what waits", async () => {
    for (const line of ["/approvals", "/approvals list"]) {
      assert.deepEqual((await say(line)).text.split("\n"), [
        "Everything asks.",
        "Allowed beforehand:",
        "  grn_1  always  make test",
        "Waits for an answer:",
        "  apr_1  rm -f x",
      ]);
    }
  });

  test("revoke takes a standing yes back, or offers them", async () => {
    const host = fakeHost();
    assert.equal(
      (await say("/approvals revoke grn_1", host)).text,
      "Revoked: make test. It asks again from now on.",
    );
    assert.deepEqual(host.calls, ['approvals.revoke {"id":"grn_1"}']);
    const { choose, text } = await say("/approvals Revoke", host);
    assert.equal(choose?.command, "/approvals revoke");
    assert.deepEqual(choose?.options, [{ value: "grn_1", label: "make test", detail: "always" }]);
    assert.match(text, /grn_1 {2}make test/);
    const none = fakeHost({ over: { "approvals.grants": async () => [] } });
    assert.match((await say("/approvals revoke", none)).text, /nothing to revoke/);
    assert.match((await say("/approvals", none)).text, /Nothing is allowed beforehand/);
  });

  test("refuses other words", async () => {
    const host = fakeHost();
    for (const arg of ["all", "list x", "revoke a b"]) {
      assert.match((await say(`/approvals ${arg}`, host)).text, /takes nothing, list, or revoke/, arg);
    }
    assert.deepEqual(host.calls, []);
  });
});

describe("/yolo", () => {
  const everything = { ...call, attended: "yolo" } as const;

  test("allows everything beforehand, says what that means, and takes it back", async () => {
    const on = await say("/yolo on");
    assert.equal(on.attended, "yolo");
    assert.match(
      on.text,
      /no more questions[^]*cannot be taken back[^]*asked[^]*never done[^]*deny list[^]*in this process until \/yolo off[^]*stored nowhere/,
    );
    assert.equal((await say("/yolo OFF", fakeHost(), everything)).attended, "ask");
    assert.equal((await say("/yolo on", fakeHost(), { ...call, surface: "tui" })).attended, "yolo");
  });

  test("shows its state, and refuses what changes nothing", async () => {
    for (const [line, from, answer] of [
      ["/yolo", call, /^It is off/],
      ["/yolo", everything, /^Everything is allowed beforehand/],
      ["/yolo on", everything, /on already\. Nothing was changed/],
      ["/yolo off", call, /off already\. Nothing was changed/],
      ["/yolo yes", call, /takes on or off/],
      ["/yolo on", { ...call, attended: "none" }, /^There is nobody here/],
    ] as const) {
      const reply = await say(line, fakeHost(), from);
      assert.match(reply.text, answer);
      assert.equal(reply.attended, undefined);
    }
  });
});
