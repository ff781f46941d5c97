import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { talariaOnCodex } from "./codex/codex-talaria.ts";
import { says, talariaOn } from "./endpoint.ts";
import { noTerminal, terminalOf } from "./pseudo-terminal.ts";
import type { Result, Talaria } from "./talaria.ts";
import { goesOn, testAlone } from "./attached/with-host.ts";

const terminal = (command: string): object => ({
  reply: [{ call: { tool: "terminal", args: { command } } }],
});
const prompt = /\n› $/;
const panel = (command: string): RegExp =>
  new RegExp(String.raw`╭ May this be done\?[^]*${command}[^]*╰ 1 allow once.*\r?\n\? $`);

describe("approvals in a terminal", { concurrency: 2 }, () => {
  test("what was allowed is done, what was denied is not, and Stop withdraws the question", async (t) => {
    await using it = await talariaOn([
      terminal("rm -f one"),
      says("Gone."),
      terminal("rm -f two"),
      says("Kept."),
      terminal("rm -f three"),
      says("Here."),
    ]);
    for (const name of ["one", "two", "three"]) await writeFile(join(it.cwd, name), "");
    const screen = await terminalOf(it);
    if (screen === undefined) return t.skip(noTerminal);
    await screen.shows(prompt);
    await screen.write("first\n");
    await screen.shows(panel("rm -f one"));
    await screen.write("1\n");
    await screen.shows(/allowed once by you[^]*Gone\.[^]*\n› $/);
    await screen.write("second\n");
    await screen.shows(panel("rm -f two"));
    await screen.write("maybe\n");
    await screen.shows(/Type a number from 1 to 4: $/);
    await screen.write("4\n");
    await screen.shows(/denied by you[^]*Kept\.[^]*\n› $/);
    await screen.write("third\n");
    await screen.shows(panel("rm -f three"));
    await screen.write("\u0003");
    await screen.shows(/interrupted; what was finished is kept[^]*\n› $/);
    await screen.write("are you there?\n");
    await screen.shows(/Here\.[^]*\n› $/);
    await screen.write("/quit\n");
    assert.equal((await screen.finished).code, 0);
    assert.deepEqual((await readdir(it.cwd)).toSorted(), ["three", "two"]);
    assert.deepEqual(await ledger(it), [
      ["rm -f three", "withdrawn", "withdrawn"],
      ["rm -f two", "denied", "person"],
      ["rm -f one", "once", "person"],
    ]);
  });

  test("what was allowed always holds in the next process, for exactly that, until it is revoked", async (t) => {
    await using it = await talariaOn([
      terminal("rm -f one"),
      says("Gone."),
      terminal("rm -f one"),
      says("Again."),
      terminal("rm -f one two"),
      says("Not that."),
      terminal("rm -f one"),
      says("No more."),
    ]);
    const screen = await terminalOf(it);
    if (screen === undefined) return t.skip(noTerminal);
    await screen.shows(prompt);
    await screen.write("first\n");
    await screen.shows(panel("rm -f one"));
    await screen.write("3\n");
    await screen.shows(/always allowed from now on[^]*Gone\.[^]*\n› $/);
    await screen.write("/quit\n");
    await screen.finished;

    await writeFile(join(it.cwd, "one"), "");
    assert.match((await it.run(["run", "again"])).stdout, /Again\./);
    assert.deepEqual(await readdir(it.cwd), []);
    const other = await it.run(["run", "that too"]);
    assert.match(other.stderr, /Not done: rm -f one two \(not asked: no one was there to ask\)/);
    const rules = (await it.run(["approvals", "rules"])).stdout;
    const [, id = ""] = /^(grn_\w+) {2}always {3}rm -f one {2}in /m.exec(rules) ?? [];
    assert.match((await it.run(["approvals", "revoke", id])).stdout, /^Revoked: rm -f one\n/);
    const more = await it.run(["run", "once more"]);
    assert.match(more.stderr, /Not done: rm -f one \(not asked/);
    assert.equal((await it.run(["approvals", "revoke", "grn_nothing"])).code, 2);
  });

  test("another process can answer, and a second answer is told that it is late", async (t) => {
    await using it = await talariaOn([terminal("rm -f one"), says("Gone.")]);
    await writeFile(join(it.cwd, "one"), "");
    const screen = await terminalOf(it);
    if (screen === undefined) return t.skip(noTerminal);
    await screen.shows(prompt);
    await screen.write("first\n");
    await screen.shows(panel("rm -f one"));
    const waiting = await it.run(["approvals", "list", "--pending"]);
    const [id = ""] = /apr_\w+/.exec(waiting.stdout) ?? [];
    assert.deepEqual(answerOf(await it.run(["approvals", "answer", id, "once"])), [0, `${id}: once.`]);
    await screen.shows(/allowed once by you[^]*Gone\.[^]*\n› $/);
    const late = await it.run(["approvals", "answer", id, "deny"]);
    assert.deepEqual(answerOf(late), [1, `${id} was decided before: allowed once. Nothing was changed.`]);
    await screen.write("/quit\n");
    await screen.finished;
    assert.deepEqual(await readdir(it.cwd), []);
  });

  testAlone(
    goesOn,
    "a question that a crash left open is expired and told; the same action says that it was asked before",
    async (t) => {
      await using it = await talariaOn([terminal("rm -f one"), terminal("rm -f one"), says("Well.")]);
      await writeFile(join(it.cwd, "one"), "");
      const screen = await terminalOf(it);
      if (screen === undefined) return t.skip(noTerminal);
      await screen.shows(prompt);
      await screen.write("first\n");
      await screen.shows(panel("rm -f one"));
      screen.signal("SIGKILL");
      await screen.finished;
      const next = await terminalOf(it, "run --continue again");
      await next?.shows(/A question was open when Talaria was ended, so it was not done: rm -f one/);
      await next?.shows(/asked before[^]*╰ 1 allow once.*\r?\n\? $/i);
      assert.deepEqual(await readdir(it.cwd), ["one"]);
      await next?.write("once\n");
      assert.equal((await next?.finished)?.code, 0);
      assert.deepEqual(await readdir(it.cwd), []);
    },
  );

  test("a patch of codex is shown with its change, and is made when it is allowed", async (t) => {
    const patch = "*** Begin Patch\n*** Add File: note.txt\n+owl\n*** End Patch\n";
    const patches = { reply: [{ custom: { tool: "apply_patch", input: patch } }] };
    await using it = await talariaOnCodex([patches, says("Not."), patches, says("Written.")]);
    const settings = join(it.home, "config.yaml");
    const before = (await readFile(settings, "utf8")).replace("auto }", "codex_app_server }");
    await writeFile(settings, `${before}terminal: { security_mode: approval-required }\n`);
    await mkdir(join(it.cwd, "sub"));
    const screen = await terminalOf(it);
    if (screen === undefined) return t.skip(noTerminal);
    await screen.shows(prompt);
    await screen.write("write it\n");
    await screen.shows(/1 add: .*note\.txt[^]* owl[^]*runtime: codex[^]*\? $/);
    await screen.write("no\n");
    await screen.shows(/denied by you[^]*Not\.[^]*\n› $/);
    assert.deepEqual(await readdir(it.cwd), ["sub"]);
    await screen.write("please write it\n");
    await screen.shows(/1 add: .*note\.txt[^]* owl[^]*asked before[^]*\? $/i);
    await screen.write("2\n");
    await screen.shows(/allowed for this session by you[^]*Written\.[^]*\n› $/);
    await screen.write("/quit\n");
    await screen.finished;
    assert.equal(await readFile(join(it.cwd, "note.txt"), "utf8"), "owl\n");
  });
});

const answerOf = ({ code, stdout }: Result): unknown => [code, stdout.trim()];

async function ledger(it: Talaria): Promise<unknown> {
  const { lines } = await it.run(["approvals", "list", "--json"]);
  return lines.map((line) => [(line["question"] as { summary: string }).summary, line["state"], line["why"]]);
}
