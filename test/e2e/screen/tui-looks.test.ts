import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "../endpoint.ts";
import { talaria } from "../talaria.ts";
import { noPty } from "./pty.ts";
import { type Screen, onScreen } from "./screen.ts";
import { type Chat, chatOn, escape } from "./tui.ts";

const markdown = `# Heading

Some *slanted*, **strong** and \`code\` with [a link](https://example.org/).

\`\`\`ts
const owl: string = "night";
\`\`\`

> quoted

| a | b |
|---|---|
| 1 | 2 |
`;
const writes = {
  reply: [
    { reasoning: { summary: "Thinking." } },
    { call: { tool: "write_file", args: { path: "owl.txt", content: "a night bird\n" } } },
    { call: { tool: "terminal", args: { command: "ls /nowhere" } } },
  ],
};

/** Shows a bit of everything. */
async function tour(screen: Chat): Promise<void> {
  screen.type("/");
  await screen.shows("→ /");
  screen.press("ctrl+c");
  screen.say("go on");
  await screen.shows(/^quoted|^. quoted/m);
  await screen.shows("tokens in");
  screen.say("/nonsense");
  await screen.shows("There is no command");
  screen.say("/resume");
  await screen.shows("Go on with");
  screen.press("escape");
  await screen.gone("Go on with");
  screen.say("remove it");
  await screen.shows("May this be done?");
  screen.press("ctrl+c");
  await screen.shows("interrupted;");
}

const tourScript = [
  writes,
  says(markdown),
  { reply: [{ call: { tool: "terminal", args: { command: "rm -f owl.txt" } } }] },
];

const painted = ({ raw }: Pick<Screen, "raw">): readonly string[] =>
  [
    ...new Set(
      [...raw().matchAll(new RegExp(`${escape}\\[([\\d;:]*)m`, "g"))].map(([, codes = ""]) => codes),
    ),
  ].toSorted();

describe("looks of the screen", { skip: noPty, concurrency: 2 }, () => {
  test("colours are those of the terminal's own palette, so that they can be read on any background", async () => {
    await using it = await talariaOn(tourScript);
    await writeFile(join(it.cwd, "owl.txt"), "a bird\n");
    await using screen = await chatOn(it, [], { background: "light" });
    await tour(screen);
    const codes = painted(screen);
    assert.ok(
      ["31", "32", "36"].every((code) => codes.includes(code)),
      codes.join(" "),
    );
    assert.deepEqual(
      codes.filter((code) => !/^(?:[012347]|22|23|24|27|3[1-6]|39|9|29)?$/.test(code)),
      [],
    );
  });

  test("NO_COLOR means none", async () => {
    await using it = await talariaOn(tourScript);
    await using screen = await chatOn(it, [], { env: { NO_COLOR: "1" } });
    await tour(screen);
    assert.deepEqual(
      painted(screen).filter((code) => !/^(?:[01347]|22|23|24|27|9|29)?$/.test(code)),
      [],
    );
  });

  test("a dumb terminal and --plain get lines", async () => {
    await using it = await talaria();
    for (const [words, env] of [
      [[], { TERM: "dumb" }],
      [["--plain"], {}],
    ] as const) {
      await using screen = await onScreen(it, words, { env, columns: 80, rows: 24 });
      await screen.shows(/^›$/m);
      screen.type("hello\r");
      await screen.shows(/^› hello\n[^]*Hello! I am[^]*\n›$/m);
      screen.press("ctrl+d");
      assert.deepEqual(await screen.ends(), { code: 0 });
      assert.ok(!screen.raw().includes(escape), JSON.stringify(screen.raw()));
    }
    const piped = await it.run(["--plain"], { input: "my name is Ada\nwhat is my name?\n" });
    assert.equal(piped.code, 0);
    assert.match(piped.stdout, /Nice to meet you, Ada[^]*Your name is Ada/);
    assert.ok(!piped.stdout.includes(escape));
  });
});
