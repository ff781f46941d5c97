import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { parse } from "smol-toml";
import type { WantedSettings } from "./block.ts";
import { rewrite } from "./rewrite.ts";
import { anyWish, personFile } from "./toml-files.suite.ts";

const write = (text: string, wanted: WantedSettings | undefined): string =>
  rewrite("config.toml", text, wanted).text;
const read = (text: string): Record<string, unknown> => parse(text, { integersAsBigInt: "asNeeded" });

/** Without our code: what is left when the lines from mark to mark are cut out. */
function outside(text: string): string {
  const begin = text.search(/^\uFEFF?# >>> talaria: written by/m);
  if (begin === -1) return text;
  const from = text.startsWith("\uFEFF") && begin === 0 ? 1 : begin;
  const to = text.indexOf("\n", text.indexOf("\n# <<< talaria: end <<<", begin) + 1);
  return to === -1 ? text.slice(0, from).replace(/\r?\n$/, "") : text.slice(0, from) + text.slice(to + 1);
}

test("the generator makes TOML that people could have written, with every form of line end", () => {
  const seen = { crlf: 0, mark: 0, open: 0, bare: 0 };
  fc.assert(
    fc.property(personFile, (text) => {
      read(text);
      if (text.includes("\r\n")) seen.crlf += 1;
      if (text.startsWith("\uFEFF")) seen.mark += 1;
      if (!text.endsWith("\n")) seen.open += 1;
      if (!/^\s*\[/m.test(text)) seen.bare += 1;
    }),
    // The same files each time: how often a form comes up must not be left to chance.
    { numRuns: 200, seed: 7 },
  );
  for (const [name, count] of Object.entries(seen)) assert.ok(count > 10, `${name}: ${count}`);
});

test("whatever the file and the wish: every byte outside the block stays, and the block comes out again to the byte", () => {
  fc.assert(
    fc.property(personFile, anyWish, anyWish, (text, wanted, other) => {
      const result = write(text, wanted);
      assert.equal(outside(result), text);
      assert.equal(write(result, wanted), result, "a second time changes nothing");
      assert.equal(write(result, undefined), text);
      const kept = { ...other, plugins: other.plugins ?? new Map() };
      assert.equal(write(result, kept), write(text, kept), "what was there before makes no difference");
    }),
    { numRuns: 400 },
  );
});

test("whatever the file and the wish: the result says what the file said, and of ours what it left room for", () => {
  fc.assert(
    fc.property(personFile, anyWish, (text, wanted) => {
      const { text: after, block } = rewrite("config.toml", text, wanted);
      const [was, is] = [read(text), read(after)];
      for (const [key, value] of Object.entries(was))
        if (key !== "mcp_servers" && key !== "plugins") assert.deepEqual(is[key], value, key);
      for (const group of ["mcp_servers", "plugins"] as const) {
        const [theirs, all] = [table(was[group]), table(is[group])];
        for (const [name, value] of Object.entries(theirs))
          assert.partialDeepStrictEqual({ it: all[name] }, { it: value }, `${group}.${name}`);
      }
      for (const [name, { settings, off }] of wanted.servers) {
        if (!block.servers.has(name)) continue;
        const expected = { ...settings, ...(off ? { enabled: false } : {}) };
        assert.partialDeepStrictEqual(table(is["mcp_servers"])[name], expected, name);
      }
      const hadLimits = ["default_permissions", "sandbox_mode"].some((key) => key in was);
      assert.ok(!(hadLimits && block.permission));
    }),
    { numRuns: 300 },
  );
});

const table = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
