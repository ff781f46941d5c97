import assert from "node:assert/strict";
import { test } from "node:test";
import { toFailure } from "./failure.ts";

test("a full disk is told as one, wherever something was to be written", () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  assert.partialDeepStrictEqual(toFailure(error), { code: "storage" });
  assert.match(toFailure(error).next, /Free space/);
  assert.equal(toFailure(new Error("what?")).code, "bug");
});
