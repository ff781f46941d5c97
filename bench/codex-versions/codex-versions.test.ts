import assert from "node:assert/strict";
import { test } from "node:test";
import { knownGaps } from "./known-gaps.ts";
import { judge } from "./verdict.ts";
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

test("a known gap excuses its own test in older versions, and nothing else", () => {
  for (const { test: name, below } of knownGaps) {
    const failure = { name, passed: false, why: "it differs" } as const;
    const pass = { name: "another", passed: true } as const;
    const old = judge("0.125.0", [failure, pass]);
    assert.deepEqual(old, { version: "0.125.0", passed: 1, gaps: [name], failed: [] });
    assert.deepEqual(judge(below, [failure]).failed, [{ name, why: "it differs" }]);
    assert.equal(judge("0.125.0", [{ ...failure, name: "another" }]).failed.length, 1);
  }
});
