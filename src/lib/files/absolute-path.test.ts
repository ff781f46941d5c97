import assert from "node:assert/strict";
import { test } from "node:test";
import { absoluteFolders } from "./absolute-path.ts";

test("a PATH keeps only the folders that are the same wherever a program is started", () => {
  assert.equal(absoluteFolders(".:/usr/bin::bin:../x:/bin:"), "/usr/bin:/bin");
  assert.equal(absoluteFolders(""), "");
});
