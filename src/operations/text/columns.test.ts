import assert from "node:assert/strict";
import { test } from "node:test";
import { columns } from "./columns.ts";

test("letters that are two columns wide leave the table straight", () => {
  const text = columns([
    ["日本語の名前", "on", "a"],
    ["cafe\u0301", "off", "b"],
    ["🚀 rocket", "on", "c"],
  ]);
  assert.equal(text, "日本語の名前  on   a\ncafe\u0301          off  b\n🚀 rocket     on   c");
});

test("one long name stands out, and the other rows stay together", () => {
  const long = "a_tool_of_a_server_with_a_name_that_goes_on_and_on";
  const text = columns([
    ["a heading that is longer than all names"],
    ["short", "on"],
    [long, "off"],
    ["tiny", "on"],
  ]);
  assert.equal(text, `a heading that is longer than all names\nshort  on\n${long}  off\ntiny   on`);
});

test("columns of numbers end at the same place", () => {
  const text = columns(
    [
      ["a", "7"],
      ["bb", "1,024"],
    ],
    (column) => column === 1,
  );
  assert.equal(text, "a       7\nbb  1,024");
});
