import assert from "node:assert/strict";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { offeredToCodex } from "../../../src/runtimes/codex/thread-settings/offered-tools.ts";
import { says } from "../endpoint.ts";
import { type CodexTalaria, talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

type Namespace = { readonly name: string; readonly tools: readonly { readonly name: string }[] };

/** What the model was given of our tools with the n-th request. */
function ours({ model }: CodexTalaria, at: number): Namespace | undefined {
  const tools = (model.requests[at]?.body["tools"] ?? []) as readonly Namespace[];
  return tools.find(({ name }) => name === "talaria");
}

const names = (it: CodexTalaria, at: number): readonly string[] =>
  (ours(it, at)?.tools ?? []).map(({ name }) => name);

describe("the tools of a codex thread", { concurrency: 2 }, () => {
  test("follow the person's switches: the next turn has a new thread with the conversation in it", async () => {
    await using it = await talariaOnCodex(["One.", "Two.", "Three.", "Four."].map(says));
    const first = await it.turn(["first"]);
    assert.ok(names(it, 0).includes("todo") && names(it, 0).includes("session_search"));

    const off = await it.run(["tools", "off", "todo"]);
    assert.deepEqual([off.code, off.stdout.split("\n")[0]], [0, "Switched off: todo."]);
    const second = await it.turn(["--continue", "second"]);
    assert.match(second.notices("thread_seeded")[0] ?? "", /^The tools have changed\./);
    assert.notEqual(second.thread, first.thread);
    assert.deepEqual(
      names(it, 1),
      names(it, 0).filter((name) => name !== "todo"),
    );
    assert.deepEqual(heard(it.model.requests[1]), ["user first", "assistant One.", "user second"]);

    const third = await it.turn(["--continue", "third"]);
    assert.deepEqual([third.thread, third.notices("thread_seeded")], [second.thread, []]);

    await it.run(["tools", "on", "todo"]);
    const fourth = await it.turn(["--continue", "fourth"]);
    assert.equal(fourth.notices("thread_seeded").length, 1);
    assert.deepEqual(names(it, 3), names(it, 0));
    assert.deepEqual(heard(it.model.requests[3]).at(-2), "assistant Three.");
  });

  test("with everything on are small: what is shown takes 6 KiB at most, and the rest is left out", async () => {
    await using it = await talariaOnCodex([says("One.")]);
    await appendFile(
      join(it.home, "config.yaml"),
      'web: { search: { backend: searxng, url: "http://127.0.0.1:9" } }\nimage_gen: { provider: mine }\n',
    );
    await it.turn(["first"]);
    const shown = names(it, 0);
    assert.ok(shown.length > 0);
    for (const name of shown) assert.equal(offeredToCodex.get(name), "shown", name);
    const size = JSON.stringify(ours(it, 0)).length;
    assert.ok(size <= 6 * 1024, `${size} characters for ${shown.join(", ")}`);
  });

  test("that are switched off are not run on the loop either, and the model hears why", async () => {
    const call = { reply: [{ call: { tool: "todo", args: { todos: [] } } }] };
    await using it = await talariaOnCodex([call, says("Done.")]);
    await it.run(["tools", "off", "todo"]);
    const { items } = await it.turn(["--runtime", "loop", "list"]);
    assert.partialDeepStrictEqual(items[0], { tool: "todo", ok: false });
    assert.match(JSON.stringify(items[0]), /todo is switched off here and was not run/);
    assert.match(await readFile(join(it.home, "config.yaml"), "utf8"), /\ntools:\n  disabled: \[todo\]\n$/);
  });
});
