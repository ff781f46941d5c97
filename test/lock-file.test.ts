import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";

type Locked = {
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
  readonly integrity?: string;
  readonly resolved?: string;
};

const lock = JSON.parse(await readFile("package-lock.json", "utf8")) as { packages: Record<string, Locked> };
const packages = Object.entries(lock.packages).filter(([path]) => path !== "");

/** The system's Node may be 20: npm then silently skips optional packages that exclude it. */
const oldestNode = [20, 20, 0] as const;

describe("lock file", () => {
  test("no package runs an install script", () => {
    assert.deepEqual(withInstallScript(packages), []);
    assert.deepEqual(withInstallScript([["node_modules/evil", { hasInstallScript: true }]]), [
      "node_modules/evil",
    ]);
  });

  test("no optional package excludes Node 20", () => {
    assert.deepEqual(excludingOldest(packages), []);
    const newer: [string, Locked] = ["node_modules/newer", { optional: true, engines: { node: ">=22" } }];
    assert.deepEqual(excludingOldest([newer]), ["node_modules/newer: >=22"]);
  });

  test("every package has an integrity hash and names no download address", () => {
    assert.deepEqual(
      packages.filter(([, locked]) => locked.integrity === undefined || locked.resolved !== undefined),
      [],
    );
  });
});

const withInstallScript = (entries: readonly [string, Locked][]): string[] =>
  entries.filter(([, locked]) => locked.hasInstallScript === true).map(([path]) => path);

const excludingOldest = (entries: readonly [string, Locked][]): string[] =>
  entries
    .filter(([, locked]) => locked.optional === true && !allows(locked.engines?.node ?? "*"))
    .map(([path, locked]) => `${path}: ${locked.engines?.node}`);

/** Enough of semver for `engines`: alternatives of `>=`, `>`, `^`, `~`, `<` and bare versions. */
function allows(range: string): boolean {
  return range.split("||").some((part) => {
    const rules = [...part.matchAll(/(>=|<=|>|<|\^|~|)\s*v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/g)];
    return rules.every(([, sign, major, minor = "0", patch = "0"]) => {
      const difference = compare(oldestNode, [Number(major), Number(minor), Number(patch)]);
      const sameMajor = oldestNode[0] === Number(major);
      if (sign === ">=") return difference >= 0;
      if (sign === ">") return difference > 0;
      if (sign === "<") return difference < 0;
      if (sign === "<=") return difference <= 0;
      return sameMajor && (sign === "" || difference >= 0);
    });
  });
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((number, at) => number !== b[at]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}
