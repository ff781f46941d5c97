import assert from "node:assert/strict";
import { test } from "node:test";
import { closest } from "./suggestion.ts";

const keys = ["provider", "default", "openai_runtime", "codex_bin"];

test("finds the word behind a typing mistake", () => {
  assert.equal(closest("defualt", keys), "default");
  assert.equal(closest("providr", keys), "provider");
  assert.equal(closest("openai-runtime", keys), "openai_runtime");
  assert.equal(closest("Default", keys), "default");
});

test("says nothing when no word is near", () => {
  assert.equal(closest("temperature", keys), undefined);
  assert.equal(closest("x", keys), undefined);
  assert.equal(closest("", keys), undefined);
});

test("two letters are not one word, and half another word is no slip of the finger", () => {
  assert.equal(closest("frob", ["fork", "from"]), "from");
  assert.equal(closest("frob", ["fork", "stop"]), undefined);
  assert.equal(closest("ab", ["a", "abc", "ac"]), undefined);
  assert.equal(closest("memory_files", ["memory_limit"]), undefined);
});

test("prefers the nearest of several", () => {
  assert.equal(closest("skillss", ["skill", "skills"]), "skills");
  assert.equal(closest("skillss", ["skills", "skill"]), "skills");
});
