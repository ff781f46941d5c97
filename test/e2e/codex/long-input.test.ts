import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { talariaOnCodex } from "./codex-talaria.ts";

const most = 1_048_576;

describe("a message that is longer than codex takes", { concurrency: 2 }, () => {
  for (const [what, text] of [
    ["8 MB", "x".repeat(8 * 1024 * 1024)],
    ["one character more", "x".repeat(most + 1)],
  ] as const)
    test(`is refused before anything is started, and says what helps (${what})`, async () => {
      await using it = await talariaOnCodex([says("Never asked.")]);
      const { code, ended } = await it.turn(["-"], { input: text });
      const { message = "", next = "" } = ended.fault ?? {};
      assert.deepEqual([code, ended.fault?.code, it.model.requests.length], [1, "refused", 0]);
      assert.match(message, /^The message has [\d,]+ characters, and codex takes 1,048,576 at most\.$/);
      assert.equal(next, "Put the text into a file and name the file, or send it in several messages.");
    });

  test("is none if it has exactly so many, however many bytes they are", async () => {
    await using it = await talariaOnCodex([says("Read."), says("Read, too.")]);
    for (const [text, answer] of [
      ["x".repeat(most), "Read."],
      ["😀".repeat(most), "Read, too."],
    ] as const) {
      const { code, ended } = await it.turn(["-"], { input: text });
      assert.deepEqual([code, ended.text], [0, answer]);
    }
  });
});
