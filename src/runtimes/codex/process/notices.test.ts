import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { notices } from "./notices.ts";

test("what codex warns of is kept in its own words, once, with the place", () => {
  const { texts, see } = notices();
  const fixture = { path: "/c.toml", range: { start: { line: 4 } } };
  see("configWarning", { summary: "Bad.", details: "a value", ...fixture });
  see("configWarning", { summary: "Bad.", details: "a value", ...fixture });
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

test("a setting of ours that this codex does not know is not told to the person, and theirs is", () => {
  const { texts, see } = notices();
  const summary = "Codex is ignoring 2 unrecognized configuration settings.";
  const ours = "  session-flags: `features.goals` is ignored.";
  const theirs = "  /c.toml: `colour` is ignored.";
  see("configWarning", { summary: `${summary}\n${ours}`, details: null });
  see("configWarning", { summary: `${summary}\n${ours}\n${theirs}`, details: null });
  assert.deepEqual(texts, [`${summary}\n${theirs}`]);
});

test("there are fifty at most, whatever codex sends", () => {
  fc.assert(fc.property(fc.anything(), (params) => notices().see("configWarning", params)));
  const { texts, see } = notices();
  for (let n = 0; n < 99; n += 1) see("configWarning", { summary: `${n}` });
  assert.equal(texts.length, 50);
});
