import assert from "node:assert/strict";
import { chmod, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { newFolder } from "../../../../test/temp-folder.ts";
import { type Clock, systemClock } from "../../../lib/clock.ts";
import { answersMcp, ownServer, withoutOwnServer } from "./own-server.ts";

const settingsOf = (env: Record<string, string>, profile = "default") =>
  ownServer({ launcher: "/opt/talaria", profile, env }).settings;

describe("our own tools as a server of codex's", () => {
  test("are started by their absolute path, with time enough", () => {
    assert.deepEqual(settingsOf({}), {
      command: "/opt/talaria",
      args: ["mcp"],
      startup_timeout_sec: 30,
      tool_timeout_sec: 600,
      default_tools_approval_mode: "approve",
      omit_tools_from: ["deferred"],
    });
  });

  test("are those of the profile, and of the home that the environment names", () => {
    assert.partialDeepStrictEqual(settingsOf({ TALARIA_HOME: "/home/ada/.t" }, "work"), {
      args: ["--profile", "work", "mcp"],
      env: { TALARIA_HOME: "/home/ada/.t" },
    });
  });

  test("a home that is gone tomorrow is not named", () => {
    for (const home of [join(tmpdir(), "x"), "/tmp", "/tmp/../tmp/y", "/var/tmp/z"])
      assert.ok(!("env" in settingsOf({ TALARIA_HOME: home })), home);
    assert.ok("env" in settingsOf({ TALARIA_HOME: "/tmpfiles/x" }));
  });
});

const without = (entry: object, launcher?: string) => withoutOwnServer({ "talaria-tools": entry }, launcher);

describe("in a thread of our own", () => {
  const off = { "talaria-tools": { enabled: false } };

  test("what the migration wrote is switched off, for whatever profile", () => {
    for (const profile of ["default", "work"]) {
      const { settings } = ownServer({ launcher: "/opt/talaria", profile, env: {} });
      assert.deepEqual(without({ ...settings, env: { MORE: "1" } }, "/opt/talaria"), off);
    }
  });

  test("one of the same name that starts anything else is left alone, and so is everything when there is none", () => {
    const ours = { command: "/opt/talaria", args: ["mcp"] };
    assert.deepEqual(without({ ...ours, command: "/opt/talaria2" }, "/opt/talaria"), {});
    assert.deepEqual(without({ ...ours, args: ["mcp", "evil"] }, "/opt/talaria"), {});
    assert.deepEqual(without({ url: "https://example.com/mcp" }, "/opt/talaria"), {});
    assert.deepEqual(without({ url: "https://example.com/mcp" }), {});
    assert.deepEqual(without({ args: ["mcp"] }), {});
    assert.deepEqual(withoutOwnServer({ other: ours }, "/opt/talaria"), {});
  });
});

describe("whether they answer is found out by asking", () => {
  let folder: string;
  before(async () => {
    folder = await newFolder();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** A program that does this instead of ours. */
  async function answers(line: string, clock: Clock = systemClock): Promise<boolean> {
    const launcher = join(folder, "talaria");
    await writeFile(launcher, `#!/bin/sh\n${line}\n`);
    await chmod(launcher, 0o755);
    return answersMcp({ launcher, profile: "default", env: { PATH: process.env["PATH"] ?? "" } }, clock);
  }

  test("one that speaks MCP does", async () => {
    assert.equal(await answers(`exec "${process.execPath}" "${resolve("test/fakes/mcp-echo.mjs")}"`), true);
  });

  test("one that refuses, says something else, or is not there does not", async () => {
    assert.equal(await answers('echo "error: unknown command" >&2; exit 2'), false);
    assert.equal(await answers("exec cat"), false);
    assert.equal(await answers("echo hello"), false);
    const nowhere = { launcher: join(folder, "nowhere"), profile: "default", env: {} };
    assert.equal(await answersMcp(nowhere, systemClock), false);
  });

  test("one that is silent does not, and is ended", async () => {
    const hasty: Clock = { ...systemClock, sleep: (ms, ...rest) => systemClock.sleep(ms / 50, ...rest) };
    assert.equal(await answers("exec sleep 600", hasty), false);
  });
});
