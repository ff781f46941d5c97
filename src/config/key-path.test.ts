import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { keyText, parseKeyPath } from "./key-path.ts";

test("a path with any names can be written and read back", () => {
  const names = fc.array(fc.string({ unit: fc.anyCharacter, minLength: 1 }), { minLength: 1 });
  fc.assert(fc.property(names, (path) => assert.deepEqual(parseKeyPath(keyText(path)), path)));
});

test("plain names need no quotes", () => {
  assert.equal(keyText(["mcp_servers", "my.files", "url"]), 'mcp_servers."my.files".url');
  assert.deepEqual(parseKeyPath("model.default"), ["model", "default"]);
});

test("what is no path is not guessed at", () => {
  for (const text of ["", ".", "a.", ".a", "a..b", 'a."b', '"a"b', '"\\x"']) {
    assert.equal(parseKeyPath(text), undefined, text);
  }
});
