import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { RpcError, parseRpc } from "./rpc-message.ts";

describe("parseRpc", () => {
  test("tells the kinds apart, with and without a jsonrpc field", () => {
    assert.deepEqual(parse({ id: 0, method: "m", params: [1] }), {
      kind: "request",
      id: 0,
      method: "m",
      params: [1],
    });
    assert.deepEqual(parse({ jsonrpc: "2.0", method: "m" }), {
      kind: "notification",
      method: "m",
      params: undefined,
    });
    assert.deepEqual(parse({ id: "", result: null }), { kind: "result", id: "", result: null });
  });

  test("takes an answer whose error is null, or that has nothing but an id, for a result", () => {
    assert.deepEqual(parse({ id: 1, error: null, result: "yes" }), { kind: "result", id: 1, result: "yes" });
    assert.deepEqual(parse({ id: 1 }), { kind: "result", id: 1, result: undefined });
  });

  test("lets an error win over a result", () => {
    const message = parse({ id: 1, result: "yes", error: { code: -1, message: "no", data: [2] } });
    assert.ok(message.kind === "error");
    assert.deepEqual([message.error.code, message.error.message, message.error.data], [-1, "no", [2]]);
  });

  test("reads an error of any shape", () => {
    for (const [error, words] of [
      ["plain words", "plain words"],
      [7, "The other side gave an error without a message."],
      [{ code: "x", message: 5 }, "The other side gave an error without a message."],
    ] as const) {
      const message = parse({ id: 1, error });
      assert.ok(message.kind === "error" && message.error instanceof RpcError);
      assert.deepEqual([message.error.code, message.error.message], [-32603, words]);
    }
  });

  test("says why a line is no message", () => {
    for (const line of ["", "{", "null", "[]", "7", '"x"']) assert.match(why(line), /not a JSON object/);
    for (const line of ["{}", '{"id":null}', '{"method":5}', '{"id":null,"error":{}}'])
      assert.match(why(line), /neither a method nor an id/);
    for (const line of ['{"id":{},"method":"m"}', '{"id":null,"method":"m"}'])
      assert.match(why(line), /neither a string nor a number/);
    // A broken request must not pass for the answer to ours.
    for (const line of ['{"id":1,"method":5}', '{"id":1,"params":{}}', '{"id":1,"method":null,"result":1}'])
      assert.match(why(line), /method is missing or no string/);
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: fc.anyCharacter })), (line) => void parseRpc(line)),
    );
  });
});

const parse = (message: object) => parseRpc(JSON.stringify(message));

function why(line: string): string {
  const message = parseRpc(line);
  return message.kind === "bad" ? message.why : `${line} is a ${message.kind}`;
}
