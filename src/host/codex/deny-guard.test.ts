import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { isInside } from "../../lib/sandbox/paths.ts";
import { guardPrograms } from "./deny-guard.ts";

test("all that the guard is made of is among what nothing in the sandbox may write", () => {
  const sources = ["./deny-guard.ts", "../../approvals/policy/danger.ts", "../../core/json.ts"];
  const files = sources.map((file) => fileURLToPath(import.meta.resolve(file)));
  assert.deepEqual(
    [process.execPath, ...files].filter((file) => !guardPrograms().some((place) => isInside(file, place))),
    [],
  );
});
