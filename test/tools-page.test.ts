import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { type Audience, exposedOverMcp, localTools } from "../src/host/tool-server/exposed.ts";
import { offeredToCodex } from "../src/runtimes/codex/thread-settings/offered-tools.ts";

/** The first table of the page, by tool: what it says of the loop, codex and MCP. */
async function said(): Promise<ReadonlyMap<string, readonly string[]>> {
  const page = await readFile(new URL("../docs/user/tools.md", import.meta.url), "utf8");
  const rows = page
    .split("\n\n")
    .find((part) => part.startsWith("| tool | loop"))
    ?.split("\n")
    .slice(2);
  return new Map(
    (rows ?? []).flatMap((row) => {
      const [, names = "", ...cells] = row.split("|").map((cell) => cell.trim());
      return [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => [name, cells] as const);
    }),
  );
}

function offered(audience: Audience | undefined): RegExp {
  if (audience === undefined) return /^no$/;
  return audience === "everyone" ? /^yes$/ : /^(yes, not|if) /;
}

test("the table of tools in docs/user/tools.md is that of the program", async () => {
  const rows = await said();
  assert.deepEqual([...rows.keys()].toSorted(), [...offeredToCodex.keys(), ...localTools].toSorted());
  for (const [name, [loop, codex, mcp]] of rows) {
    if (localTools.has(name)) {
      assert.deepEqual([loop, codex, mcp], ["yes", "codex's own", "with `--with-local-tools`"], name);
      continue;
    }
    const how = offeredToCodex.get(name) === "shown" ? "yes" : "found by a search";
    assert.deepEqual([loop, codex], [how, how], name);
    assert.match(mcp ?? "", offered(exposedOverMcp.get(name)), name);
  }
});
