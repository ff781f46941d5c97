import assert from "node:assert/strict";
import { test } from "node:test";
import { judge, table } from "./verdict.ts";
import { compareVersions, releasesInRange } from "./versions.ts";

test("releases in range are whole versions from the oldest supported one on, oldest first", () => {
  const published = [
    "0.124.9",
    "0.166.0",
    "0.9.0",
    "0.125.0",
    "0.166.0-linux-x64",
    "0.130.0-alpha.1",
    "1.0.0",
  ];
  assert.deepEqual(releasesInRange(published), ["0.125.0", "0.166.0", "1.0.0"]);
});

test("versions compare by number, not by letter", () => {
  assert.ok(compareVersions("0.9.0", "0.125.0") < 0);
  assert.ok(compareVersions("0.142.5", "0.142.4") > 0);
  assert.equal(compareVersions("0.150.0", "0.150.0"), 0);
});

test("every failed test counts, with the beginning of its words", () => {
  const results = [
    { name: "one", passed: true },
    { name: "two", passed: false, why: "x".repeat(300) },
  ] as const;
  const result = judge("0.125.0", results);
  assert.deepEqual(result, {
    version: "0.125.0",
    passed: 1,
    failed: [{ name: "two", why: "x".repeat(200) }],
  });
  assert.match(table([result]), /^0\.125\.0 +1 +1\n +failed: two\n +x+$/m);
});
