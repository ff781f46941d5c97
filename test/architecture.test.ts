import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, test } from "node:test";
import { fronts, table, violations } from "./imports.ts";

describe("architecture", () => {
  test("imports only point down", async () => {
    const paths = await Array.fromAsync(glob("src/**/*.ts"));
    assert.ok(paths.length > 20, "the glob finds the sources");
    const files = await Promise.all(
      paths.map(async (path) => ({ path, text: await readFile(path, "utf8") })),
    );
    assert.deepEqual(violations(files), []);
  });

  test("a folder has at most 40 files", async () => {
    const paths = await Array.fromAsync(glob("{src,test,bench,scripts}/**/*.ts"));
    const counts = Map.groupBy(paths, (path) => dirname(path));
    assert.deepEqual(
      [...counts].filter(([, files]) => files.length > 40).map(([folder]) => folder),
      [],
    );
  });

  test("every front file named in the table belongs to a row", () => {
    assert.deepEqual(
      Object.keys(fronts).filter((folder) => table[folder] === undefined),
      [],
    );
  });

  const planted: readonly [name: string, path: string, text: string, complaint: RegExp][] = [
    [
      "an import that points up",
      "src/store/a.ts",
      'import { x } from "../agent/index.ts";',
      /store may not import agent/,
    ],
    [
      "a side-effect import that points up",
      "src/core/a.ts",
      'import "../lib/lanes.ts";',
      /core may not import lib/,
    ],
    [
      "a lazy import that points up",
      "src/lib/a.ts",
      'await import("../host/index.ts");',
      /lib may not import host/,
    ],
    [
      "the host in what it hands its parts to",
      "src/maintenance/doctor/a.ts",
      'import type { x } from "../../host/index.ts";',
      /maintenance may not import host/,
    ],
    [
      "a re-export that points up",
      "src/core/a.ts",
      'export * from "../store/store.ts";',
      /core may not import store/,
    ],
    ["Node in core", "src/core/a.ts", 'import fs from "node:fs";', /core may not import node:fs/],
    [
      "Node in transcript",
      "src/transcript/a.ts",
      'import fs from "node:fs";',
      /transcript may not import node:fs/,
    ],
    [
      "a package without a row",
      "src/lib/a.ts",
      'import left from "left-pad";',
      /lib may not import the package left-pad/,
    ],
    [
      "a subpath of such a package",
      "src/lib/a.ts",
      'import z from "zod/mini";',
      /lib may not import the package zod/,
    ],
    [
      "the inside of a folder behind its front file",
      "src/agent/a.ts",
      'import { run } from "../runtimes/loop/loop.ts";',
      /agent may import only src\/runtimes\/runtime.ts/,
    ],
    [
      "one surface importing another",
      "src/surfaces/tui/a.ts",
      'import { x } from "../cli/index.ts";',
      /a surface may not import another surface/,
    ],
    [
      "a surface reaching the store",
      "src/surfaces/cli/a.ts",
      'import type { Store } from "../../store/store.ts";',
      /surfaces\/cli may not import store/,
    ],
    ["a new folder", "src/plugins/a.ts", "", /folder "plugins" has no row/],
  ];
  for (const [name, path, text, complaint] of planted) {
    test(`finds ${name}`, () => {
      const found = violations([{ path, text }]);
      assert.equal(found.length, 1);
      assert.match(found[0]!, complaint);
    });
  }

  test("finds a package with two owners", () => {
    const storePackages = table["store"]!.packages as string[];
    storePackages.push("smol-toml");
    const found = violations([
      { path: "src/runtimes/a.ts", text: 'import { parse } from "smol-toml";' },
      { path: "src/store/a.ts", text: 'import { parse } from "smol-toml";' },
    ]);
    storePackages.pop();
    assert.deepEqual(found, [
      "src/store/a.ts: the package smol-toml belongs to runtimes, store may not import it",
    ]);
  });
});
