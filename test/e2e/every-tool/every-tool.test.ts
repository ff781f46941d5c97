import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "node:test";
import { type Json, stableJson } from "../../../src/core/json.ts";
import { exposedOverMcp } from "../../../src/host/tool-server/exposed.ts";
import { offeredToCodex } from "../../../src/runtimes/codex/thread-settings/offered-tools.ts";
import { everyCall, settled } from "./calls.ts";
import { type Outcome, channels } from "./channels.ts";

const isHere = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
const missing = ["chromium", "espeak-ng"].filter((program) => !isHere(program));
const skip = missing.length === 0 ? false : `${missing.join(" and ")} is not installed here`;

const calls = everyCall({ url: "http://x" } as never);
const outcomes = new Map<string, Outcome>();

/** Those of a board are for its workers, and are tried where cards are worked on; that of chats is tried there. */
const forEverybody = (list: ReadonlyMap<string, unknown>): readonly string[] =>
  [...list.keys()].filter((name) => !name.startsWith("kanban_") && name !== "send_file").toSorted();

describe("every tool, on every way to it", { skip, timeout: 600_000 }, () => {
  test("the calls are all that is offered to codex and over MCP", () => {
    const names = [...new Set(calls.map(({ tool }) => tool))].toSorted();
    assert.deepEqual(names, forEverybody(offeredToCodex));
    assert.deepEqual(names, forEverybody(exposedOverMcp));
  });

  for (const channel of channels) {
    test(`${channel.name}: each does what it is asked, with its arguments intact`, async () => {
      const outcome = await channel.run();
      outcomes.set(channel.name, outcome);
      const wanted = calls.filter(({ tool }) => !channel.leaves.includes(tool));
      assert.deepEqual(
        outcome.results.map(({ tool }) => tool),
        wanted.map(({ tool }) => tool),
      );
      for (const [at, { tool, ok, shows, args }] of wanted.entries()) {
        const result = outcome.results[at];
        assert.match(result?.output ?? "", shows, tool);
        assert.equal(result?.ok, ok, `${tool}: ${result?.output}`);
        assert.equal(stableSettled(result?.args), stableSettled(args), tool);
      }
    });
  }

  test("results and schemas are the same on all of them", () => {
    assert.equal(outcomes.size, channels.length);
    const [reference, ...others] = channels;
    const first = outcomes.get(reference?.name ?? "");
    for (const { name, codex } of others) {
      const { results, schemas } = outcomes.get(name) ?? { results: [], schemas: new Map() };
      const kept = codex === true ? withoutBounds : (schema: Json): Json => schema;
      const same = first?.results.filter(({ tool }) => results.some((result) => result.tool === tool)) ?? [];
      for (const [at, { tool, output }] of results.entries()) {
        assert.equal(settled(output), settled(same[at]?.output ?? ""), `${tool} on ${name}`);
        assert.ok(schemas.has(tool), `${name} was given no schema of ${tool}`);
        assert.equal(
          stableJson(schemas.get(tool) ?? null),
          stableJson(kept(first?.schemas.get(tool) ?? null)),
          `schema of ${tool} on ${name}`,
        );
      }
    }
  });
});

const bounds = new Set(["default", "pattern", "minLength", "maxLength", "maxItems", "minimum", "maximum"]);

/** Codex hands a schema on without its bounds and defaults, which are said again where a call breaks one. */
function withoutBounds(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutBounds);
  if (typeof schema !== "object" || schema === null) return schema;
  const left = Object.entries(schema).filter(([key]) => !bounds.has(key));
  return Object.fromEntries(left.map(([key, value]) => [key, withoutBounds(value)]));
}

/** The addresses of two runs differ in their port alone. */
const stableSettled = (args: unknown): string =>
  settled(stableJson(args as never)).replaceAll(/http:\/\/(x|HOST)/g, "SITE");
