import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { CallItem, Item } from "../../../src/core/items.ts";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { runs, talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

const patch = `*** Begin Patch
*** Update File: poem.txt
@@
-a cat
+an owl
*** End Patch
`;

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const kinds = (items: readonly Item[]): readonly string[] => items.map(({ kind }) => kind);
const calls = (items: readonly Item[]): readonly CallItem[] => items.filter((item) => item.kind === "call");

describe("what a turn on codex is made of", { concurrency: 2 }, () => {
  test("thinking, commentary, two commands at once, and the answer", async () => {
    const reply = [
      { reasoning: { summary: "Both at once." } },
      { text: "I look.", phase: "commentary" },
      runs("echo one"),
      runs("echo two; exit 3"),
    ];
    await using it = await talariaOnCodex([{ reply }, says("Both ran.")]);
    const { code, stderr, lines, items, ended } = await it.turn(["look"]);
    assert.deepEqual([code, stderr], [0, ""]);
    const place = { runtime: "codex", model: "gpt-5.5", cwd: it.cwd };
    assert.partialDeepStrictEqual(lines[0], { type: "started", ...place });
    assert.deepEqual(
      lines.map(({ seq }) => seq),
      lines.map((_, at) => at + 1),
    );
    assert.deepEqual(kinds(items), ["thinking", "text", "call", "call", "text"]);
    assert.partialDeepStrictEqual(items, [
      { text: "Both at once." },
      { text: "I look.", phase: "commentary" },
    ]);
    const [one, two] = calls(items).toSorted((a, b) => (a.output < b.output ? -1 : 1));
    assert.partialDeepStrictEqual(one, { tool: "exec_command", output: "one\n", ok: true, exitCode: 0 });
    assert.partialDeepStrictEqual(two, { tool: "exec_command", output: "two\n", ok: false, exitCode: 3 });
    for (const call of [one, two]) assert.equal(call?.callId, `codex_exec_${call?.id}`);
    assert.partialDeepStrictEqual(ended, { outcome: "done", text: "Both ran.", calls: 2 });
    assert.ok((ended.usage?.input ?? 0) > 0 && isDeepStrictEqual(ended.side, lines[0]?.["side"]));

    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["done"]);
    assert.deepEqual(session?.said.toSorted(), [
      "assistant ",
      "assistant ",
      "assistant Both ran.",
      "assistant I look.",
      "tool [exit 3]\ntwo\n",
      "tool one\n",
      "user look",
    ]);
  });

  test("a patch that changes the file, with its diff", async () => {
    await using it = await talariaOnCodex([
      { reply: [{ custom: { tool: "apply_patch", input: patch } }] },
      says("Changed."),
    ]);
    await writeFile(join(it.cwd, "poem.txt"), "a cat\nin the night\n");
    const { code, items } = await it.turn(["make it an owl"]);
    assert.equal(code, 0);
    assert.equal(await readFile(join(it.cwd, "poem.txt"), "utf8"), "an owl\nin the night\n");
    const [change] = calls(items);
    assert.partialDeepStrictEqual(change, { tool: "apply_patch", ok: true });
    assert.equal(change?.callId, `codex_apply_patch_${change?.id}`);
    assert.match(change?.diff ?? "", /poem\.txt\n.*\n@@ .*\n-a cat\n\+an owl\n/);
    const [session] = await onDisk(it.home);
    assert.equal(session?.said[2], "tool apply_patch status=completed, 1 change(s)");
  });

  test("a tool of ours: session_search finds a word of an earlier session", async () => {
    await using it = await talariaOnCodex([
      says("Noted."),
      { reply: [{ call: { tool: "session_search", args: { query: "Strigiform" } } }] },
      says("In Dresden."),
    ]);
    await it.turn(["Strigiform is the owl of Dresden"]);
    const { code, items, ended } = await it.turn(["where does it live?"]);
    assert.deepEqual([code, ended.text], [0, "In Dresden."]);
    const [search] = calls(items);
    assert.partialDeepStrictEqual(search, {
      tool: "session_search",
      args: { query: "Strigiform" },
      ok: true,
    });
    assert.match(search?.output ?? "", /«Strigiform» is the owl of Dresden/);
    const offered = (it.model.requests[1]?.body["tools"] ?? []) as readonly { name?: string }[];
    assert.ok(
      offered.some(({ name }) => name === "talaria"),
      "in a namespace of its own",
    );
    assert.match(heard(it.model.requests[2]).at(-1) ?? "", /^result .*owl of Dresden/);
  });

  test("a picture and a schema reach the model", async () => {
    await using it = await talariaOnCodex([says('{"bird":"owl"}')]);
    await writeFile(join(it.cwd, "owl.png"), Buffer.from(pixel, "base64"));
    const schema = { type: "object", properties: { bird: { type: "string" } }, required: ["bird"] };
    await writeFile(join(it.cwd, "bird.json"), JSON.stringify({ ...schema, additionalProperties: false }));
    const { code, ended } = await it.turn(["--image", "owl.png", "--schema", "bird.json", "which bird?"]);
    assert.deepEqual([code, ended.text], [0, '{"bird":"owl"}']);
    const body = it.model.requests[0]?.body as { text?: object; input?: readonly object[] };
    assert.partialDeepStrictEqual(body.text, { format: { type: "json_schema", schema } });
    assert.ok(JSON.stringify(body.input?.at(-1)).includes(`data:image/png;base64,${pixel}`));
    assert.match(heard(it.model.requests[0]).at(-1) ?? "", /which bird\?/);
  });
});
