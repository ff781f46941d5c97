import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import { call, cardsWorld, says } from "./cards-world.suite.ts";

describe("a card with a worktree", () => {
  test("is claimed, worked on and completed; its branch stays when its folder goes", async (t) => {
    const it = await cardsWorld(t, [
      call("terminal", { command: "echo tight > roof.txt && cat roof.txt" }),
      call("write_file", { path: "note.md", content: "mended\n" }),
      call("kanban_complete", { summary: "The roof is tight: roof.txt says so." }),
      says("Done."),
    ]);
    await using host = await it.open();
    const client = host.as(localOwner("cli"));
    const done = it.becomes("done", "blocked", "review");
    const made = await client.call("kanban.add", {
      title: "Mend the roof",
      workspace: `worktree:${it.repository}`,
      runtime: "loop",
    });
    await done;
    const card = await client.call("kanban.show", { card: made.id });
    assert.equal(card.state, "done", JSON.stringify(card.runs));
    const [run, ...more] = card.runs;
    assert.deepEqual(more, []);
    assert.partialDeepStrictEqual(run, {
      outcome: "completed",
      summary: "The roof is tight: roof.txt says so.",
      evidence: { branch: `card/${made.id}` },
    });
    const evidence = run?.evidence as {
      results: readonly { tool: string; exit?: number }[];
      changed: string;
    };
    assert.match(evidence.changed, /note\.md[\s\S]*roof\.txt/);
    assert.deepEqual(
      evidence.results.map(({ tool, exit }) => [tool, exit]),
      [
        ["terminal", 0],
        ["write_file", undefined],
      ],
    );
    assert.equal(await it.git("show", `card/${made.id}:roof.txt`), "tight");
    assert.equal(await readFile(`${it.repository}/roof.txt`, "utf8"), "leaks\n");
    const [listed] = await client.call("kanban.workspaces", {});
    assert.match(listed?.kept ?? "", /is not merged/);
    await client.call("kanban.archive", { card: made.id });
    const [removed] = await client.call("kanban.workspaces", { remove: true });
    assert.equal(removed?.removed, true, removed?.kept);
    assert.equal(existsSync(removed?.path ?? ""), false);
    assert.equal(await it.git("show", `card/${made.id}:note.md`), "mended");
  });
});

describe("the worker of a card", () => {
  test("is asked once when it says nothing, then a person looks at what it did", async (t) => {
    const it = await cardsWorld(t, [
      call("terminal", { command: "echo hi" }),
      says("Done."),
      says("I said it."),
    ]);
    await using host = await it.open();
    const client = host.as(localOwner("cli"));
    const over = it.becomes("done", "blocked", "review");
    const { id } = await client.call("kanban.add", { title: "Say hi", runtime: "loop" });
    assert.equal((await over).state, "review");
    const { runs } = await client.call("kanban.show", { card: id });
    assert.partialDeepStrictEqual(runs, [{ outcome: "no_verdict", summary: "I said it." }]);
    assert.equal(it.model.requests.length, 3);
    assert.equal((await client.call("why.explain", { id })).state, "review");
  });

  test("is done when the check of its card passes, whatever it says before", async (t) => {
    const it = await cardsWorld(t, [
      call("kanban_complete", { summary: "Done, I think." }),
      says("Done."),
      call("terminal", { command: "touch made" }),
      call("kanban_complete", { summary: "Now it is." }),
      says("Done."),
    ]);
    await using host = await it.open();
    const client = host.as(localOwner("cli"));
    const over = it.becomes("done", "blocked", "review");
    const { id } = await client.call("kanban.add", {
      title: "Make it",
      runtime: "loop",
      check: "test -e made",
    });
    assert.equal((await over).state, "done");
    const { runs } = await client.call("kanban.show", { card: id });
    assert.partialDeepStrictEqual(runs, [{ summary: "Now it is.", evidence: { check: { exitCode: 0 } } }]);
  });

  test("puts its card back when its host ends, and the next host goes on with it", async (t) => {
    const it = await cardsWorld(t, [
      { reply: [{ hang: true }] },
      call("kanban_complete", { summary: "At the second try." }),
      says("Done."),
    ]);
    const { id } = await (async () => {
      await using host = await it.open();
      const card = await host.as(localOwner("cli")).call("kanban.add", { title: "Try", runtime: "loop" });
      await it.model.waitForRequest(1);
      return card;
    })();
    const over = it.becomes("done", "blocked", "review");
    await using host = await it.open();
    assert.equal((await over).state, "done");
    const { runs, failures } = await host.as(localOwner("cli")).call("kanban.show", { card: id });
    assert.equal(failures, 0);
    assert.deepEqual(runs.map(({ outcome }) => outcome).toSorted(), ["completed", "reclaimed"]);
  });
});
