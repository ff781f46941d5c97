import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { systemClock } from "../../../lib/clock.ts";
import { spawnChild } from "../../../lib/process/child.ts";
import { isAlive, startTimeOf } from "../../../lib/process/process-identity.ts";
import { processRow } from "../../../lib/process/process-table.ts";
import { newMark } from "../../../lib/process/process-mark.ts";
import { lines } from "../../../lib/rpc/jsonl.ts";
import { endAbandonedCommands } from "./abandoned-commands.ts";
import { childVariable } from "./child-variable.ts";

const skip = process.platform === "linux" ? false : "the helper is there on Linux only";

/** A sandboxed command as codex has it, which says its pid; two without a parent; something else without one. */
const server = `
  command() { exec -a "$1" sh -c 'echo "$0 $$"; sleep 600 & wait'; }
  export -f command
  bash -c 'command codex-linux-sandbox' &
  setsid -f bash -c 'command codex-linux-sandbox'
  setsid -f bash -c 'command bwrap'
  setsid -f bash -c 'command other'
  wait`;

test("a sandboxed command that lost its parent is ended, and nothing else is", { skip }, async () => {
  await using child = await spawnChild({
    command: "bash",
    args: ["-c", server],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "" },
    mark: newMark(childVariable),
    kind: "test",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  const started: { readonly name: string; readonly pid: number; readonly startTime: string }[] = [];
  for await (const line of lines(child.stdout)) {
    const [name = "", pid = ""] = line.split(" ");
    if (started.push({ name, pid: Number(pid), startTime: startTimeOf(Number(pid)) ?? "" }) === 4) break;
  }
  const alive = () =>
    started.flatMap((each) =>
      isAlive(each) ? [[each.name, processRow(each.pid)?.parent === child.pid]] : [],
    );
  assert.equal(alive().length, 4);
  await endAbandonedCommands(child.pid, systemClock);
  assert.deepEqual(alive().toSorted(), [
    ["codex-linux-sandbox", true],
    ["other", false],
  ]);
});
