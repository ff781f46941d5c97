import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { type BannerFacts, bannerLines } from "./banner.ts";
import { makeTheme } from "./theme.ts";
import { anyText, assertSafe, plain } from "./transcript/view-bench.suite.ts";

const theme = makeTheme(true);
const full: BannerFacts = {
  version: "0.1.0",
  cwd: "/home/me/project",
  model: "gpt-5",
  provider: "openai",
  runtime: "codex",
  codexVersion: "0.166.0",
  profile: "work",
  tools: 12,
  resumed: "A friendlier greeting",
  warnings: ["The key approvals.mood is unknown and has no effect; did you mean approvals.mode?"],
};
const read = (facts: BannerFacts, width = 80): string =>
  bannerLines(facts, theme, width).map(plain).join("\n");

test("the banner says what runs, where and with what", () => {
  assert.equal(
    read(full),
    `Talaria 0.1.0
Model: gpt-5 (openai)
Runtime: codex app-server 0.166.0 (commands, files and MCP run inside codex)
Folder: /home/me/project
Tools: 12
Profile: work
Session: A friendlier greeting (resumed)
! The key approvals.mood is unknown and has no effect; did you mean
  approvals.mode?
/help commands · Ctrl+C stop · Ctrl+D leave`,
  );
});

test("in 40 columns lines are broken, and nothing is cut", () => {
  assert.equal(
    read(full, 40),
    `Talaria 0.1.0
Model: gpt-5 (openai)
Runtime: codex app-server 0.166.0
  (commands, files and MCP run inside
  codex)
Folder: /home/me/project
Tools: 12
Profile: work
Session: A friendlier greeting (resumed)
! The key approvals.mood is unknown and
  has no effect; did you mean
  approvals.mode?
/help commands · Ctrl+C stop · Ctrl+D
  leave`,
  );
});

test("what is not known yet, or is as always, is left out", () => {
  assert.equal(
    read({
      version: "0.1.0",
      cwd: "/w",
      warnings: [],
      runtime: "loop",
      profile: "default",
      tools: 1,
      skills: 2,
    }),
    "Talaria 0.1.0\nRuntime: loop\nFolder: /w\nTools: 1 · Skills: 2\n/help commands · Ctrl+C stop · Ctrl+D leave",
  );
});

test("a warning has its colour on every line of it", () => {
  const lines = bannerLines(full, theme, 40).filter((line) => line.startsWith("\u001B[33m"));
  assert.equal(lines.length, 3);
});

test("any facts fit any width", () => {
  const text = anyText(40);
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 120 }), (cwd, warning, width) => {
      assertSafe(bannerLines({ ...full, cwd, warnings: [warning] }, theme, width), width);
    }),
  );
});
