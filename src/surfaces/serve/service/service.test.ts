import assert from "node:assert/strict";
import { mkdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { type TestContext, describe, test } from "node:test";
import { testFolder } from "../../../../test/temp-folder.ts";
import { Refusal } from "../../../core/host.ts";
import { setVariables } from "../../../lib/process/variables.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { systemClock } from "../../../lib/clock.ts";
import { service } from "./service.ts";

/** A person's home in which there is no systemd. */
async function person(t: TestContext) {
  const homeDir = await testFolder(t);
  const config = join(homeDir, "settings");
  const unit = join(config, "systemd/user/talaria.service");
  await mkdir(dirname(unit), { recursive: true });
  const stdout = new PassThrough();
  const ports = {
    env: { PATH: homeDir, XDG_CONFIG_HOME: config },
    homeDir,
    platform: "linux",
    stdin: Readable.from([]),
    stdout,
  } as const;
  return {
    homeDir,
    unit,
    ask: async (action: string, options = { yes: true }) => {
      const code = await service(ports, action, options);
      return { code, said: String(stdout.read() ?? "") };
    },
  };
}

const refused = (message: RegExp) => (error: unknown) =>
  error instanceof Refusal && message.test(`${error.message} ${error.next}`);

describe("talaria service", () => {
  test("never writes, reads or removes through a link, and says what to do about one", async (t) => {
    const { homeDir, unit, ask } = await person(t);
    const target = join(homeDir, "precious");
    await writeFile(target, "mine");
    await symlink(target, unit);
    for (const action of ["install", "uninstall", "status"])
      await assert.rejects(ask(action), refused(/talaria\.service is a link to .*precious.* rm /));
    assert.equal(await readFile(target, "utf8"), "mine");
    assert.equal(await readlink(unit), target);
  });

  test("says of a masked service how it is allowed again", async (t) => {
    const { unit, ask } = await person(t);
    // A name alone: nothing may ever be written to the real one.
    await symlink("/dev/null", unit);
    await assert.rejects(ask("status"), refused(/masked.*systemctl --user unmask talaria\.service/));
  });

  test("leaves alone what is no file, and what it has not written", async (t) => {
    const { homeDir, unit, ask } = await person(t);
    await writeFile(unit, "[Unit]\nDescription=Another\n");
    await assert.rejects(ask("install"), refused(/was not written by Talaria/));
    await runCommand({
      command: "sh",
      args: ["-c", `rm ${unit} && mkfifo ${unit}`],
      cwd: homeDir,
      env: setVariables(process.env),
      clock: systemClock,
      signal: t.signal,
      timeoutMs: 30_000,
    });
    for (const action of ["install", "uninstall"])
      await assert.rejects(ask(action), refused(/is not a file/));
  });

  test("names every command that starts it where it could not, and says that it replaces another text", async (t) => {
    const { unit, ask } = await person(t);
    assert.match((await ask("install", { yes: false })).said, /without a terminal.*install --yes/);
    const first = await ask("install");
    assert.match(
      first.said,
      /systemctl --user daemon-reload && systemctl --user enable --now talaria\.service/,
    );
    assert.doesNotMatch(first.said, /in place of/);
    await writeFile(unit, `${await readFile(unit, "utf8")}# mine\n`);
    assert.match((await ask("install")).said, /in place of what is there/);
    assert.match((await ask("status")).said, /Ask where your services run: systemctl --user status/);
  });
});
