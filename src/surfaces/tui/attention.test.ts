import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { attention } from "./attention.ts";

function bench(name = "the login bug", bell = true) {
  const clock = fakeClock();
  const titles: string[] = [];
  const written: string[] = [];
  const session = { name };
  const call = attention({
    terminal: { write: (text) => void written.push(text), setTitle: (title) => void titles.push(title) },
    bell: () => bell,
    name: () => session.name,
    clock,
  });
  return { clock, titles, bells: () => written.join(""), call, session };
}
const bell = "\u0007";

describe("calling the person back", () => {
  test("rings once for a question, however often it is said", () => {
    const it = bench();
    it.call.working();
    for (let times = 0; times < 3; times += 1) it.call.waiting("question");
    assert.equal(it.bells(), bell);
    assert.deepEqual(it.titles, [
      "Talaria: working – the login bug",
      "● Talaria: a question waits – the login bug",
    ]);
  });

  test("rings again for the next question", () => {
    const it = bench();
    it.call.working();
    it.call.waiting("question");
    it.call.working();
    it.call.waiting("question");
    assert.equal(it.bells(), bell + bell);
  });

  for (const [ms, rings] of [
    [10_000, false],
    [10_001, true],
  ] as const)
    test(`${rings ? "rings" : "is silent"} at the end of a turn of ${ms} ms`, async () => {
      const it = bench();
      it.call.working();
      await it.clock.advance(ms);
      it.call.waiting("done");
      it.call.waiting("done");
      assert.equal(it.bells(), rings ? bell : "");
      assert.equal(it.titles.includes("✓ Talaria: done – the login bug"), rings);
    });

  test("counts a turn from its beginning, whatever was asked in between, and the next one anew", async () => {
    const it = bench();
    it.call.working();
    await it.clock.advance(6_000);
    it.call.waiting("question");
    it.call.working();
    await it.clock.advance(6_000);
    it.call.waiting("done");
    assert.equal(it.bells(), bell + bell);
    it.call.working();
    await it.clock.advance(6_000);
    it.call.waiting("done");
    it.call.working();
    it.call.waiting(undefined);
    await it.clock.advance(60_000);
    it.call.working();
    it.call.waiting("done");
    assert.equal(it.bells(), bell + bell);
    assert.equal(it.titles.at(-1), "Talaria – the login bug");
  });

  test("never rings when the person does not want it, but the title says it", async () => {
    const it = bench("", false);
    it.call.working();
    it.call.waiting("question");
    it.call.working();
    await it.clock.advance(60_000);
    it.call.waiting("done");
    assert.equal(it.bells(), "");
    assert.deepEqual(it.titles, [
      "Talaria: working",
      "● Talaria: a question waits",
      "Talaria: working",
      "✓ Talaria: done",
    ]);
  });

  test("takes everything out of a title that could steer the terminal, and what is too long", () => {
    const it = bench(`a\u0007\u001B]0;x\u009C\n b\u202E${"c".repeat(200)}`);
    it.call.working();
    assert.equal(it.titles[0], `Talaria: working – a]0;x b${"c".repeat(73)}`);
  });

  test("follows the name of the session", () => {
    const it = bench("");
    it.call.working();
    it.session.name = "now it has one";
    it.call.working();
    assert.deepEqual(it.titles, ["Talaria: working", "Talaria: working – now it has one"]);
  });

  test("gives the title back at the end, and writes nothing more", () => {
    const it = bench();
    it.call.working();
    it.call.end();
    it.call.end();
    it.call.waiting("question");
    it.call.working();
    assert.deepEqual(it.titles, ["Talaria: working – the login bug", ""]);
    assert.equal(it.bells(), "");
  });
});
