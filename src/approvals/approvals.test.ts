import assert from "node:assert/strict";
import { test } from "node:test";
import type { Question, SideEffect } from "../core/asking.ts";
import { unattendedAsk } from "./index.ts";

const question = (effect: SideEffect): Question => ({ tool: "t", args: {}, cwd: "/", effect, summary: "t" });
const { signal } = new AbortController();

test("with nobody to ask, everything is declined as not asked", async () => {
  for (const attended of ["ask", "none"] as const) {
    const answer = await unattendedAsk(attended)(question("local"), signal);
    assert.deepEqual(answer, { choice: "deny", why: "not_asked" });
  }
});

test("what was allowed beforehand is allowed once, except what cannot be taken back", async () => {
  const ask = unattendedAsk("all");
  assert.deepEqual(await ask(question("external"), signal), { choice: "once", why: "policy" });
  assert.deepEqual(await ask(question("destructive"), signal), { choice: "deny", why: "policy" });
});
