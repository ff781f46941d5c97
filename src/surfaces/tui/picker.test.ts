import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Choosing } from "../../core/chat-state.ts";
import { picker } from "./picker.ts";
import { makeTheme } from "./theme.ts";
import { visibleWidth } from "./toolkit.ts";
import { keys, typist } from "./input/typist.suite.ts";

const many = (count: number): Choosing["options"] =>
  Array.from({ length: count }, (_, at) => ({
    value: `ses_${at}`,
    label: `session ${at}`,
    detail: at % 2 === 0 ? `about owls and 漢字 number ${at}` : `about foxes number ${at}`,
  }));

function picking(options: Choosing["options"], rows = 24) {
  const person = typist(80, rows);
  const said: (string | undefined)[] = [];
  const component = picker({
    theme: makeTheme(true),
    choosing: { title: "Which session?", command: "/resume", options },
    rows: () => rows,
    onPick: (value) => void said.push(value),
    onCancel: () => void said.push(undefined),
  });
  person.tui.addChild(component);
  person.tui.setFocus(component);
  return { ...person, said, component };
}

describe("picker", () => {
  test("shows title, count and entries, and Enter picks the marked one", async () => {
    using it = picking(many(3));
    const screen = await it.screen();
    assert.match(screen[0] ?? "", /^Which session\? \(3\)$/);
    assert.match(screen[2] ?? "", /^→ session 0 {2}about owls/);
    it.press(keys.down, keys.enter);
    assert.deepEqual(it.said, ["ses_1"]);
  });

  test("typing filters over label and detail, and deleting brings the rest back", async () => {
    using it = picking(many(500));
    it.type("fox 49");
    const screen = await it.screen();
    assert.match(screen[0] ?? "", /\(\d+ of 500\)/);
    assert.match(screen[2] ?? "", /→ session 49 /);
    it.press(keys.enter);
    it.press(...Array.from({ length: 6 }, () => keys.backspace));
    assert.match((await it.screen())[0] ?? "", /\(500\)/);
    assert.deepEqual(it.said, ["ses_49"]);
  });

  test("arrows go round at the ends, pages stop there first", () => {
    using it = picking(many(500));
    it.press(keys.up, keys.enter);
    it.press(keys.down, keys.enter);
    it.press(keys.pageDown, keys.enter);
    it.press(keys.pageDown, keys.pageUp, keys.pageUp, keys.enter);
    it.press(...Array.from({ length: 28 }, () => keys.pageDown), keys.enter);
    assert.deepEqual(it.said, ["ses_499", "ses_0", "ses_18", "ses_0", "ses_499"]);
  });

  test("the marked entry is always in sight, and no more than fit are shown", async () => {
    using it = picking(many(500), 20);
    for (const press of [0, 5, 40, 200]) {
      it.press(...Array.from({ length: press }, () => keys.down));
      const screen = await it.screen();
      assert.equal(screen.filter((line) => /session \d/.test(line)).length, 14);
      assert.equal(screen.filter((line) => line.startsWith("→ session")).length, 1);
    }
  });

  test("Escape and Ctrl+C cancel; a released key does nothing", () => {
    using it = picking(many(2));
    it.press(keys.escape, "\u0003");
    it.component.handleInput?.("\u001B[27;1:3u");
    assert.deepEqual(it.said, [undefined, undefined]);
  });

  test("says so when there is nothing, or nothing fits, and then picks nothing", async () => {
    using empty = picking([]);
    assert.ok((await empty.screen()).includes("There is nothing to choose from."));
    empty.press(keys.up, keys.down, keys.pageDown, keys.enter);
    using none = picking(many(1));
    none.type("zzz");
    assert.ok((await none.screen()).includes("Nothing matches “zzz”."));
    none.press(keys.enter);
    assert.deepEqual([empty.said, none.said], [[], []]);
  });

  test("fits any width with none, one and 500 entries", () => {
    for (const count of [0, 1, 500]) {
      using it = picking(many(count));
      it.type("o");
      for (let width = 1; width <= 200; width++) {
        for (const line of it.component.render(width)) assert.ok(visibleWidth(line) <= width, line);
      }
    }
  });

  test("what labels say and what is pasted cannot steer the terminal", async () => {
    using it = picking([{ value: "x", label: "a\u001B[2J\nb", detail: "\u009B0m\tc" }]);
    assert.match((await it.screen())[2] ?? "", /^→ a\uFFFD\[2J b {2}\uFFFD0m c/);
    it.paste("a\u001B[31m");
    assert.ok(!it.component.render(80).join("").includes("\u001B[31m"));
  });

  test("works in a terminal of few rows", () => {
    using it = picking(many(10), 4);
    assert.equal(it.component.render(80).length, 4);
  });
});
