import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { codexSwitches, gaps } from "./switches.ts";
import { denyGuard, whyDenied } from "./deny-guard.ts";

const switches = (...off: readonly string[]) => codexSwitches(off, [], "/home/ada");

const matches = (off: string, name: string): boolean =>
  switches(off).guards.some(({ matcher }) => new RegExp(matcher).test(name));
const bash = (command: string) => ({ tool_name: "Bash", tool_input: { command }, cwd: "/w" });

describe("what is switched off", () => {
  test("says nothing to codex when nothing is", () => {
    assert.deepEqual(switches(), { switchedOff: {}, guards: [], unheeded: [] });
  });

  test("is off in codex's own words, by the name of a tool or of its set", () => {
    assert.deepEqual(switches("terminal", "web_extract", "vision", "image_gen").switchedOff, {
      "features.shell_tool": false,
      web_search: "disabled",
      "features.view_image": false,
      "features.image_generation": false,
    });
    assert.deepEqual(switches("web").switchedOff, { web_search: "disabled" });
    assert.deepEqual(switches("todo", "browser"), switches());
  });

  test("is refused where codex cannot leave it out: patches, and tools of MCP servers under codex's names", () => {
    assert.ok(
      matches("patch", "apply_patch") &&
        matches("write_file", "apply_patch") &&
        matches("file", "apply_patch"),
    );
    assert.ok(matches("mcp__my-notes__add.one", "mcp__my_notes__add_one"));
    assert.ok(matches("mcp-my notes", "mcp__my_notes__anything"));
    assert.ok(
      !matches("mcp-notes", "mcp__notes2__add") && !matches("mcp__notes__add", "mcp__notes__add_all"),
    );
  });

  test("is told where codex does the same with its commands, unless those are off too", () => {
    assert.deepEqual(Object.keys(gaps(["file", "process"])), ["read_file", "search_files", "process"]);
    assert.deepEqual(gaps(["file", "terminal"]), {});
  });
});

describe("the deny list before a command of codex", () => {
  const list = { deny: ["git push*"], home: "/home/ada" };
  const why = (call: unknown): string | undefined => whyDenied(call, list);

  test("is seen through the disguises that the loop sees through", () => {
    for (const command of ["git push", "cd x && GIT  push -f", "sh -c 'git push origin'", "env A=1 git push"])
      assert.match(why(bash(command)) ?? "", /says no \(git push\*\)/, command);
    assert.equal(why(bash("git pull")), undefined);
  });

  test("a call that cannot be read is not run", () => {
    for (const call of [{}, null, { tool_input: {} }, { tool_input: { command: 1 } }])
      assert.match(why(call) ?? "", /cannot be checked/);
  });
});

test("a check that breaks down is a No, which codex reads from its exit code alone", async () => {
  const { command } = denyGuard({ deny: ["git push*"], home: "/home/ada" });
  const { code, stderr } = await runCommand({
    command: "sh",
    // It is told of no call at all.
    args: ["-c", command],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    clock: systemClock,
    signal: new AbortController().signal,
  });
  assert.equal(code, 2, stderr);
});
