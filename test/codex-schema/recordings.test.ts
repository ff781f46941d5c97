import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CodexSchema } from "./codex-schema.ts";
import { generateCodexSchema } from "./pinned-codex.ts";
import { recordings } from "./recordings.ts";

/** Frames that are wrong on purpose, or that codex understands although its schema does not say so. */
const known: readonly (readonly [capture: string, what: string, problem: RegExp, why: string])[] = [
  ["bad-decision", "answer", /decision: is none of/, "a word of the old protocol"],
  ["client-strict-id", "thread/loaded/list", /"jsonrpc"/, "codex ignores the field"],
  ["client-strict-id", "thread/loaded/list", /"params" is missing/, "refused by codex"],
  ["client-strict-id", "no/such/notification", /no such notification/, "ignored by codex"],
  ["dynamic-tools", "answer", /is missing$/, "nonsense as the result of a tool"],
  [
    "dynamic-tools-resume-2",
    "thread/resume",
    /"dynamicTools"/,
    "ignored by codex: tools are fixed at the start",
  ],
  ["fork-revert-compact", "thread/rollback", /no such request/, "removed from codex"],
  ["fork-revert-compact", "thread/compact", /no such request/, "never was one"],
  ["handshake-errors", "no/such", /no such request/, "refused by codex"],
  ["handshake-errors", "turn/start", /is missing$/, "refused by codex"],
  ["not-experimental", "process/spawn", /is missing$/, "refused by codex"],
  ...["auth-chatgpt-401-refresh-expired", "auth-env-apikey", "lists"].map(
    (capture) => [capture, "getAuthStatus", /no such request/, "answered, but not in the schema"] as const,
  ),
];

describe("recorded conversations with codex", () => {
  let schema: CodexSchema & AsyncDisposable;
  before(async () => {
    schema = await generateCodexSchema();
  });
  after(() => schema[Symbol.asyncDispose]());

  test("what clients sent fits the schema, except what was wrong on purpose", () => {
    const found = problemsOf(schema, "c>s");
    const unexplained = found.filter((each) => !known.some((exception) => explains(exception, each)));
    assert.deepEqual(unexplained, []);
    const stale = known.filter((exception) => !found.some((each) => explains(exception, each)));
    assert.deepEqual(stale, [], "these frames are fine now");
  });

  test("what codex sent fits the schema", () => {
    const found = problemsOf(schema, "s>c");
    // The question was sent around the recorder.
    const unexplained = found.filter(
      ({ problem }) => !problem.includes('answers "str-id", which was not asked'),
    );
    assert.deepEqual(unexplained, []);
  });
});

type Found = { readonly capture: string; readonly what: string; readonly problem: string };

function problemsOf(schema: CodexSchema, side: "c>s" | "s>c"): readonly Found[] {
  return [...recordings()].flatMap(([capture, frames]) => {
    const judge = schema.conversation();
    return frames.flatMap(({ dir, msg }) => {
      const problems = dir === "c>s" ? judge.validateClientFrame(msg) : judge.validateServerFrame(msg);
      const what = String(msg["method"] ?? "answer");
      return dir === side ? problems.map((problem) => ({ capture, what, problem })) : [];
    });
  });
}

const explains = ([capture, what, problem]: (typeof known)[number], found: Found): boolean =>
  capture === found.capture && what === found.what && problem.test(found.problem);
