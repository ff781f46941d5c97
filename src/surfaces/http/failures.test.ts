import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { faultCodes } from "../../core/faults.ts";
import { statusOf } from "./failures.ts";

test("every status that a failure can have is in the page for users", async () => {
  const page = await readFile(join(import.meta.dirname, "../../../docs/user/api.md"), "utf8");
  const rows = page.split("\n").flatMap((line) => /^\| ([\d, ]+) \|/.exec(line)?.[1]?.split(", ") ?? []);
  const codes = [...faultCodes, "usage", "not_found", "busy", "stopping", "bug"];
  const missing = codes.map((code) => `${statusOf(code)}`).filter((status) => !rows.includes(status));
  assert.deepEqual(missing, []);
});
