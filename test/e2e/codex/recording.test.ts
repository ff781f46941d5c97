import assert from "node:assert/strict";
import { test } from "node:test";
import { says } from "../endpoint.ts";
import { itemsOf, runs, talariaOnCodex } from "./codex-talaria.ts";

test("a recording shows the same items again without codex", async () => {
  await using it = await talariaOnCodex([
    { reply: [{ text: "I count.", phase: "commentary" }, runs("echo one; echo two; exit 2")] },
    says("Two."),
  ]);
  const turn = await it.turn(["--record", "count"]);
  const file = turn.notices("recording")[0]?.replace("Recording to ", "") ?? "";
  const again = await it.run(["replay", "--json", file], {
    env: { PATH: "/usr/bin:/bin", CODEX_HOME: "/nowhere" },
  });
  assert.equal(again.code, 0);
  const lines = again.stdout.trimEnd().split("\n");
  assert.match(lines.pop() ?? "", /^1 turn: 1 done; 3 items$/);
  assert.deepEqual(itemsOf(lines.map((line) => JSON.parse(line))), turn.items);
  const shown = await it.run(["replay", file]);
  assert.match(shown.stdout, /^I count\.\nTwo\.\n/);
  assert.match(shown.stderr, /exec_command exit 2/);
  assert.equal(it.model.total, 2, "the model is not asked again");
});

test("talaria codex is the codex that runs the turns", async () => {
  await using it = await talariaOnCodex([says("never asked")]);
  const { code, stdout } = await it.run(["codex", "--version"]);
  assert.equal(code, 0);
  assert.match(stdout, /^codex-cli \d+\.\d+\.\d+\n$/);
});
