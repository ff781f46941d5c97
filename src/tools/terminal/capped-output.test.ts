import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { array, assert as holds, integer, property, string } from "../../../test/seeded.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { cappedOutput } from "./capped-output.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "utf8");

describe("the output of a command", () => {
  test("that fits is kept as it was, however its characters were cut into chunks", () => {
    holds(
      property(
        string({ unit: "grapheme", maxLength: 60 }),
        array(integer({ min: 1, max: 5 })),
        (text, sizes) => {
          const output = cappedOutput({ head: 20, tail: 400 }, redactor());
          let rest = bytes(text);
          for (const size of [...sizes, rest.length]) {
            output.add(rest.subarray(0, size));
            rest = rest.subarray(size);
          }
          output.add(rest);
          output.end();
          assert.equal(output.text(), text);
        },
      ),
    );
  });

  test("that is longer keeps its beginning and its end, and counts every character between", () => {
    holds(
      property(array(integer({ min: 0, max: 300 }), { maxLength: 30 }), (sizes) => {
        const output = cappedOutput({ head: 10, tail: 20 }, redactor());
        const text = Array.from({ length: sizes.reduce((a, b) => a + b, 0) }, (_, at) =>
          String(at % 10),
        ).join("");
        let from = 0;
        for (const size of sizes) output.add(bytes(text.slice(from, (from += size))));
        output.end();
        const missing = text.length - 30;
        const expected = `${text.slice(0, 10)}\n[${missing} characters left out]\n${text.slice(-20)}`;
        assert.equal(output.text(), missing > 0 ? expected : text);
      }),
    );
  });

  test("that was taken is not told again", () => {
    const output = cappedOutput({ head: 3, tail: 3 }, redactor());
    output.add(bytes("one and more\n"));
    assert.equal(output.take(), "one\n[7 characters left out]\nre\n");
    assert.equal(output.take(), "");
    output.add(bytes("two\n"));
    assert.equal(output.take(), "two\n");
  });

  test("that waits for an answer is told up to where a secret may have begun", () => {
    const output = cappedOutput({ head: 99, tail: 99 }, redactor(["hunter2 hunter2"]));
    output.add(bytes("Your name? "));
    assert.equal(output.take(), "Your name? ");
    output.add(bytes("it is hunter2 hun"));
    assert.equal(output.take(), "it is ");
    output.add(bytes("ter2 then\nAuthorization: Bearer 0123456789"));
    assert.equal(output.take(), "[redacted] then\nAuthorization: ");
    output.add(bytes("abcdefghij"));
    output.end();
    assert.equal(output.take(), "Bearer [redacted]");
  });

  test("that is cut through a character has no half of one", () => {
    const output = cappedOutput({ head: 1, tail: 1 }, redactor());
    output.add(bytes("😀😀😀"));
    output.end();
    assert.ok(output.text().isWellFormed());
  });
});
