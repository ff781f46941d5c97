import assert from "node:assert/strict";
import { test } from "node:test";
import type { CodexPlan } from "../plan.ts";
import { commandEnvironment } from "./command-environment.ts";

const plan = { terminal: { VIRTUAL_ENV: "/venv" }, hiddenVariables: ["HTTPS_PROXY"] } as unknown as CodexPlan;
const exclude = { "shell_environment_policy.exclude": ["HTTPS_PROXY"] };
const set = { "shell_environment_policy.set": { VIRTUAL_ENV: "/venv" } };

test("a thread is told the variables of the terminal, and which of its own commands must not see", () => {
  assert.deepEqual(commandEnvironment({ turn: {}, plan }, { shell: {} }), { ...set, ...exclude });
  const nobody = commandEnvironment({ turn: { unattended: true }, plan }, { shell: {} });
  assert.deepEqual(nobody, exclude);
});

test("what the person's codex settings set goes before the terminal's", () => {
  const shell = { inherit: null, set: { VIRTUAL_ENV: "/mine", MORE: "1" } };
  assert.deepEqual(commandEnvironment({ turn: {}, plan }, { shell }), {
    "shell_environment_policy.set": { VIRTUAL_ENV: "/mine", MORE: "1" },
    ...exclude,
  });
});

test("where the person's codex settings choose what commands see, nothing is added", () => {
  for (const shell of [{ inherit: "core" }, { inherit: "none" }, { include_only: ["PATH"] }])
    assert.deepEqual(commandEnvironment({ turn: {}, plan }, { shell }), exclude);
  assert.deepEqual(commandEnvironment({ turn: {}, plan }, { shell: { exclude: ["VIRTUAL_*"] } }), {
    "shell_environment_policy.exclude": ["VIRTUAL_*", "HTTPS_PROXY"],
  });
});
