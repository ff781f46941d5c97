import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import type { CallItem } from "../../src/core/items.ts";
import type { RecordedRequest } from "../fakes/request-log.ts";
import { editorOn, newThread } from "./acp/thread.ts";
import { endless, pidOf, processesOf, talariaOnCodex, told, runs } from "./codex/codex-talaria.ts";
import { heard } from "./codex/heard.ts";
import { whenChanged } from "./codex/watching.ts";
import { talariaOn } from "./endpoint.ts";
import { onDisk } from "./on-disk.ts";
import type { Line, Talaria } from "./talaria.ts";

type Part = Readonly<Record<string, unknown>>;

/** A step for the turn of the person, whose message is always this one. */
const work = (...reply: readonly object[]): object => ({ when: "^work$", reply });
/** A step for the session that does this task. */
const task = (goal: string, ...reply: readonly object[]): object => ({ when: `The task:\n${goal}\n`, reply });

const calls = (tool: string, args: Part): object => ({ call: { tool, args } });
const handsOn = (...tasks: readonly Part[]): object =>
  calls("delegate_task", tasks.length === 1 ? (tasks[0] ?? {}) : { tasks });
const text = (words: string): object => ({ text: words });

describe("a task that is handed on", { concurrency: 2 }, () => {
  test("during one turn on codex: a past session is found, a list kept, and a task of the loop sums up", async () => {
    await using it = await talariaOnCodex([
      { when: "^remember", reply: [text("The owls sleep in the barn.")] },
      work(calls("session_search", { query: "barn" })),
      work(calls("todo", { todos: [{ id: "1", content: "count the owls", status: "in_progress" }] })),
      work(handsOn({ goal: "count the owls", context: "They are in owls.txt.", runtime: "loop" })),
      task("count the owls", calls("read_file", { path: "owls.txt" })),
      task("count the owls", text("There are three owls.")),
      work(text("Three, says the task.")),
    ]);
    await writeFile(join(it.cwd, "owls.txt"), "Ada, Bea, Cleo\n");
    assert.equal((await it.run(["run", "remember"])).code, 0);
    const { code, items, ended, lines } = await it.turn(["work"]);
    assert.deepEqual([code, ended.text], [0, "Three, says the task."]);
    const [search, todo, delegate] = items.filter((item): item is CallItem => item.kind === "call");
    assert.match(search?.output ?? "", /The owls sleep in the/);
    assert.match(todo?.output ?? "", /count the owls/);
    assert.partialDeepStrictEqual(delegate, { tool: "delegate_task", ok: true });
    const child = sessionIn(delegate?.output);
    assert.match(
      delegate?.output ?? "",
      /^Task 1 of 1: done \(loop, 1 call, [\d,]+ tokens, session ses_\w+\)\.\nThere are three owls\.$/,
    );
    // The model of the turn has read the summary, and nothing else of the task.
    const last = heard(it.model.requests.at(-1));
    assert.match(last.at(-1) ?? "", /There are three owls\./);
    assert.ok(!last.join("\n").includes("Ada, Bea, Cleo"));
    assert.match(
      shownBy(lines, "delegate_task"),
      /^1 ▸ loop · count the owls\n1 ▸ loop · read_file owls\.txt\n1 ✓ loop · 1 call, /,
    );

    const show = (await it.run(["sessions", "show", String(lines[0]?.session)])).stdout;
    assert.match(show, new RegExp(`^  handed on: ${child}  .*count the owls.*\\[loop\\]$`, "m"));
    assert.ok(!(await onDisk(it.home)).some(({ id }) => id === child), "it is in no list of its own");
    const total = (await it.run(["usage", "--session", String(lines[0]?.session), "--json"])).lines.at(-1);
    assert.equal(total?.["rows"], 2, "the session pays for its task");
  });

  test("by a turn of the loop is done on codex, with codex's own tools and without handing on further", async () => {
    await using it = await talariaOnCodex([
      work(handsOn({ goal: "make a file", runtime: "codex" })),
      task("make a file", runs("echo made > made.txt")),
      task("make a file", calls("delegate_task", { goal: "again" })),
      task("make a file", text("It is made.")),
      work(text("Made, says the task.")),
    ]);
    const { code, ended, items, lines, stderr } = told(await it.run(["run", "--json", "work"]));
    assert.deepEqual([code, ended.text], [0, "Made, says the task."], stderr);
    assert.deepEqual(await readdir(it.cwd), ["made.txt"]);
    assert.match((items[0] as CallItem).output, /^Task 1 of 1: done \(codex, 1 call, .*\)\.\nIt is made\.$/);
    const [parent, child] = [toolNames(it.model.requests[0]), toolNames(it.model.requests[1])];
    assert.ok(parent.includes("delegate_task") && parent.includes("clarify"));
    assert.ok(child.includes("session_search") && child.includes("exec_command"));
    assert.ok(!child.includes("delegate_task") && !child.includes("clarify"));
    assert.match(heard(it.model.requests[3]).at(-1) ?? "", /unsupported call: delegate_task/);
    assert.match(
      shownBy(lines, "delegate_task"),
      /^1 ▸ codex · make a file\n1 ▸ codex · exec_command echo made > made\.txt\n/,
    );
  });

  test("beside others fails alone, with its reason, and on the terminal each is a line of its own", async () => {
    await using it = await talariaOnCodex([
      work(
        handsOn(
          { goal: "one", runtime: "loop" },
          { goal: "two", runtime: "codex" },
          { goal: "three", runtime: "loop" },
        ),
      ),
      task("one", text("One is done.")),
      task("two", text("Two is done.")),
      task("three", { http: { status: 401, body: { error: { message: "no such key" } } } }),
      work(text("Two of three.")),
    ]);
    const { code, stdout, stderr } = await it.run(["run", "work"]);
    assert.deepEqual([code, stdout], [0, "Two of three.\n"], stderr);
    for (const line of [/^ {2}1 ✓ loop · /m, /^ {2}2 ✓ codex · /m, /^ {2}3 ✗ loop · 0 calls, .*401/m])
      assert.match(stderr, line);
    const result = heard(it.model.requests.at(-1)).at(-1) ?? "";
    for (const words of ["One is done.", "Two is done.", "Task 3 of 3: failed (loop"])
      assert.ok(result.includes(words), result);
  });
});

describe("what a task asks", { concurrency: 2 }, () => {
  for (const [name, runtime, remove] of [
    ["the loop", "loop", (file: string) => calls("terminal", { command: `rm -f ${file}` })],
    ["codex", "codex", (file: string) => runs(`rm -f ${file}`)],
  ] as const)
    test(`on ${name} is answered where the person talks, and a yes for the session holds for both`, async () => {
      await using it = await talariaOnCodex([
        work(handsOn({ goal: "tidy up", runtime })),
        task("tidy up", remove("one")),
        task("tidy up", text("Gone.")),
        work(handsOn({ goal: "tidy more", runtime })),
        task("tidy more", remove("one")),
        task("tidy more", text("Gone again.")),
        work(text("Tidy.")),
      ]);
      await writeFile(join(it.cwd, "one"), "");
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      const prompt = thread.prompt("work");
      const { request, answer } = await editor.asked();
      assert.equal(request.sessionId, thread.id);
      assert.match(
        JSON.stringify(request.toolCall.content),
        new RegExp(`rm -f one.*Asked for the delegated task “tidy up”, which runs on ${runtime}\\.`),
      );
      answer("session");
      assert.deepEqual(await prompt, { stopReason: "end_turn" });
      assert.equal(thread.said().endsWith("Tidy."), true, thread.said());
      assert.deepEqual(await readdir(it.cwd), []);
      const { lines } = await it.run(["approvals", "list", "--json"]);
      const rows = lines.toReversed().map((row) => [row["session"], row["state"], row["why"]]);
      assert.deepEqual(rows, [
        [thread.id, "session", "person"],
        [thread.id, "allowed", "grant"],
      ]);
      assert.equal(new Set(lines.map((row) => row.turn)).size, 1, "both are of the person's turn");
      const [call] = thread.calls();
      assert.match(JSON.stringify(call?.content), /Gone\./);
    });

  test("is not done when nobody can be asked, and the person and both models are told", async () => {
    await using it = await talariaOn([
      work(handsOn({ goal: "tidy up" })),
      task("tidy up", calls("terminal", { command: "rm -f one" })),
      task("tidy up", text("I was not allowed to.")),
      work(text("It was not allowed.")),
    ]);
    await writeFile(join(it.cwd, "one"), "");
    const { code, notices } = told(await it.run(["run", "--json", "work"]));
    assert.equal(code, 0);
    assert.deepEqual(notices("not_asked"), [
      "Not done: for the delegated task “tidy up”: rm -f one (not asked: no one was there to ask)",
    ]);
    assert.deepEqual(await readdir(it.cwd), ["one"]);
    assert.match(heard(it.model.requests[2]).at(-1) ?? "", /terminal was not run: .*no one was there/);
    assert.match(heard(it.model.requests[3]).at(-1) ?? "", /I was not allowed to\./);
  });
});

const bothBegun = ({ cwd }: Talaria): Promise<void> =>
  whenChanged(cwd, async () => {
    const files = await readdir(cwd);
    return files.includes("begun") && files.includes("looped");
  });

describe("tasks that are cut off", { concurrency: 2 }, () => {
  const endlessOnLoop = calls("terminal", { command: "touch looped; sleep 605" });
  const script = [
    work(handsOn({ goal: "one", runtime: "codex" }, { goal: "two", runtime: "loop" })),
    task("one", endless),
    task("two", endlessOnLoop),
    { when: "^go on$", reply: [text("Here again.")] },
  ];
  test("by Ctrl+C end with the turn, and nothing of them is left", async () => {
    await using it = await talariaOnCodex(script);
    const child = await it.start(["run", "--json", "--approve", "all", "work"]);
    await bothBegun(it);
    child.signal("SIGINT");
    const stopped = told(await child.finished);
    assert.deepEqual([stopped.code, stopped.ended.outcome], [130, "interrupted"]);
    assert.deepEqual(await processesOf(it), []);
    assert.deepEqual(states(it), ["delegate interrupted", "delegate interrupted", "cli interrupted"]);
  });

  test("by the death of Talaria are closed once with their turn, and nothing runs again", async () => {
    await using it = await talariaOnCodex(script);
    const child = await it.start(["run", "--json", "--approve", "all", "work"]);
    await bothBegun(it);
    child.signal("SIGKILL");
    await child.finished;
    assert.deepEqual(states(it), ["delegate open", "delegate open", "cli open"]);
    const before = it.model.total;
    const next = told(await it.run(["run", "--json", "--continue", "go on"]));
    assert.deepEqual([next.code, next.ended.text], [0, "Here again."]);
    assert.equal(next.notices("turn_recovered").length, 1);
    assert.match(next.notices("turn_recovered")[0] ?? "", /is kept as interrupted/);
    assert.deepEqual(await processesOf(it), []);
    assert.equal(it.model.total, before + 1, "no task was asked for again");
    assert.deepEqual(states(it), [
      "delegate interrupted",
      "delegate interrupted",
      "cli interrupted",
      "cli done",
    ]);
  });

  test("by the death of codex fail with that reason, and the turn goes on", async () => {
    await using it = await talariaOnCodex([
      work(handsOn({ goal: "one", runtime: "codex" }, { goal: "two", runtime: "loop" })),
      task("one", endless),
      task("two", text("Two is done.")),
      work(text("One was lost.")),
    ]);
    const child = await it.start(["run", "--json", "--approve", "all", "work"]);
    await whenChanged(it.cwd, async () => (await readdir(it.cwd)).includes("begun"));
    process.kill(await pidOf(it, /codex app-server/), "SIGKILL");
    const { code, ended, items } = told(await child.finished);
    assert.deepEqual([code, ended.text], [0, "One was lost."]);
    assert.match(
      (items[0] as CallItem).output,
      /^Task 1 of 2: failed \(codex, .*\)\. The codex app-server was ended by SIGKILL\.[^]*Two is done\.$/,
    );
  });
});

const sessionIn = (output = ""): string => /session (ses_\w+)/.exec(output)?.[1] ?? "";

/** What a call showed while it ran. */
function shownBy(lines: readonly Line[], tool: string): string {
  const items = lines.map(
    (line) => line["item"] as { readonly id?: string; readonly tool?: string } | undefined,
  );
  const id = items.find((item) => item?.tool === tool)?.id;
  return lines
    .filter((line) => line.type === "delta" && line["of"] === "output" && line["item"] === id)
    .map((line) => line.text)
    .join("");
}

type Offered = { readonly name?: string; readonly tools?: readonly Offered[] };

const toolNames = (request: RecordedRequest | undefined): readonly string[] =>
  ((request?.body["tools"] ?? []) as readonly Offered[])
    .flatMap(({ name, tools }) => [name, ...(tools ?? []).map((tool) => tool.name)])
    .filter((name) => name !== undefined);

/** Surface and state of every turn: those of tasks first. */
function states({ home }: Talaria): readonly string[] {
  using db = new DatabaseSync(join(home, "talaria.db"), { readOnly: true });
  const rows = db
    .prepare(
      "SELECT surface, state FROM turn JOIN session ON session.id = turn.session ORDER BY parent IS NULL, seq",
    )
    .all();
  return rows.map(({ surface, state }) => `${String(surface)} ${String(state)}`);
}
