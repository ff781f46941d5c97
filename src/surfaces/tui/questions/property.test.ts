import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import type { Answered, ApprovalState, Choice, InquiryState } from "../../../core/asking.ts";
import { asId } from "../../../core/ids.ts";
import { approvalOf, bench, inquiryOf, keys, paste, start } from "./bench.suite.ts";
import { exactRows } from "./text.ts";
import { visibleWidth } from "../toolkit.ts";

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: fc.anyCharacter, maxLength: 30 }),
  fc.constantFrom(
    "का".repeat(40),
    "👩‍👩‍👧‍👦".repeat(20),
    "日本語\tคำ",
    "\u001B[31m\u001B]0;x\u0007",
    "e\u0301".repeat(90),
  ),
);
const choices = fc.subarray<Choice>(["once", "session", "always", "deny"]);
const expiresAt = fc.oneof(fc.constant(start + 300_000), fc.integer({ min: start, max: start + 5_000 }));
const approval = (id: string): fc.Arbitrary<ApprovalState> =>
  fc
    .record({ shown: fc.array(text, { maxLength: 40 }), choices, expiresAt })
    .map((change) => approvalOf({ ...change, id: asId<"apr">(id) }));
const inquiry = (id: string): fc.Arbitrary<InquiryState> =>
  fc
    .tuple(
      text,
      fc.array(fc.record({ name: text, label: text, options: fc.array(text, { maxLength: 12 }) }), {
        maxLength: 3,
      }),
    )
    .map(([title, fields]) => ({ ...inquiryOf(fields, title), id: asId<"inq">(id) }));

type Step =
  | { readonly do: "key"; readonly data: string }
  /** Looks at the question for a while, chooses, and says so. */
  | { readonly do: "answer"; readonly data: string }
  | { readonly do: "event"; readonly event: object }
  | { readonly do: "time"; readonly ms: number }
  | { readonly do: "size"; readonly width: number; readonly rows: number };

const ids = ["q1", "q2", "q3"] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .oneof(
        fc.constantFrom(
          "1",
          "2",
          "4",
          "y",
          "n",
          ...Object.values(keys),
          paste("1\r"),
          "\u001B[49u",
          "\u001B[13;1:3u",
        ),
        text,
      )
      .map((data) => ({ do: "key" as const, data })),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...ids)
      .chain((id) =>
        fc.oneof(
          approval(id).map((each) => ({ type: "approval", approval: each })),
          inquiry(id).map((each) => ({ type: "inquiry", inquiry: each })),
        ),
      )
      .map((event) => ({ do: "event" as const, event })),
  },
  {
    weight: 1,
    arbitrary: fc
      .oneof(
        fc.constantFrom(...ids).map((id) => ({
          type: "approval",
          approval: { ...approvalOf({ id: asId<"apr">(id) }), decision: { choice: "deny", why: "timeout" } },
        })),
        fc.constant({ type: "ended", outcome: "interrupted", text: "", calls: 0 }),
      )
      .map((event) => ({ do: "event" as const, event })),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom("1", "2", "4", "y", "n", keys.escape, keys.down)
      .map((data) => ({ do: "answer" as const, data })),
  },
  { weight: 4, arbitrary: fc.constantFrom(1, 400, 600, 3_000).map((ms) => ({ do: "time" as const, ms })) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("size" as const),
      width: fc.integer({ min: 10, max: 200 }),
      rows: fc.integer({ min: 5, max: 60 }),
    }),
  },
);
const outcomes = fc.array(fc.constantFrom("taken", "late", "refused", "unknown", "rejected", "never"), {
  minLength: 1,
  maxLength: 6,
});

test("whatever is pressed and happens, it paints within the screen and answers a question once, with what it offers", async () => {
  let answers = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), outcomes, async (steps, plan) => {
      const offered = new Map<string, readonly Choice[]>();
      const wrong: string[] = [];
      const final = new Set<string>();
      const outcome = (id: string): Promise<Answered> => {
        if (final.has(id)) wrong.push(`${id} was answered again`);
        answers += 1;
        const next = plan[answers % plan.length] ?? "taken";
        if (next === "rejected") return Promise.reject(new Error("no\u001B[2J"));
        if (next === "refused") return Promise.resolve({ outcome: next, why: "no" });
        final.add(id);
        return next === "never" ? new Promise(() => {}) : Promise.resolve({ outcome: next });
      };
      const it = bench({
        answer: (choice, id) => {
          if (offered.get(id)?.includes(choice) !== true) wrong.push(`${choice} was not offered`);
          return outcome(id);
        },
        reply: (_, id) => outcome(id),
      });
      for (const each of steps) {
        if (each.do === "key") await it.press(each.data);
        if (each.do === "answer") {
          await it.wait();
          await it.press(each.data, keys.enter);
        }
        if (each.do === "time") await it.wait(each.ms);
        if (each.do === "size") Object.assign(it.size, each);
        if (each.do === "event") {
          const { approval: asked } = each.event as { approval?: ApprovalState };
          if (asked !== undefined && asked.decision === undefined && !offered.has(asked.id))
            offered.set(asked.id, asked.choices);
          it.say(each.event);
        }
        for (const line of it.lines())
          if (visibleWidth(line) > it.size.width) wrong.push(`too wide: ${JSON.stringify(line)}`);
      }
      it.panel[Symbol.dispose]();
      assert.deepEqual(wrong, []);
      assert.equal(it.clock.pending(), 0);
    }),
    { numRuns: 100 },
  );
  assert.ok(answers > 20, `only ${answers} answers were tried`);
});

test("wrapping keeps every character of what is asked", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "grapheme", maxLength: 200 }), fc.constant(`क${"ा".repeat(300)}`)),
      fc.integer({ min: 10, max: 200 }),
      (line, width) => {
        const rows = exactRows([line], width);
        assert.equal(rows.map((row) => row.slice(2)).join(""), exactRows([line], 100_000)[0]?.slice(2));
        for (const row of rows) assert.ok(visibleWidth(row) <= width);
      },
    ),
    { numRuns: 300 },
  );
});
