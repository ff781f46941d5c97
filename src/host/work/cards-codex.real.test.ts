import assert from "node:assert/strict";
import { test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import { call, cardsWorld, says } from "./cards-world.suite.ts";

test("a card with a worktree is worked on by the real codex: a command, a patch, and its own word", async (t) => {
  const patch = "*** Begin Patch\n*** Add File: note.md\n+mended\n*** End Patch";
  const it = await cardsWorld(t, [
    call("exec_command", { cmd: "echo tight > roof.txt && cat roof.txt" }),
    { reply: [{ custom: { tool: "apply_patch", input: patch } }] },
    call("kanban_complete", { summary: "The roof is tight." }),
    says("Done."),
  ]);
  await using host = await it.open();
  const client = host.as(localOwner("cli"));
  const over = it.becomes("done", "blocked", "review");
  const { id } = await client.call("kanban.add", {
    title: "Mend the roof",
    workspace: `worktree:${it.repository}`,
    runtime: "codex",
  });
  await over;
  const card = await client.call("kanban.show", { card: id });
  assert.equal(card.state, "done", JSON.stringify([card.block, card.runs]));
  assert.equal(card.runs.length, 1);
  assert.equal(await it.git("show", `card/${id}:roof.txt`), "tight");
  assert.equal(await it.git("show", `card/${id}:note.md`), "mended");
  await client.call("kanban.archive", { card: id });
  const [removed] = await client.call("kanban.workspaces", { remove: true });
  assert.equal(removed?.removed, true, removed?.kept);
  assert.equal(await it.git("show", `card/${id}:note.md`), "mended");
});
