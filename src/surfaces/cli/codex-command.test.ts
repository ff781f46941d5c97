import assert from "node:assert/strict";
import { test } from "node:test";
import { codexArguments } from "./codex-command.ts";

test("everything behind `codex` goes to codex as it is", () => {
  assert.deepEqual(codexArguments(["codex", "exec", "--help", "-p", "x"]), {
    args: ["exec", "--help", "-p", "x"],
  });
  assert.deepEqual(codexArguments(["-p", "work", "codex", "login"]), { profile: "work", args: ["login"] });
  assert.deepEqual(codexArguments(["codex"]), { args: [] });
});

test("codex elsewhere on the line is just a word", () => {
  for (const argv of [[], ["run", "codex"], ["-p", "codex", "run"], ["run", "--runtime", "codex"]]) {
    assert.equal(codexArguments(argv), undefined, argv.join(" "));
  }
});
