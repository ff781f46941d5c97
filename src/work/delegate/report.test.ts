import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { asId } from "../../core/ids.ts";
import { longestReport, report } from "./report.ts";
import type { TaskResult } from "./task.ts";

const result = (text: string, also: Partial<TaskResult> = {}): TaskResult => ({
  end: "done",
  text,
  runtime: "loop",
  calls: 2,
  tokens: 1234,
  session: asId<"ses">("ses_0123456789"),
  notices: [],
  ...also,
});

test("a long answer is cut for the others' sake, and says where the rest is", () => {
  const text = report([result("short"), result("x".repeat(50_000))]);
  assert.match(
    text,
    /^Task 1 of 2: done \(loop, 2 calls, 1,234 tokens, session ses_0123456789\)\.\nshort\n\n/,
  );
  const [, left = ""] =
    /x\n\[(\d+) characters left out; session_search with session_id ses_0123456789 /.exec(text) ?? [];
  assert.equal(Number(left) + (text.match(/x/g)?.length ?? 0), 50_000);
  assert.ok(text.length > longestReport - 1000, "what the short one does not need is not wasted");
});

test("a task that said nothing is shown as that", () => {
  assert.match(report([result(" ")]), /\n\(nothing\)$/);
});

test("whatever the tasks say, all of them are in it, it is never too long, and no letter is cut in half", () => {
  const one = fc.record({
    letter: fc.constantFrom("x", "🦉", " "),
    length: fc.integer({ min: 0, max: 30_000 }),
    end: fc.constantFrom("done", "unconfirmed", "failed", "stopped"),
    whyLength: fc.integer({ min: 1, max: 5000 }),
    notices: fc.integer({ min: 0, max: 8 }),
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 8 }), (all) => {
      const results = all.map(({ letter, length, end, whyLength, notices }) =>
        result(letter.repeat(length), {
          end,
          why: "w".repeat(whyLength),
          notices: Array.from({ length: notices }, () => "n".repeat(500)),
        }),
      );
      const text = report(results);
      assert.ok(text.length <= longestReport, `${text.length} characters`);
      for (const at of all.keys()) assert.ok(text.includes(`Task ${at + 1} of ${all.length}: `));
      assert.ok(text.isWellFormed());
    }),
    { numRuns: 200 },
  );
});
