import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { hasAbility, judgeVersion } from "./version.ts";

const kindOf = (output: string): string => judgeVersion(output).kind;

test("versions from the oldest to the newest tested one fit", () => {
  for (const version of ["0.125.0", "0.130.4", "0.166.0", "0.166.99"])
    assert.deepEqual(judgeVersion(`codex-cli ${version}\n`), { kind: "fits", version });
});

test("an older one is refused, a newer one is warned of, also when a number has more digits", () => {
  for (const version of ["0.124.99", "0.13.0", "0.9.999"]) assert.equal(kindOf(version), "old", version);
  for (const version of ["0.167.0", "0.1000.0", "1.0.0"]) assert.equal(kindOf(version), "newer", version);
  const newer = judgeVersion("codex-cli 0.170.2-alpha.3");
  assert.ok(newer.kind === "newer" && newer.version === "0.170.2");
  assert.match(newer.warning, /0\.170\.2 is newer .*0\.166\.x/);
});

test("the first x.y.z counts", () => {
  assert.deepEqual(judgeVersion("codex 0.150.1 (built with 1.99.0)"), { kind: "fits", version: "0.150.1" });
});

test("an output without a version is told from an old version, whatever it is", () => {
  for (const output of ["", "codex", "v12", "1.2", "unknown option --version"])
    assert.equal(kindOf(output), "none");
  fc.assert(fc.property(fc.string(), (output) => void judgeVersion(output)));
});

const agent = (version: string): string =>
  `talaria/${version} (Debian 12.0.0; x86_64) unknown (talaria; 9.9.9)`;

test("what a codex can do goes by its version, read from its user agent", () => {
  assert.equal(hasAbility("nestedTools", agent("0.140.9")), false);
  assert.equal(hasAbility("nestedTools", agent("0.141.0")), true);
  assert.equal(hasAbility("nestedTools", agent("1.0.0")), true);
  assert.equal(hasAbility("clientIds", "0.135.0"), false);
  assert.equal(hasAbility("turnContext", "0.135.0"), true);
  assert.equal(hasAbility("wholeJournal", "an unnamed build"), true);
});
