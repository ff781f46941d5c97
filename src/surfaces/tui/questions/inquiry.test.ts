import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Answered } from "../../../core/asking.ts";
import { bench, controls, inquiryOf, keys, paste } from "./bench.suite.ts";
import { CURSOR_MARKER } from "../toolkit.ts";

const two = inquiryOf([
  { name: "a", label: "Which?", options: ["red", "green"] },
  { name: "b", label: "Why?" },
]);
const long = inquiryOf([
  { name: "n", label: "How many?", options: Array.from({ length: 40 }, (_, at) => `option ${at + 1}`) },
]);

async function asked(inquiry = two, reply?: () => Promise<Answered>) {
  const it = bench(reply === undefined ? {} : { reply });
  it.say({ type: "inquiry", inquiry });
  await it.wait();
  return it;
}
const letters = (text: string): readonly string[] => Array.from(text);

describe("a form on the screen", () => {
  test("shows its fields one after the other", async () => {
    const it = await asked();
    assert.equal(
      it.screen(),
      [
        "╭ A question, 1 of 2  300 s left",
        "│ The agent asks",
        "│ Which?",
        "│   1 red",
        "│   2 green",
        "╰ press a number, then Enter · Tab: in your own words · Escape: no answer",
      ].join("\n"),
    );
    await it.press("2", keys.enter);
    assert.match(it.screen(), /A question, 2 of 2 .*\n│ The agent asks\n│ Why\?\n│ > +\n╰ write, then Enter/);
    await it.press(...letters("it fits 日本"), keys.enter);
    assert.deepEqual(it.told, [["inq_1", { a: "green", b: "it fits 日本" }, "you"]]);
    assert.match(it.screen(), /╰ sent; waiting/);
    it.say({ type: "inquiry", inquiry: { ...two, closed: "answered" } });
    assert.equal(it.panel.open, false);
    assert.deepEqual(it.said, []);
  });

  for (const [name, typed, value] of [
    ["2", ["2"], "green"],
    ["down", [keys.down], "red"],
    ["up", [keys.up], "green"],
    ["down down down", [keys.down, keys.down, keys.down], "red"],
    ["own words", [keys.tab, ..."blue"], "blue"],
    ["own words and back to the list", [keys.tab, ..."blue", keys.tab, "1"], "red"],
    ["pasted own words", [keys.tab, paste("dark\r\nblue\u001B[2J")], "dark blue�[2J"],
    ["own words with a mistake", [keys.tab, ..."bluu", keys.backspace, "e", keys.left], "blue"],
    ["kitty's letters", [keys.tab, "\u001B[120u", "\u001B[121u"], "xy"],
    ["an emoji that comes in halves", [keys.tab, "\uD83D", "\uDE00"], "😀"],
  ] as const)
    test(`takes ${name} for ${value}`, async () => {
      const it = await asked(inquiryOf(two.form.fields.slice(0, 1)));
      await it.press(...typed);
      assert.deepEqual(it.told, []);
      await it.press(keys.enter);
      assert.deepEqual(it.told, [["inq_1", { a: value }, "you"]]);
    });

  test("takes numbers of two digits, and shows the list around the chosen one", async () => {
    const it = await asked(long);
    assert.match(it.screen(), /1 option 1\n/);
    assert.doesNotMatch(it.screen(), /option 40/);
    assert.ok(it.lines().length <= 24 - 5);
    await it.press("3", "8");
    assert.match(it.screen(), /▸ 38 option 38/);
    assert.ok(it.lines().length <= 24 - 5);
    await it.press(keys.down, keys.down, keys.enter);
    assert.deepEqual(it.told, [["inq_1", { n: "option 40" }, "you"]]);
  });

  test("goes back with Shift+Tab and finds everything as it was left", async () => {
    const it = await asked();
    await it.press("1", keys.enter, ..."half", keys.shiftTab);
    assert.match(it.screen(), /Which\?\n│ ▸ 1 red/);
    await it.press(keys.shiftTab, "2", keys.enter);
    assert.match(it.screen(), /│ > half/);
    await it.press("!", keys.enter);
    assert.deepEqual(it.told, [["inq_1", { a: "green", b: "half!" }, "you"]]);
  });

  for (const [name, key] of [
    ["Escape", keys.escape],
    ["an empty Enter", keys.enter],
  ] as const)
    test(`${name} says what it does, and declines when it comes again`, async () => {
      const it = await asked();
      await it.press(key);
      assert.match(it.screen(), /This answers nothing, and the turn goes on without it/);
      await it.press("1", keys.enter, key);
      assert.deepEqual(it.told, []);
      await it.press(key);
      assert.deepEqual(it.told, [["inq_1", undefined, "you"]]);
      it.say({ type: "inquiry", inquiry: { ...two, closed: "declined" } });
      assert.deepEqual(it.said, ["not answered"]);
    });

  test("is not kept from being declined by the release of a key", async () => {
    const it = await asked();
    it.panel.component.handleInput?.(keys.escape);
    it.panel.component.handleInput?.("\u001B[27;1:3u");
    await it.press(keys.escape);
    assert.deepEqual(it.told, [["inq_1", undefined, "you"]]);
  });

  test("is not declined by keys typed before it could be seen", async () => {
    const it = bench();
    it.say({ type: "inquiry", inquiry: two });
    await it.press(keys.escape, keys.escape, keys.escape, "1", keys.enter);
    assert.deepEqual(it.told, []);
    assert.equal(it.prompt(), "1\r");
  });

  test("without fields asks for a yes", async () => {
    const it = await asked(inquiryOf([], "server: go on?"));
    assert.match(it.screen(), /│ server: go on\?\n│ Is that all right\?\n│ {3}1 yes, go on/);
    await it.press("1", keys.enter);
    assert.deepEqual(it.told, [["inq_1", {}, "you"]]);
  });

  test("keeps answers under whatever name a field has", async () => {
    const it = await asked(inquiryOf([{ name: "__proto__", label: "?" }]));
    await it.press("x", keys.enter);
    assert.deepEqual(it.told, [["inq_1", Object.fromEntries([["__proto__", "x"]]), "you"]]);
  });

  test("cannot steer the screen", async () => {
    const bad = "a\u001B[2J\u0007\tb";
    const it = await asked(inquiryOf([{ name: "a", label: bad, options: [bad] }], bad));
    await it.press(keys.tab, paste(bad));
    assert.equal(controls(it.screen()), "");
    await it.press(keys.tab);
    assert.equal(controls(it.screen()), "");
  });

  test("stays open with why when the answer is refused", async () => {
    const left: Answered[] = [
      { outcome: "refused", why: "Only the owner may answer." },
      { outcome: "taken" },
    ];
    const it = await asked(
      inquiryOf([{ name: "b", label: "Why?" }]),
      async () => left.shift() ?? { outcome: "late" },
    );
    await it.press("x", keys.enter);
    assert.match(it.screen(), /│ Only the owner may answer\./);
    await it.press("y", keys.enter);
    assert.deepEqual(it.told.at(-1), ["inq_1", { b: "xy" }, "you"]);
  });

  for (const [closed, said] of [
    ["answered", "answered elsewhere"],
    ["declined", "not answered"],
    ["timeout", "nobody answered in time"],
    ["withdrawn", "question withdrawn: the turn has ended"],
  ] as const)
    test(`closes at once when it is over elsewhere: ${closed}`, async () => {
      const it = await asked();
      await it.press("1");
      it.say({ type: "inquiry", inquiry: { ...two, closed } });
      assert.equal(it.panel.open, false);
      assert.deepEqual(it.said, [said]);
      assert.equal(it.clock.pending(), 0);
    });

  test("shows where the cursor is only while it has the keys", async () => {
    const it = await asked(inquiryOf([{ name: "b", label: "Why?" }]));
    assert.ok(it.lines().join("").includes(CURSOR_MARKER));
    it.panel.component.focused = false;
    assert.ok(!it.lines().join("").includes(CURSOR_MARKER));
  });
});
