import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { type Talaria, talaria } from "../talaria.ts";

describe("sessions", { concurrency: 2 }, () => {
  test("a home without sessions says so, and how to start one", async () => {
    await using it = await talaria();
    const list = await it.run(["sessions", "list"]);
    const found = await it.run(["sessions", "search", "owl"]);
    assert.deepEqual([list.code, found.code], [0, 0]);
    assert.match(list.stdout, /There are no sessions yet\. Start one: talaria run "hello"/);
    assert.equal(found.stdout, 'Nothing found for "owl".\n');
  });

  test("sessions are listed newest first, shown with what was said and done, and exported", async () => {
    const search = { call: { tool: "session_search", args: { query: "bat" } } };
    await using it = await talariaOn([
      says("An owl."),
      { reply: [{ text: "I look." }, search] },
      says("Still an owl."),
    ]);
    const [newer, older] = await twoSessions(it, "what flies at night?", "look it up");
    const list = await it.run(["sessions", "list"]);
    assert.deepEqual(list.stdout.match(/^ses_\w+/gm), [newer, older]);
    assert.match(list.stdout, /what flies at night\?/);
    const folders = list.stdout.trimEnd().split("\n");
    assert.equal(new Set(folders.map((row) => row.indexOf(it.cwd))).size, 1, list.stdout);
    const first = await it.run(["sessions", "list", "--json", "--limit", "1"]);
    assert.partialDeepStrictEqual(first.lines, [
      { id: newer, cwd: it.cwd, surface: "cli", audience: "owner" },
    ]);
    assert.equal(first.lines.length, 1);

    const shown = await it.run(["sessions", "show", newer]);
    const [head = "", listed = ""] = [shown, list].map(({ stdout }) => stdout.split("\n")[0]);
    assert.equal(head, listed.replaceAll(/ {2,}/g, "  "), "it is called there as in the list");
    assert.deepEqual(shown.stdout.match(/^(user|assistant|tool) .*/gm)?.map(withoutPadding), [
      "user look it up",
      "assistant I look.",
      'assistant → session_search {"query":"bat"}',
      'tool Nothing was found for "bat". Try other or fewer words.',
      "assistant Still an owl.",
    ]);
    const roles = ["user", "assistant", "assistant", "tool", "assistant"];
    const whole = await it.run(["sessions", "show", "--json", newer]);
    assert.partialDeepStrictEqual(whole.lines, [
      {
        id: newer,
        turns: [{ state: "done", model: "gpt-5.5" }],
        messages: roles.map((role) => ({ message: { role } })),
      },
    ]);

    const { lines } = await it.run(["sessions", "export", newer]);
    assert.deepEqual(
      lines.map(({ role }) => role),
      roles,
    );
    assert.partialDeepStrictEqual(lines[2]?.["tool_calls"], [{ id: lines[3]?.["tool_call_id"] }]);
    const markdown = await it.run(["sessions", "export", newer, "--format", "md"]);
    assert.match(markdown.stdout, /^# [^]*look it up[^]*Still an owl\./);
    const other = await it.run(["sessions", "export", newer, "--format", "pdf"]);
    assert.deepEqual([other.code, other.stdout], [2, ""]);
  });

  test("what is deleted is gone: not shown, not found; and deleting takes a second word", async () => {
    await using it = await talariaOn([says("An owl, of course."), says("A bat.")]);
    const [bat, owl] = await twoSessions(it, "what flies at night?", "and at dusk?");
    const found = await it.run(["sessions", "search", "owl"]);
    assert.match(found.stdout, new RegExp(`^${owl} .* assistant +An «owl», of course\\.\n$`));
    const hits = await it.run(["sessions", "search", "--json", "owl"]);
    assert.partialDeepStrictEqual(hits.lines, [{ session: owl, role: "assistant" }]);

    const asked = await it.run(["sessions", "delete", owl]);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /cannot be undone\.\n.*--yes/);
    assert.equal((await onDisk(it.home)).length, 2);

    const gone = await it.run(["sessions", "delete", owl, "--yes"]);
    assert.deepEqual([gone.code, gone.stdout], [0, `Deleted ${owl}.\n`]);
    const again = await it.run(["sessions", "search", "--json", "owl"]);
    const show = await it.run(["sessions", "show", owl]);
    assert.deepEqual([again.stdout, show.code, show.stdout], ["", 2, ""]);
    const json = await it.run(["sessions", "delete", bat, "--yes", "--json"]);
    assert.deepEqual(json.lines, [{ deleted: bat }]);
    assert.deepEqual(await onDisk(it.home), []);
  });

  test("a tool of one session finds words of another", async () => {
    await using it = await talaria();
    const { stdout } = await it.run([], { input: "my name is Ada\n/new\nsearch for Ada\n" });
    assert.match(stdout, /session_search found for “Ada”:[^]*my name is .*Ada/);
  });
});

const withoutPadding = (line: string): string => line.replace(/ +/, " ");

/** Their ids, newest first. */
async function twoSessions(it: Talaria, first: string, second: string): Promise<readonly [string, string]> {
  const { code, stderr } = await it.run([], { input: `${first}\n/new\n${second}\n` });
  assert.equal(code, 0, stderr);
  const [newer, older] = await onDisk(it.home);
  return [newer?.id ?? "", older?.id ?? ""];
}
