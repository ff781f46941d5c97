import assert from "node:assert/strict";
import { test } from "node:test";
import { says } from "../endpoint.ts";
import { talariaOnCodex } from "./codex-talaria.ts";

const known = /\b(?:[a-z]+_[a-z]+|patch|terminal|process|clarify)\b/g;

test("the loop tells a model how to work with the tools it has, the same to the byte; codex keeps its own words", async () => {
  await using it = await talariaOnCodex([says("One."), says("Two."), says("Three."), says("Four.")]);
  await it.run(["run", "one"]);
  await it.run(["run", "--continue", "two"]);
  await it.turn(["three"]);
  await it.turn(["--model", "gpt-6.1-sol", "four"]);
  const [first, second, ...onCodex] = it.model.requests.map(({ body }) => body);
  const told = String(first?.["instructions"]);
  const words = told.slice(0, told.indexOf("\n\nYou are Talaria"));
  assert.match(
    words,
    /^How you work:\n- Look before you change: [^]*\n\nYour tools:\n[^]*\n\nYour answers:\n/,
  );
  const tools = new Set(((first?.["tools"] ?? []) as readonly { name: string }[]).map(({ name }) => name));
  const named = new Set(words.match(known));
  assert.deepEqual(
    [...named].filter((name) => !tools.has(name)),
    [],
  );
  assert.ok(named.size >= 8, [...named].join());
  assert.equal(second?.["instructions"], told);
  assert.equal(onCodex.length, 2);
  for (const body of onCodex) {
    assert.match(JSON.stringify(body), /You are Talaria/);
    assert.doesNotMatch(JSON.stringify(body), /How you work:|Look before you change/);
  }
});
