import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../../core/host.ts";
import { cursorAt, placeOf } from "./cursor.ts";

const scope = { home: "0123456789ab", of: "all" } as const;

test("every place that a number can hold is a place of a cursor, and no other is", () => {
  for (const place of [0, 1, 10 ** 15, Number.MAX_SAFE_INTEGER])
    assert.equal(placeOf(scope, cursorAt(scope, place)), place);
  assert.throws(() => placeOf(scope, `${scope.home}.all.9007199254740993`), Refusal);
});
