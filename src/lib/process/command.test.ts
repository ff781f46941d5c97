import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { newFolder } from "../../../test/temp-folder.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { systemClock } from "../clock.ts";
import { runCommand } from "./command.ts";
import type { CommandOptions } from "./command.ts";
import { startTimeOf } from "./process-identity.ts";
import { SpawnError } from "./spawn-error.ts";

describe("runCommand", () => {
  test("gives both outputs and the exit code", async () => {
    assert.deepEqual(await run("echo out; echo err >&2; exit 4"), {
      code: 4,
      signal: null,
      stdout: "out\n",
      stderr: "err\n",
      truncated: false,
      timedOut: false,
    });
  });

  test("gives the program an empty input", async () => {
    assert.equal((await run("cat; echo end")).stdout, "end\n");
  });

  test("keeps the start of a long output and lets the program finish", async () => {
    const result = await run("head -c 3000000 /dev/zero | tr '\\0' x; echo last >&2", {
      maxOutputBytes: 1_000,
    });
    assert.deepEqual(
      [result.code, result.stdout, result.stderr, result.truncated],
      [0, "x".repeat(1_000), "last\n", true],
    );
  });

  test("says when stderr was cut", async () => {
    assert.equal((await run("head -c 100000 /dev/zero >&2")).truncated, true);
  });

  test("kills what takes too long, with all it started, and gives what it had said", async () => {
    const clock = fakeClock();
    const folder = await newFolder();
    const result = run("sleep 600 & echo $!; : > ready; wait", { clock, cwd: folder, timeoutMs: 5_000 });
    const settled = new AbortController();
    void result.finally(() => settled.abort());
    while (!existsSync(join(folder, "ready"))) await tick();
    await clock.advance(4_999);
    assert.equal(settled.signal.aborted, false);
    // How often the clock is asked until all are gone is up to the system, which needs real time for it.
    while (!settled.signal.aborted) {
      await clock.advance(1);
      await tick();
    }
    const { timedOut, signal, stdout } = await result;
    assert.deepEqual([timedOut, signal], [true, "SIGTERM"]);
    assert.equal(startTimeOf(Number(stdout)), undefined);
    await rm(folder, { recursive: true });
  });

  test("leaves no timer when the program ends in time", async () => {
    const clock = fakeClock();
    await run("true", { clock, timeoutMs: 5_000 });
    assert.equal(clock.pending(), 0);
  });

  test("rejects with the reason of an abort, when the program is gone", async () => {
    const stop = new AbortController();
    const registered: number[] = [];
    const registry = {
      async add(child: { readonly pid: number }) {
        registered.push(child.pid);
      },
      remove: async () => stop.abort(new Error("too late to matter")),
    };
    const result = run("exec sleep 600", { signal: stop.signal, registry });
    while (registered.length === 0) await tick();
    stop.abort(new Error("stopped"));
    await assert.rejects(result, /stopped/);
    assert.equal(startTimeOf(registered[0]!), undefined);
  });

  test("rejects if there is no such program", async () => {
    await assert.rejects(run("", { command: "no-such-program" }), SpawnError);
  });
});

const tick = (): Promise<void> => systemClock.sleep(1, undefined, { hold: true });

const run = (script: string, overrides: Partial<CommandOptions> = {}) =>
  runCommand({
    command: "/bin/sh",
    args: ["-c", script],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"]! },
    signal: new AbortController().signal,
    clock: systemClock,
    ...overrides,
  });
