import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { notices } from "./notices.ts";

test("what codex warns of is kept in its own words, once, with the place", () => {
  const { texts, see } = notices();
  const place = { path: "/c.toml", range: { start: { line: 4 } } };
  see("configWarning", { summary: "Bad.", details: "a value", ...place });
  see("configWarning", { summary: "Bad.", details: "a value", ...place });
  see("configWarning", { summary: "Plain.", details: null });
  see("warning", { threadId: null, message: "For all." });
  assert.deepEqual(texts, ["Bad. a value (/c.toml:4)", "Plain.", "For all."]);
});

test("what belongs to one thread, and what is no warning, is left to others", () => {
  const { texts, see } = notices();
  see("warning", { threadId: "T", message: "For one." });
  see("thread/started", { message: "no" });
  see("configWarning", undefined);
  see("configWarning", {});
  assert.deepEqual(texts, []);
});

test("there are fifty at most, whatever codex sends", () => {
  fc.assert(fc.property(fc.anything(), (params) => notices().see("configWarning", params)));
  const { texts, see } = notices();
  for (let n = 0; n < 99; n += 1) see("configWarning", { summary: `${n}` });
  assert.equal(texts.length, 50);
});
