import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Talaria, talaria } from "../talaria.ts";

describe("talaria service", { concurrency: 2, skip: process.platform !== "linux" }, () => {
  test("shows what it would write, and writes nothing that nobody agreed to", async () => {
    await using it = await talaria();
    const { code, stdout } = await it.run(["service", "install"]);
    assert.equal(code, 1);
    assert.match(stdout, /ExecStart=\S+ serve\n[^]*Nothing was written: [^\n]*--yes\n$/);
    await assert.rejects(stat(unitOf(it)));
    assert.match((await it.run(["service", "status"])).stdout, /^It is not installed/);
  });

  test("is installed, looked at and removed with what the system has for it", async () => {
    await using it = await talaria();
    const env = await withSystemctl(it, 'echo "$@" >> "$HOME/asked"');
    const installed = await it.run(["-p", "default", "service", "install", "--yes"], { env });
    assert.deepEqual([installed.code, installed.stderr], [0, ""]);
    assert.match(await readFile(unitOf(it, "-default"), "utf8"), /^ExecStart=\S+ -p default serve$/m);
    assert.equal((await it.run(["-p", "default", "service", "status"], { env })).code, 0);
    assert.equal((await it.run(["-p", "default", "service", "uninstall"], { env })).code, 0);
    await assert.rejects(stat(unitOf(it, "-default")));
    assert.deepEqual((await readFile(join(it.folder, "asked"), "utf8")).trim().split("\n"), [
      "--user daemon-reload",
      "--user enable --now talaria-default.service",
      "--user status --no-pager talaria-default.service",
      "--user disable --now talaria-default.service",
    ]);
  });

  test("that cannot be started says what to type, and stays written", async () => {
    await using it = await talaria();
    const env = await withSystemctl(it, "echo no bus >&2; exit 1");
    const { code, stdout } = await it.run(["service", "install", "--yes"], { env });
    assert.equal(code, 1);
    assert.match(stdout, /could not be started: no bus\nStart it where your services run: systemctl --user/);
    await stat(unitOf(it));
  });
});

const unitOf = ({ folder }: Talaria, profile = ""): string =>
  join(folder, ".config/systemd/user", `talaria${profile}.service`);

/** Another systemctl in front of the real one. */
async function withSystemctl({ folder, world }: Talaria, does: string): Promise<Record<string, string>> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "systemctl"), `#!/bin/sh\n${does}\n`, { mode: 0o755 });
  return { PATH: `${bin}:${world.env["PATH"] ?? ""}` };
}
