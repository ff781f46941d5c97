import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { toml } from "./toml.ts";

describe("a value for a codex option", () => {
  test("is TOML on one line", () => {
    assert.equal(toml("plain"), '"plain"');
    assert.equal(toml(false), "false");
    assert.equal(toml(3), "3");
    assert.equal(toml(["a", { b: [] }]), '["a",{"b"=[]}]');
    assert.equal(toml({ "a.b": { c: 'say "hi"' }, d: 0 }), '{"a.b"={"c"="say \\"hi\\""},"d"=0}');
  });

  test("can hold any text: escapes alone, no raw control character, and the same text when read", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(0x80), fc.nat(0xffff))), (units) => {
        const text = String.fromCharCode(...units);
        const written = toml(text);
        // oxlint-disable-next-line no-control-regex -- those must not be there
        assert.doesNotMatch(written, /[\u0000-\u001F\u007F]/);
        assert.match(written, /^"(?:[^"\\]|\\["\\bfnrt]|\\u[0-9a-f]{4})*"$/u);
        assert.equal(JSON.parse(written), text.toWellFormed());
      }),
    );
  });

  test("holds no half characters, which TOML does not know", () => {
    assert.equal(toml("a\uD800b"), '"a\uFFFDb"');
    assert.equal(toml("\u007F"), String.raw`"\u007f"`);
  });
});
