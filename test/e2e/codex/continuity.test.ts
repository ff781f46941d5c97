import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

describe("one conversation over many processes", { concurrency: 2 }, () => {
  test("x", async () => {
    await using it = await talariaOnCodex(["One.", "Two.", "Three.", "Four.", "Five."].map(says));
    const first = await it.turn(["first"]);
    const second = await it.turn(["--continue", "second"]);
    await rm(join(it.codexHome, "sessions"), { recursive: true });
    const third = await it.turn(["--continue", "third"]);
    const other = join(it.folder, "other");
    await mkdir(other);
    const session = String(first.lines[0]?.session);
    const fourth = await it.turn(["--session", session, "--cwd", other, "fourth"]);
    const fifth = await it.turn(["--session", session, "--cwd", it.cwd, "fifth"]);
    for (const [i, t] of [first, second, third, fourth, fifth].entries()) {
      console.log(t.code, t.stderr, t.ended.thread, t.notices("thread_seeded"), heard(it.model.requests[i]));
    }
    console.log(await onDisk(it.home));
  });
  test("y", async () => {
    await using it = await talariaOnCodex([
      says("One."),
      { reply: [{ call: { tool: "exec_command", args: { cmd: "echo two" } } }] },
      says("Two."),
      says("Three."),
      says("Four."),
      says("Five."),
      says("Six."),
    ]);
    const ts = [];
    ts.push(await it.turn(["--runtime", "loop", "first"]));
    ts.push(await it.turn(["--continue", "second"]));
    ts.push(await it.turn(["--continue", "--runtime", "loop", "third"]));
    ts.push(await it.turn(["--continue", "--runtime", "loop", "fourth"]));
    ts.push(await it.turn(["--continue", "fifth"]));
    ts.push(await it.turn(["--continue", "sixth"]));
    for (const [i, t] of ts.entries()) {
      console.log(t.code, t.stderr, t.lines[0].runtime, t.ended.thread, t.notices("thread_seeded"));
    }
    for (const r of it.model.requests) console.log(heard(r));
  });
});
