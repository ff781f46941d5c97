import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import type { Question } from "../core/asking.ts";
import type { Json } from "../core/json.ts";
import { actionHash, isExact } from "./action-hash.ts";

const command = (text: string, also: Partial<Question> = {}): Question => ({
  tool: "terminal",
  args: { command: text },
  cwd: "/w",
  effect: "local",
  action: { kind: "command", command: text, fence: "sandbox" },
  summary: text,
  ...also,
});

const change = (diff: string | undefined, path = "/w/a"): Question => ({
  ...command(""),
  tool: "patch",
  args: {},
  action: { kind: "change", changes: [{ path, kind: "update", ...(diff === undefined ? {} : { diff }) }] },
});

describe("the name of an action", () => {
  test("is another one for everything that matters", () => {
    const permissions = (wanted: Json): Question =>
      command("", { action: { kind: "permissions", wanted }, args: {} });
    const names = [
      actionHash(command("ls"), "1"),
      actionHash(command("ls "), "1"),
      actionHash(command("ls"), "2"),
      actionHash(command("ls"), undefined),
      actionHash(command("ls", { cwd: "/other" }), undefined),
      actionHash(command("ls", { tool: "other" }), "1"),
      actionHash(command("ls", { args: { command: "ls", background: true } }), "1"),
      actionHash(command("ls", { action: { kind: "command", command: "ls", fence: "none" } }), "1"),
      actionHash(change("+a"), "1"),
      actionHash(change("+b"), "1"),
      actionHash(change("+a", "/w/b"), "1"),
      actionHash(change(undefined), "1"),
      actionHash(command("", { action: { kind: "change", changes: undefined, root: "/a" } }), "1"),
      actionHash(command("", { action: { kind: "change", changes: undefined, root: "/b" } }), "1"),
      actionHash(permissions({ network: true }), "1"),
      actionHash(permissions({ network: false }), "1"),
    ];
    assert.equal(new Set(names).size, names.length);
  });

  test("does not depend on what is said about it or where it was asked", () => {
    const plain = command("ls");
    const told = command("ls", {
      summary: "list",
      reason: "because",
      origin: { request: "7", epoch: "2", thread: "t" },
    });
    assert.equal(actionHash(plain, "1"), actionHash(told, "1"));
    assert.equal(actionHash(plain, "1"), actionHash({ ...plain, cwd: "/w/." }, "1"), "the folder counts");
  });

  test("is the same for any order of keys, and another one for other arguments", () => {
    const shuffled = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, inner]) => [key, shuffled(inner)]),
      );
    };
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(json, json, (a, b) => {
        assert.equal(nameOf(a), nameOf(shuffled(a)));
        assert.equal(nameOf(a) === nameOf(b), sortedText(a) === sortedText(b));
      }),
    );
  });

  test("pins down only what is known", () => {
    assert.equal(isExact(command("ls")), true);
    assert.equal(isExact(command(" ")), false);
    assert.equal(isExact({ action: { kind: "tool" } }), true);
    assert.equal(isExact({ action: { kind: "tool", unseen: true } }), false);
    assert.equal(isExact(change("+a")), true);
    assert.equal(isExact(change(undefined)), false);
    assert.equal(isExact({ action: { kind: "change", changes: undefined } }), false);
    assert.equal(isExact({ action: { kind: "change", changes: [] } }), false);
    assert.equal(isExact({ action: { kind: "change", changes: [{ path: "/a", kind: "delete" }] } }), true);
  });
});

const nameOf = (args: Json): string => actionHash(command("x", { args }), "1");

/** Independent of the code under test: sorts by inserting keys in order. */
function sortedText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedText((value as Record<string, Json>)[key]!)}`).join(",")}}`;
}
