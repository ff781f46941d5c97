import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { testFolder } from "../../../../test/temp-folder.ts";
import { type CompleteCommand, completion } from "./completion.ts";
import { atPrompt, keys, listing, type Typist, until } from "./typist.suite.ts";

const table: Readonly<Record<string, readonly string[]>> = {
  "/help": [],
  "/model": [],
  "/runtime": ["loop", "codex"],
  "/quit": [],
  "/queue": [],
};
const fitting = (words: readonly string[], begun: string) => words.filter((word) => word.startsWith(begun));
const complete: CompleteCommand = (line) => {
  const [name = "", argument] = line.split(/\s+/);
  if (argument === undefined)
    return fitting(Object.keys(table), name).map((value) => ({
      value,
      label: value,
      detail: `about ${value}`,
    }));
  return fitting(table[name] ?? [], argument).map((value) => ({ value, label: value }));
};
const paths = [
  "docs/",
  "src/",
  "README.md",
  "src/a b.png",
  "src/my docs/",
  "src/prompt.ts",
  "src/prompt.test.ts",
];

const shows = (it: Typist, text: string): Promise<void> =>
  until(async () => (await it.screen()).some((line) => line.includes(text)));
const hides = (it: Typist, text: string): Promise<void> =>
  until(async () => !(await it.screen()).some((line) => line.includes(text)));
const suggested = async (text: string, force: boolean): Promise<readonly string[] | undefined> => {
  const { provider } = completion({ cwd: "/", complete, files: listing(paths) });
  const lines = text.split("\n");
  const signal = new AbortController().signal;
  const found = await provider.getSuggestions(lines, lines.length - 1, lines.at(-1)?.length ?? 0, {
    signal,
    force,
  });
  return found?.items.map(({ value }) => value);
};

describe("completion of commands", () => {
  test("a slash at the start lists them, typing narrows the list, Enter runs the one that is left", async () => {
    using it = atPrompt({ complete });
    it.type("/");
    await shows(it, "about /help");
    it.type("ru");
    await hides(it, "about /help");
    await shows(it, "about /runtime");
    it.press(keys.enter);
    assert.deepEqual(it.submitted, ["/runtime"]);
  });

  test("Enter runs the only one, never the first of several", async () => {
    using it = atPrompt({ complete });
    it.type("/q");
    await shows(it, "about /queue");
    it.press(keys.enter);
    it.type("/qui");
    await shows(it, "about /quit");
    it.press(keys.enter);
    it.type("/q");
    await shows(it, "about /queue");
    it.press(keys.down, keys.enter);
    assert.deepEqual(it.submitted, ["/q", "/quit", "/queue"]);
  });

  test("Tab writes the marked one out, and its arguments are completed in turn", async () => {
    using it = atPrompt({ complete });
    it.type("/ru");
    await shows(it, "about /runtime");
    it.press(keys.tab);
    assert.equal(it.prompt.text(), "/runtime ");
    it.type("c");
    await shows(it, "codex");
    it.press(keys.tab);
    assert.deepEqual([it.prompt.text(), it.submitted], ["/runtime codex", []]);
  });

  test("Enter does not pick an argument that nobody asked for", async () => {
    using it = atPrompt({ complete });
    it.type("/runtime");
    await shows(it, "about /runtime");
    it.type(" ");
    await shows(it, "codex");
    it.press(keys.enter);
    assert.deepEqual(it.submitted, ["/runtime"]);
  });

  test("an arrow key asks for one", async () => {
    using it = atPrompt({ complete });
    it.type("/runtime");
    await shows(it, "about /runtime");
    it.type(" ");
    await shows(it, "codex");
    it.press(keys.down, keys.enter);
    assert.deepEqual(it.submitted, ["/runtime codex"]);
  });

  test("keys that come faster than the list mean what was typed", async () => {
    using it = atPrompt({ complete });
    it.type("/");
    await shows(it, "about /help");
    it.type("quit");
    it.press(keys.enter);
    assert.deepEqual(it.submitted, ["/quit"]);
  });

  test("a cursor that left the place of the list means the text, too", async () => {
    using it = atPrompt({ complete });
    it.type("/q");
    await shows(it, "about /queue");
    it.press(keys.home, keys.enter);
    assert.deepEqual(it.submitted, ["/q"]);
  });

  test("a new line closes the list and takes nothing from it", async () => {
    using it = atPrompt({ complete });
    it.type("/q");
    await shows(it, "about /queue");
    it.press("\n");
    assert.deepEqual([it.prompt.text(), it.submitted], ["/q\n", []]);
  });

  test("a slash elsewhere lists none", async () => {
    assert.deepEqual(await suggested("/h", false), ["/help"]);
    assert.deepEqual(await suggested("  /h", false), ["/help"]);
    assert.equal(await suggested("a /h", false), undefined);
    assert.equal(await suggested("a\n/h", false), undefined);
  });

  test("what a label says cannot steer the terminal", async () => {
    using it = atPrompt({ complete: () => [{ value: "/x", label: "\u001B[2Jx", detail: "a\nb" }] });
    it.type("/");
    await shows(it, "\uFFFD[2Jx");
  });
});

describe("completion of files", () => {
  test("@ lists files, the best first, and Tab writes one out", async () => {
    using it = atPrompt({ files: listing(paths) });
    it.type("see @prm");
    await shows(it, "src/prompt.ts");
    it.press(keys.tab);
    assert.equal(it.prompt.text(), "see @src/prompt.ts ");
  });

  test("Enter takes the marked file and does not submit", async () => {
    using it = atPrompt({ files: listing(paths) });
    it.type("@READ");
    await shows(it, "README.md");
    it.press(keys.enter);
    assert.deepEqual([it.prompt.text(), it.submitted], ["@README.md ", []]);
  });

  test("Enter submits when the file is written out already", async () => {
    using it = atPrompt({ files: listing(paths) });
    it.type("@README.md");
    await shows(it, "→ README.md");
    it.press(keys.enter);
    assert.deepEqual(it.submitted, ["@README.md"]);
  });

  test("Enter that comes faster than the list submits what was typed", async () => {
    using it = atPrompt({ files: listing(paths) });
    it.type("@R");
    await shows(it, "README.md");
    it.type("x is new");
    it.press(keys.enter);
    assert.deepEqual(it.submitted, ["@Rx is new"]);
  });

  test("a path with spaces is quoted, also when the quote stands there", async () => {
    using it = atPrompt({ files: listing(paths) });
    it.type("@png");
    await shows(it, "src/a b.png");
    it.press(keys.tab);
    it.type("x");
    assert.equal(it.prompt.text(), '@"src/a b.png" x');
    it.prompt.setText("");
    it.type('look @"src/a b');
    await shows(it, "src/a b.png");
    it.press(keys.tab);
    assert.equal(it.prompt.text(), 'look @"src/a b.png" ');
  });

  test("in a folder one goes on typing, inside the quotes if there are any", async () => {
    using it = atPrompt({ files: listing(paths) });
    it.type("@doc");
    await shows(it, "docs/");
    it.press(keys.tab);
    it.type("x");
    assert.equal(it.prompt.text(), "@docs/x");
    it.prompt.setText("");
    it.type("@mydocs");
    await shows(it, "src/my docs/");
    it.press(keys.tab);
    it.type("x");
    assert.equal(it.prompt.text(), '@"src/my docs/x"');
  });

  test("an @ inside a word is no mention", async () => {
    assert.deepEqual(await suggested("me (@READ", false), ["@README.md"]);
    assert.equal(await suggested("me@READ", false), undefined);
  });

  test("of many, the best twenty are offered", async () => {
    const { provider } = completion({
      cwd: "/",
      complete,
      files: listing(Array.from({ length: 500 }, (_, at) => `f${at}.ts`)),
    });
    const found = await provider.getSuggestions(["@f1"], 0, 3, { signal: new AbortController().signal });
    assert.equal(found?.items.length, 20);
    assert.equal(found?.items[0]?.value, "@f1.ts");
  });

  test("an answer that comes too late is dropped", async () => {
    const answers: PromiseWithResolvers<readonly string[]>[] = [];
    const signals: AbortSignal[] = [];
    using it = atPrompt({
      files: {
        list: (signal) => {
          signals.push(signal);
          const answer = Promise.withResolvers<readonly string[]>();
          signal.addEventListener("abort", () => answer.reject(signal.reason as Error));
          answers.push(answer);
          return answer.promise;
        },
      },
    });
    it.type("@a");
    await until(() => answers.length === 1);
    it.type("b");
    await until(() => answers.length === 2);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, false],
    );
    answers[0]?.resolve(["abc-late"]);
    answers[1]?.resolve(["abc-new"]);
    await shows(it, "abc-new");
    assert.ok(!(await it.screen()).some((line) => line.includes("late")));
  });

  test("a list that fails offers nothing, and the next one works", async () => {
    let calls = 0;
    using it = atPrompt({
      files: {
        list: async () => {
          if (calls++ === 0) throw new Error("broken");
          return paths;
        },
      },
    });
    it.type("@R");
    await until(() => calls === 1);
    it.type("E");
    await shows(it, "README.md");
  });
});

describe("completion of paths", () => {
  test("Tab behind a path-like word completes it, one step at a time", async (t) => {
    const cwd = await testFolder(t);
    await mkdir(join(cwd, "folder one", "deep"), { recursive: true });
    await writeFile(join(cwd, "folder one", "file.txt"), "");
    await writeFile(join(cwd, "other.txt"), "");
    await writeFile(join(cwd, ".hidden"), "");
    using it = atPrompt({ cwd });
    it.type("cat ./oth");
    it.press(keys.tab);
    await until(() => it.prompt.text() === "cat ./other.txt ");
    it.type("fold");
    it.press(keys.tab);
    await until(() => it.prompt.text() === 'cat ./other.txt "folder one/"');
    it.type("f");
    it.press(keys.tab);
    await until(() => it.prompt.text() === 'cat ./other.txt "folder one/file.txt" ');
    it.prompt.setText("");
    it.type("@./");
    it.press(keys.tab);
    await shows(it, "./other.txt");
    assert.ok(!(await it.screen()).some((line) => line.includes(".hidden")));
    it.press(keys.escape);
    it.prompt.setText(`see ${cwd}/`);
    it.press(keys.tab);
    await shows(it, "other.txt");
    it.press(keys.down, keys.enter);
    assert.deepEqual([it.prompt.text(), it.submitted], [`see ${cwd}/other.txt `, []]);
  });

  test("Tab where there is nothing to complete offers nothing", async () => {
    assert.equal(await suggested("", true), undefined);
    assert.equal(await suggested("hello ", true), undefined);
    assert.equal(await suggested("hello zzz-no-such-file", true), undefined);
    assert.equal(await suggested("/no-such-folder-zzz/x", true), undefined);
  });
});
