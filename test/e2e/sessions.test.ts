import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, talariaOn } from "./endpoint.ts";
import { type Talaria, talaria } from "./talaria.ts";

describe("sessions", { concurrency: 2 }, () => {
  test("a home without sessions says so, and how to start one", async () => {
    await using it = await talaria();
    const [list, json, found] = [
      await it.run(["sessions", "list"]),
      await it.run(["sessions", "list", "--json"]),
      await it.run(["sessions", "search", "owl"]),
    ];
    assert.deepEqual([list.code, json.code, found.code], [0, 0, 0]);
    assert.match(list.stdout, /There are no sessions yet\. Start one: talaria run "hello"/);
    assert.equal(json.stdout, "");
    assert.equal(found.stdout, 'Nothing found for "owl".\n');
  });

  test("sessions are listed newest first, and shown with what was said and done", async () => {
    await using it = await talariaOn([says("An owl."), ...lookingUp, says("Still an owl.")]);
    const [older, newer] = [await began(it, "what flies at night?"), await began(it, "look it up")];
    const list = await it.run(["sessions", "list"]);
    assert.deepEqual(list.stdout.match(/^ses_\w+/gm), [newer, older]);
    assert.match(list.stdout, /what flies at night\?/);
    const { lines } = await it.run(["sessions", "list", "--json", "--limit", "1"]);
    assert.partialDeepStrictEqual(lines, [{ id: newer, cwd: it.cwd, surface: "cli", preview: "look it up" }]);
    assert.equal(lines.length, 1);

    const shown = await it.run(["sessions", "show", newer]);
    assert.deepEqual(shown.stdout.match(/^(user|assistant|tool) .*/gm)?.map(withoutPadding), [
      "user look it up",
      "assistant I look.",
      'assistant → session_search {"query":"bat"}',
      'tool Nothing was found for "bat". Try other or fewer words.',
      "assistant Still an owl.",
    ]);
    const whole = (await it.run(["sessions", "show", "--json", newer])).lines[0];
    assert.partialDeepStrictEqual(whole, { id: newer, turns: [{ state: "done", model: "gpt-5.5" }] });
    const { messages } = whole as unknown as {
      messages: readonly { seq: number; message: { role: string } }[];
    };
    assert.deepEqual(
      messages.map(({ message }) => message.role),
      ["user", "assistant", "assistant", "tool", "assistant"],
    );
  });

  test("export writes chat-completions lines, or Markdown", async () => {
    await using it = await talariaOn([...lookingUp, says("An owl.")]);
    const session = await began(it, "what flies?");
    const { code, lines } = await it.run(["sessions", "export", session]);
    assert.equal(code, 0);
    const calls = lines.flatMap((line) => (line["tool_calls"] ?? []) as readonly { id: string }[]);
    assert.deepEqual(
      lines.map(({ role }) => role),
      ["user", "assistant", "assistant", "tool", "assistant"],
    );
    assert.equal(calls.length, 1);
    assert.equal(lines[3]?.["tool_call_id"], calls[0]?.id);
    const markdown = await it.run(["sessions", "export", session, "--format", "md"]);
    assert.match(markdown.stdout, /^# /);
    assert.match(markdown.stdout, /what flies\?[\s\S]*An owl\./);
    const other = await it.run(["sessions", "export", session, "--format", "pdf"]);
    assert.equal(other.code, 2);
  });

  test("what is deleted is gone: not listed, not shown, not found; and it takes a second word", async () => {
    await using it = await talariaOn([says("An owl, of course."), says("A bat.")]);
    const [owl, bat] = [await began(it, "what flies at night?"), await began(it, "and at dusk?")];
    const found = await it.run(["sessions", "search", "owl"]);
    assert.match(found.stdout, new RegExp(`^${owl} .* assistant +An «owl», of course\\.\n$`));
    const hits = await it.run(["sessions", "search", "--json", "owl"]);
    assert.partialDeepStrictEqual(hits.lines, [{ session: owl, role: "assistant" }]);

    const asked = await it.run(["sessions", "delete", owl]);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /cannot be undone\.\n.*--yes/);
    assert.equal((await it.run(["sessions", "list", "--json"])).lines.length, 2);

    const gone = await it.run(["sessions", "delete", owl, "--yes"]);
    assert.deepEqual([gone.code, gone.stdout], [0, `Deleted ${owl}.\n`]);
    const [search, show, list, again] = await Promise.all([
      it.run(["sessions", "search", "--json", "owl"]),
      it.run(["sessions", "show", owl]),
      it.run(["sessions", "list", "--json"]),
      it.run(["sessions", "delete", owl, "--yes"]),
    ]);
    assert.deepEqual(search.lines, []);
    assert.deepEqual([show.code, again.code], [2, 2]);
    assert.deepEqual(
      list.lines.map(({ id }) => id),
      [bat],
    );
    const json = await it.run(["sessions", "delete", bat, "--yes", "--json"]);
    assert.deepEqual(json.lines, [{ deleted: bat }]);
  });

  test("a tool of one session finds words of another", async () => {
    await using it = await talaria();
    await it.run(["run", "my name is Ada"]);
    const { stdout } = await it.run(["run", "search for Ada"]);
    assert.match(stdout, /my name is .*Ada/);
  });
});

const lookingUp = [
  { reply: [{ text: "I look." }, { call: { tool: "session_search", args: { query: "bat" } } }] },
];

const withoutPadding = (line: string): string => line.replace(/ +/, " ");

async function began(it: Talaria, text: string): Promise<string> {
  const { code, lines, stderr } = await it.run(["run", "--json", text]);
  assert.equal(code, 0, stderr);
  return lines[0]?.session ?? "";
}
