import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import { Refusal, type ShellResult } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import { processRow } from "../../lib/process/process-table.ts";
import { mask, redactor } from "../../lib/redact/redact.ts";
import { closing } from "../closing.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import { ownCommand } from "./own-command.ts";

const secret = "hunter2xhunter2";

test("runs in the folder with the person's own environment, and tells both streams in order", async (t) => {
  const it = await world(t, { MINE: "yes" });
  const { result, told } = await it.run("pwd; echo two >&2; echo $MINE; exit 3");
  assert.deepEqual(result, { exitCode: 3, output: `${it.cwd}\ntwo\nyes\n`, cut: false });
  assert.equal(told, result.output);
  assert.deepEqual(it.registered, [], "its row is gone with it");
});

test("in the person's shell, and in sh when that cannot be run", async (t) => {
  const it = await world(t);
  const own = join(it.cwd, "my-shell");
  await writeFile(own, '#!/bin/sh\necho "mine: $1 $2"\n', { mode: 0o755 });
  assert.equal((await it.run("echo a", { SHELL: own })).result.output, "mine: -c echo a\n");
  for (const SHELL of ["/nowhere/zsh", "zsh", ""])
    assert.equal((await it.run("echo a", { SHELL })).result.output, "a\n");
});

test("its input is empty, so that nothing waits for it", async (t) => {
  assert.deepEqual((await (await world(t)).run("cat; echo end")).result.output, "end\n");
});

test("secrets are masked, also one that comes in two pieces", async (t) => {
  const it = await world(t);
  const { result, told } = await it.run(`printf ${secret.slice(0, 7)}; printf '${secret.slice(7)} x\\n'`);
  assert.deepEqual([result.output, told], [`${mask} x\n`, `${mask} x\n`]);
});

test("of a long output the end is given, and that it was cut", async (t) => {
  const { result, told } = await (await world(t)).run("yes line | head -n 40000; echo last");
  assert.equal(result.cut, true);
  assert.ok(result.output.length <= 64 * 1024 && result.output.endsWith("line\nlast\n"));
  assert.equal(told.length, 40_000 * 5 + 5);
});

test("a stop ends it with all that it has started", async (t) => {
  const it = await world(t);
  const stop = new AbortController();
  const running = it.run("sleep 600 & echo $! > pid; echo begun; wait", {}, stop.signal, (text) => {
    if (text.includes("begun")) stop.abort();
  });
  const { result } = await running;
  assert.equal(result.exitCode, undefined);
  assert.match(result.signal ?? "", /^SIG/);
  assert.equal(result.output, "begun\n");
  const pid = Number(await readFile(join(it.cwd, "pid"), "utf8"));
  assert.notEqual(processRow(pid)?.zombie, false, "it is gone, or only its name is left");
  assert.deepEqual(it.registered, []);
});

test("closing the host ends it too, and waits for that; nothing starts afterwards", async (t) => {
  const it = await world(t);
  const begun = Promise.withResolvers<void>();
  const running = it.run("echo begun; sleep 600", {}, undefined, () => begun.resolve());
  await begun.promise;
  await it.closing[Symbol.asyncDispose]();
  assert.deepEqual(it.registered, []);
  assert.match((await running).result.signal ?? "", /^SIG/);
  assert.equal((await it.run("touch made")).result.signal, "SIGTERM");
  await assert.rejects(readFile(join(it.cwd, "made")), { code: "ENOENT" });
});

test("a folder that is not there is a refusal", async (t) => {
  const it = await world(t);
  await rm(it.cwd, { recursive: true });
  await assert.rejects(
    it.run("true"),
    (error) => error instanceof Refusal && /not a folder/.test(error.message),
  );
});

async function world(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const cwd = await testFolder(t);
  const ending = closing();
  t.after(() => ending[Symbol.asyncDispose]());
  const registered: number[] = [];
  const processes = {
    add: async ({ pid }: { readonly pid: number }) => void registered.push(pid),
    remove: async (pid: number) => void registered.splice(registered.indexOf(pid), 1),
  };
  const run = async (
    command: string,
    env: Readonly<Record<string, string>> = {},
    signal: AbortSignal = new AbortController().signal,
    hear: (text: string) => void = () => {},
  ): Promise<{ readonly result: ShellResult; readonly told: string }> => {
    const own = { PATH: process.env["PATH"], ...more, ...env };
    const parts = { processes, clock: systemClock, redact: redactor([secret]), closing: ending };
    let told = "";
    let result: ShellResult = { output: "", cut: false };
    for await (const said of ownCommand({ ...parts, env: own })(
      { command, cwd },
      localOwner("tui"),
      signal,
    )) {
      if (!("text" in said)) result = said;
      if (!("text" in said)) continue;
      told += said.text;
      hear(said.text);
    }
    return { result, told };
  };
  return { cwd, run, registered, closing: ending };
}
