import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { stringify } from "yaml";
import { isPlainObject } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { withoutKey, withValue } from "./change.ts";
import { parseSource, valueAt } from "./source.ts";

const set = (text: string, key: string, value: Json) =>
  withValue(parseSource("config.yaml", text), key.split("."), value);
const unset = (text: string, key: string) => withoutKey(parseSource("config.yaml", text), key.split("."));

const commented = `# Talaria settings
# edited by hand

model:   # which one answers
  provider:   'openai'     # quotes and gaps stay
  default: "gpt-5"
  # openai_runtime: codex_app_server


providers:
    # four spaces here
    local:
        api:  http://127.0.0.1:8080/v1
        headers: { X-A: one,   X-B: "two" }  # flow
    other: {api: https://example.org/v1,protocol: chat,}

approvals:
  deny:
  - rm -rf     # list at the key's own column
  - "git push"
  timeout_s: 0x3c
# the end`;

const anchored = `x-common: &common
  protocol: chat
  key_env: KEY # shared
providers:
  a:
    <<: *common
    api: http://a
  b: {<<: *common, api: http://b}
model: {provider: a, default: &m small}
auxiliary:
  title_generation: {model: *m}
`;

const blocks = `memory:
  note: |
    first line

    # not a comment
  folded: >-
    some
    words
  kept: |+
    text

kanban:
  text: "over
    two lines" # after
`;

const windows = "# settings\r\nmodel:\r\n  default: a # one\r\n\r\nterminal:\r\n  network: true\r\n";

const corpus: Readonly<Record<string, string>> = {
  commented,
  anchored,
  blocks,
  windows,
  "with a byte order mark": "\uFEFFmodel:\n  default: a\n",
  marked: "\uFEFF---\nmodel: {}\n...\n",
  "without a last newline": "model:\n  default: a",
  "in JSON": '{"model": {"default": "a"}, "approvals": {"deny": ["x", "y"]}}\n',
};

/** Every path to a value, and what stands there. */
const leaves = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  isPlainObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
    : [path];

for (const [name, text] of Object.entries(corpus)) {
  test(`a file ${name} stays as it is when nothing changes`, () => {
    const source = parseSource("config.yaml", text);
    for (const path of leaves(source.content)) {
      assert.equal(withValue(source, path, valueAt(source.content, path) as Json), text);
    }
    assert.equal(unset(text, "not.there"), text);
  });

  test(`in a file ${name}, a new key adds one line or joins one, and goes away again without a trace`, () => {
    const keys = text.includes("model") ? ["model.codex_bin", "turn", "cron"] : ["turn", "cron"];
    for (const key of keys) {
      const after = set(text, key, "a: b, #c");
      assert.ok(after !== undefined);
      assert.equal(valueAt(parseSource("", after).content, key.split(".")), "a: b, #c");
      assert.ok([text, `${text}\n`].includes(unset(after, key) ?? ""), key);
    }
  });
}

test("a value is replaced in its place and nothing else moves", () => {
  const changes: readonly (readonly [string, Json, string, string])[] = [
    ["model.provider", "openrouter", "provider:   'openai' ", "provider:   openrouter "],
    ["model.default", "4", 'default: "gpt-5"', 'default: "4"'],
    ["providers.local.api", "http://b", "api:  http://127.0.0.1:8080/v1", "api:  http://b"],
    ["providers.local.headers.X-A", "a, b", "{ X-A: one,  ", '{ X-A: "a, b",  '],
    ["providers.other.protocol", "responses", "protocol: chat,}", "protocol: responses,}"],
    ["approvals.timeout_s", 61, "0x3c", "61"],
    [
      "approvals.deny",
      ["a", "b, c"],
      'deny:\n  - rm -rf     # list at the key\'s own column\n  - "git push"',
      'deny: [a, "b, c"]',
    ],
    [
      "providers.other",
      { api: "http://o" },
      "{api: https://example.org/v1,protocol: chat,}",
      "{api: http://o}",
    ],
  ];
  for (const [key, value, from, to] of changes) {
    assert.ok(commented.includes(from));
    assert.equal(set(commented, key, value), commented.replace(from, to), key);
  }
});

test("a new key stands after the last one of its section, indented like it", () => {
  const changes: readonly (readonly [string, Json, string, string])[] = [
    ["model.openai_runtime", "auto", '  default: "gpt-5"\n', "  openai_runtime: auto\n"],
    ["providers.local.key_env", "K", '"two" }  # flow\n', "        key_env: K\n"],
    ["providers.third.api", "http://c", "protocol: chat,}\n", "    third:\n      api: http://c\n"],
    ["approvals.mode", "off", "timeout_s: 0x3c\n", "  mode: off\n"],
    ["codex.env", ["A"], "timeout_s: 0x3c\n", "codex:\n  env: [A]\n"],
  ];
  for (const [key, value, after, line] of changes) {
    assert.equal(set(commented, key, value), commented.replace(after, after + line), key);
  }
  assert.equal(
    set(commented, "providers.other.key_env", "K"),
    commented.replace("protocol: chat,}", "protocol: chat, key_env: K,}"),
  );
});

test("sections that are empty in one way or another take their first key", () => {
  assert.equal(set("", "model.default", "a"), "model:\n  default: a\n");
  assert.equal(set("# only words\n", "model.default", "a"), "# only words\nmodel:\n  default: a\n");
  assert.equal(set("# no newline", "turn.budget", 5), "# no newline\nturn:\n  budget: 5\n");
  assert.equal(
    set("model: # empty\ncron: {}\n", "model.default", "a"),
    "model: # empty\n  default: a\ncron: {}\n",
  );
  assert.equal(set("model: ~ # none\n", "model.default", "a"), "model: {default: a} # none\n");
  assert.equal(set("model: {}\n", "model.default", "a"), "model: {default: a}\n");
  assert.equal(
    set("model:\n  default:   # set me\n", "model.default", "a"),
    "model:\n  default: a   # set me\n",
  );
});

test("block texts, line ends and marks are kept", () => {
  const kept = set(blocks, "memory.more", 1);
  assert.equal(kept, blocks.replace("    text\n\n", "    text\n\n  more: 1\n"));
  assert.equal(
    set(blocks, "memory.note", "x"),
    blocks.replace("|\n    first line\n\n    # not a comment", "x"),
  );
  assert.equal(set(blocks, "memory.note", "two\nlines")?.includes('note: "two\\nlines"'), true);
  assert.equal(
    set(windows, "model.provider", "openai"),
    windows.replace("# one\r\n", "# one\r\n  provider: openai\r\n"),
  );
  assert.equal(unset(windows, "model.default"), windows.replace("  default: a # one\r\n", ""));
});

test("an anchor that others use is never pulled from under them", () => {
  assert.equal(set(anchored, "model.default", "large"), undefined);
  assert.equal(unset(anchored, "model.default"), undefined);
  assert.equal(set(anchored, "x-common.protocol", "responses"), undefined);
  assert.equal(unset(anchored, "providers.a.protocol"), undefined, "it is written elsewhere");
  assert.equal(
    set(anchored, "providers.a.protocol", "responses"),
    anchored.replace("    api: http://a\n", "    api: http://a\n    protocol: responses\n"),
  );
  assert.equal(set(anchored, "auxiliary.title_generation.model", "x"), anchored.replace("*m", "x"));
});

test("a block that is replaced keeps the comments beside its key and after it", () => {
  assert.equal(set("a: # why\n  b: 1 # so\n# c\nc: 2\n", "a", { b: 2 }), "a: {b: 2} # why # so\n# c\nc: 2\n");
});

test("a value in the way of a section is not overwritten", () => {
  assert.equal(set("model: gpt\n", "model.default", "a"), undefined);
  assert.equal(set("fallback_providers: [{provider: a}]\n", "fallback_providers.1.provider", "b"), undefined);
});

test("a key is taken out with its line, from block and flow alike", () => {
  assert.equal(unset(commented, "model.default"), commented.replace('  default: "gpt-5"\n', ""));
  assert.equal(unset(commented, "providers.local.headers.X-A"), commented.replace("X-A: one,   ", ""));
  assert.equal(unset(commented, "providers.local.headers.X-B"), commented.replace(',   X-B: "two"', ""));
  assert.equal(
    unset(commented, "approvals.deny"),
    commented.replace('  deny:\n  - rm -rf     # list at the key\'s own column\n  - "git push"\n', ""),
  );
  assert.equal(unset("a: {b: 1}\n", "a.b"), "a: {}\n");
  assert.equal(unset("l:\n  - a: 1\n    b: 2\n", "l.0.a"), "l:\n  - a:\n    b: 2\n");
});

test("whatever is set reads back, beside whatever else was there", () => {
  const key = fc.constantFrom("a", "b", "c", "long key", "x: y", "3", "#", "");
  const scalar = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom("two\nlines", " # no", "- x", "on", "~"),
  );
  const tree = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, scalar, fc.array(scalar, { maxLength: 3 }), tie("map")),
    map: fc.dictionary(key, tie("node"), { maxKeys: 4 }),
  }));
  const style = fc.record({
    indent: fc.constantFrom(2, 4),
    collectionStyle: fc.constantFrom("any" as const, "block" as const, "flow" as const),
    defaultStringType: fc.constantFrom("PLAIN" as const, "QUOTE_SINGLE" as const, "BLOCK_LITERAL" as const),
  });
  const path = fc.array(key, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(tree.map, style, path, scalar, (content, options, where, value) => {
      const text = `# first\n${stringify(content, options)}# last\n`;
      const source = parseSource("config.yaml", text);
      const inTheWay = where.some((_, index) => {
        const above = index === 0 ? undefined : valueAt(source.content, where.slice(0, index));
        return above !== undefined && !isPlainObject(above);
      });
      const after = withValue(source, where, value as Json);
      if (inTheWay) return assert.equal(after, undefined);
      assert.ok(after !== undefined);
      assert.deepEqual(valueAt(parseSource("", after).content, where), value);
      assert.ok(after.includes("# first\n") && after.includes("# last\n"));
    }),
    { numRuns: 300 },
  );
});
