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

test("prefers the nearest of several", () => {
  assert.equal(closest("skillss", ["skill", "skills"]), "skills");
  assert.equal(closest("skillss", ["skills", "skill"]), "skills");
});
