import assert from "node:assert/strict";
import { test } from "node:test";
import { pressed } from "./keys.ts";
import { scrollWindow } from "./window.ts";

test("a window is at the end when the last row is in it, and not one row before", () => {
  const rows = ["1", "2", "3", "4", "5"];
  const window = scrollWindow();
  assert.deepEqual(window.part(rows, 3), ["1", "2", "3"]);
  const down = pressed("\u001B[B");
  window.scroll(down);
  assert.deepEqual([window.part(rows, 3), window.atEnd], [["2", "3", "4"], false]);
  window.scroll(down);
  assert.deepEqual([window.part(rows, 3), window.atEnd], [["3", "4", "5"], true]);
});
