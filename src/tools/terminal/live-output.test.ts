import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { liveOutput, mostShown } from "./live-output.ts";

const secret = "hunter2-hunter2";

function watched() {
  const clock = fakeClock();
  const told: string[] = [];
  const live = liveOutput((text) => void told.push(text), redactor([secret]), clock);
  return { clock, told, live };
}

describe("what a tool writes while it runs", () => {
  test("is told at once, then at most twenty times a second, and the rest at the end", async () => {
    const { clock, told, live } = watched();
    for (let at = 0; at < 100; at++) {
      live.add(`${at}\n`);
      await clock.advance(10);
    }
    live.add("no end");
    live.end();
    assert.equal(told[0], "0\n");
    assert.ok(told.length >= 20 && told.length <= 22, String(told.length));
    assert.equal(told.join(""), `${Array.from({ length: 100 }, (_, at) => `${at}\n`).join("")}no end`);
    assert.equal(clock.pending(), 0);
  });

  test("never shows a secret, wherever it was split and however long the second half takes", async () => {
    for (let cut = 1; cut < secret.length; cut++) {
      const { clock, told, live } = watched();
      live.add(`a\nkey ${secret.slice(0, cut)}`);
      await clock.advance(1000);
      assert.deepEqual(told, ["a\n"]);
      live.add(`${secret.slice(cut)}\n`);
      await clock.advance(1000);
      assert.deepEqual(told, ["a\n", "key [redacted]\n"]);
    }
  });

  test("is shown up to a limit, with one line that says where the rest is, and no half of a secret", async () => {
    const { clock, told, live } = watched();
    const line = `${"x".repeat(1023)}\n`;
    live.add(line.repeat(mostShown / 1024 - 1));
    live.add(`${"y".repeat(1010)} ${secret}\n`);
    for (let at = 0; at < 1000; at++) live.add(line);
    await clock.advance(1000);
    live.end();
    const all = told.join("");
    assert.equal(all.length, mostShown - 1024 + (told.at(-1)?.length ?? 0));
    assert.match(told.at(-1) ?? "", /^\n\[more came; .*only in the result.*\]\n$/);
    assert.ok(!all.includes("hunter"));
  });

  test("reaches nobody after the end, and a watcher that throws is not called again", async () => {
    const { clock, told, live } = watched();
    live.end();
    live.add("late\n");
    await clock.advance(1000);
    assert.deepEqual(told, []);
    let calls = 0;
    const broken = liveOutput(
      () => {
        calls += 1;
        throw new Error("no screen");
      },
      redactor(),
      clock,
    );
    for (let at = 0; at < 5; at++) {
      broken.add("x\n");
      await clock.advance(100);
    }
    broken.end();
    assert.equal(calls, 1);
  });
});
