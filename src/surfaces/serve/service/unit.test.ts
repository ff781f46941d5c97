import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { testFolder } from "../../../../test/temp-folder.ts";
import { systemClock } from "../../../lib/clock.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { launchAgent, systemdUnit } from "./unit.ts";

describe("the file of a service", () => {
  test("names the profile and the home, and starts the program with both", () => {
    const { name, path, text } = systemdUnit({
      program: "/opt/my tools/100%/$1/talaria",
      homeDir: "/home/me",
      profile: "work",
      home: "/home/me/$odd",
    });
    assert.equal(name, "talaria-work.service");
    assert.equal(path, "/home/me/.config/systemd/user/talaria-work.service");
    assert.match(text, /^ExecStart="\/opt\/my tools\/100%%\/\$\$1\/talaria" -p work serve$/m);
    assert.match(text, /^Environment=TALARIA_HOME=\/home\/me\/\$odd$/m);
  });

  test("is one that systemd takes", async (t) => {
    const folder = await testFolder(t);
    const unit = systemdUnit({ program: "/bin/true", homeDir: folder, home: join(folder, "a home") });
    await mkdir(dirname(unit.path), { recursive: true });
    await writeFile(unit.path, unit.text);
    const said = await runCommand({
      command: "systemd-analyze",
      args: ["--user", "verify", unit.path],
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, XDG_RUNTIME_DIR: folder },
      clock: systemClock,
      signal: new AbortController().signal,
      timeoutMs: 30_000,
    }).catch(() => undefined);
    if (said === undefined) return t.skip("there is no systemd-analyze");
    assert.deepEqual([said.code, said.stderr], [0, ""]);
  });

  test("of a Mac keeps what is special in XML", () => {
    const { name, text } = launchAgent({ program: "/opt/a&b/talaria", homeDir: "/Users/me" });
    assert.equal(name, "dev.talaria");
    assert.match(text, /<string>\/opt\/a&amp;b\/talaria<\/string>\n {4}<string>serve<\/string>/);
    assert.match(text, /<string>\/Users\/me\/.talaria\/logs\/serve.log<\/string>/);
  });
});
