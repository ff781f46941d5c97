import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./run.ts";
import { bench } from "./bench.ts";
import { figuresOf } from "./figures.ts";

const { quick } = bench.sizes;

test("the plain reader and Talaria ask the same and end every turn, and whole runs end well", async () => {
  const measured = await run(quick, () => {});
  const { blocks, turns, cold } = quick;
  const said = figuresOf(measured);
  assert.equal(said.failed, 0);
  for (const name of ["plain", "durable", "talaria"]) assert.equal(said.warm[name]?.turns, blocks * turns);
  for (const name of ["node", "talaria"]) assert.equal(said.cold[name]?.runs, cold);
  for (const { store, marks } of measured.warm.talaria?.flat() ?? []) {
    assert.ok(store !== undefined && store.commits > 0, "a turn is committed");
    assert.ok(marks.first !== undefined, "a word is shown before the end");
  }
  const { plain, talaria } = measured.asked;
  assert.equal(plain.length, 1 + turns);
  for (const body of plain)
    assert.ok(
      talaria.some((own) => sameRequest(own, body)),
      JSON.stringify(body),
    );
});

type Asked = { readonly input?: unknown; readonly tools?: unknown };

function sameRequest(one: unknown, other: unknown): boolean {
  const parts = [one, other].map((body) => JSON.stringify([(body as Asked).input, (body as Asked).tools]));
  return parts[0] === parts[1];
}
