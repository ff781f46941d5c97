import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { systemClock } from "../../src/lib/clock.ts";
import { runCommand } from "../../src/lib/process/command.ts";
import { type Talaria, talaria } from "./talaria.ts";

/** What a shell is asked and what it should offer: the words so far, the last one unfinished. */
const cases: readonly (readonly [readonly string[], RegExp])[] = [
  [["se"], /^selftest serve service sessions setup$/],
  [["sessions", ""], /^delete export list search show$/],
  [["sessions", "export", "--format", ""], /^jsonl md$/],
  [["run", "--r"], /^--record --runtime$/],
  [["run", "--runtime", "c"], /^codex$/],
  [["doctor", "--"], /^--fix --help --json --profile$/],
  [["-p", ""], /^default home work$/],
  [["-p", "work", "setup", "--protocol", ""], /^chat responses$/],
  [["run", "--profile", "w"], /^work$/],
  [["completion", ""], /^bash fish zsh$/],
  [["run", "hello", ""], /^$/],
  [["replay", "two"], /^two words\.jsonl$/],
];

describe("completion", { concurrency: 2 }, () => {
  test("in a real bash offers commands, options and their values, profiles and files", async (t) => {
    await using it = await world();
    if (!(await has(it, "bash"))) return t.skip("there is no bash here");
    const script = await scriptFor(it, "bash");
    for (const [words, expected] of cases) {
      const typed = words.map((word) => `'${word}'`).join(" ");
      const line = `source ${script}; COMP_WORDS=(talaria ${typed}); COMP_CWORD=${words.length}; _talaria; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const offered = await shell(it, "bash", ["--norc", "-c", line]);
      assert.match(offered.split("\n").filter(Boolean).toSorted().join(" "), expected, words.join(" "));
    }
    const bound = await shell(it, "bash", ["--norc", "-c", `source ${script}; complete -p talaria`]);
    assert.equal(bound, "complete -F _talaria talaria\n");
  });

  test("in a real fish offers the same", async (t) => {
    await using it = await world();
    if (!(await has(it, "fish"))) return t.skip("there is no fish here");
    const script = await scriptFor(it, "fish");
    for (const [words, expected] of cases.filter(([[first]]) => first !== "replay")) {
      const line = `source ${script}; complete -C 'talaria ${words.join(" ")}'`;
      const offered = await shell(it, "fish", ["--no-config", "-c", line]);
      const names = offered.split("\n").flatMap((row) => (row === "" ? [] : [row.split("\t")[0] ?? ""]));
      assert.match(names.toSorted().join(" "), expected, words.join(" "));
    }
  });

  test("in a real zsh is read without complaint", async (t) => {
    await using it = await world();
    if (!(await has(it, "zsh"))) return t.skip("there is no zsh here");
    const script = await scriptFor(it, "zsh");
    const line = `autoload -Uz compinit && compinit -D && source ${script} && print $_comps[talaria]`;
    assert.equal(await shell(it, "zsh", ["-f", "-c", line]), "_talaria\n");
  });

  test("every command and option of the program is in each script, and every shell has one", async () => {
    await using it = await world();
    const { stdout: help } = await it.run(["--help"]);
    const commands = [...help.matchAll(/^ {2}([a-z]+)[ |]/gm)].map(([, name = ""]) => name);
    assert.ok(commands.length > 10);
    for (const name of ["bash", "zsh", "fish"]) {
      const { code, stdout } = await it.run(["completion", name]);
      assert.equal(code, 0);
      for (const command of commands.filter((one) => one !== "help"))
        assert.match(stdout, new RegExp(`\\b${command}\\b`), `${command} in ${name}`);
      for (const option of ["key-env", "approve", "fix"])
        assert.ok(stdout.includes(option), `${option} in ${name}`);
    }
    const wrong = await it.run(["completion", "tcsh"]);
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    assert.match(wrong.stderr, /Allowed choices are bash, zsh, fish/);
  });
});

async function world(): Promise<Talaria> {
  const it = await talaria();
  for (const name of ["work", "home"]) await mkdir(join(it.home, "profiles", name), { recursive: true });
  await writeFile(join(it.cwd, "two words.jsonl"), "");
  return it;
}

async function scriptFor(it: Talaria, name: string): Promise<string> {
  const file = join(it.folder, name);
  await writeFile(file, (await it.run(["completion", name])).stdout);
  return file;
}

async function shell(it: Talaria, command: string, args: readonly string[]): Promise<string> {
  const { signal } = new AbortController();
  const result = await runCommand({
    command,
    args,
    cwd: it.cwd,
    env: it.world.env,
    clock: systemClock,
    signal,
  });
  assert.deepEqual([result.code, result.stderr], [0, ""]);
  return result.stdout;
}

async function has(it: Talaria, command: string): Promise<boolean> {
  const child = await it.shell(`command -v ${command}`);
  child.closeInput();
  return (await child.finished).code === 0;
}
