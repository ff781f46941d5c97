import assert from "node:assert/strict";
import { test } from "node:test";
import { toFailure } from "./failure.ts";

test("a full disk is told as one, wherever something was to be written", () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  assert.partialDeepStrictEqual(toFailure(error), { code: "storage" });
  assert.match(toFailure(error).next, /Free space on the disk that holds Talaria's home/);
  const elsewhere = toFailure(Object.assign(error, { path: "/mnt/out.jsonl" }));
  assert.match(elsewhere.message, /^There is no space left to write \/mnt\/out\.jsonl \(ENOSPC/);
  assert.equal(elsewhere.next, "Free space on the disk that holds this file, then try again.");
  assert.equal(toFailure(new Error("what?")).code, "bug");
});
