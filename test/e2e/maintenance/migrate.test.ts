import assert from "node:assert/strict";
import { appendFile, chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { appliedDiff } from "../../../src/tools/files/applied-diff.suite.ts";
import type { MigrationReport } from "../../../src/core/migration.ts";
import { smallDisk } from "./small-disk.ts";
import { type StartOptions, type Talaria, talaria } from "../talaria.ts";

const settings = `mcp_servers:
  files: { command: npx, args: [-y, server-files], env: { TOKEN: "\${FILES_TOKEN}" }, timeout: 30, sampling: {} }
  web: { url: "https://example.com/mcp", transport: sse, connect_timeout: 2.5 }
  old: { command: old-server, enabled: false }
  empty: { timeout: 3 }
`;
const theirs =
  '\uFEFF# mine\r\nmodel = "gpt-5.5"\r\n\r\n[mcp_servers.web]\r\nurl = "https://mine"\r\n[x]\r\na = [\r\n]';
const secret = "token-77e0b2d6f1c9";

/** Talaria with servers in its settings, and a CODEX_HOME below its folder. */
async function withServers(more: { readonly home?: string } = {}): Promise<
  Talaria & {
    readonly codexHome: string;
    readonly file: string;
    migrate(...args: readonly string[]): ReturnType<Talaria["run"]>;
    report(...args: readonly string[]): Promise<MigrationReport & { readonly dryRun: boolean }>;
    text(): Promise<string>;
  }
> {
  const it = await talaria(more);
  await mkdir(it.home, { recursive: true, mode: 0o700 });
  await appendFile(join(it.home, "config.yaml"), settings, { mode: 0o600 });
  const codexHome = join(it.folder, "codex");
  const file = join(codexHome, "config.toml");
  const options: StartOptions = { env: { CODEX_HOME: codexHome, FILES_TOKEN: secret } };
  const migrate = (...args: readonly string[]) => it.run(["codex-runtime", "migrate", ...args], options);
  return {
    ...it,
    codexHome,
    file,
    migrate,
    report: async (...args) => {
      const { stdout, stderr, code } = await migrate(...args, "--json");
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout) as MigrationReport & { readonly dryRun: boolean };
    },
    text: () => readFile(file, "utf8"),
  };
}

describe("talaria codex-runtime migrate", () => {
  test("--dry-run tells what would be written, to the byte, and writes nothing", async () => {
    await using it = await withServers();
    const shown = await it.migrate("--dry-run");
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /\+\[mcp_servers\.files\] # talaria\n\+command = "npx"/);
    assert.match(shown.stdout, /^files +migrated +sampling: codex has nothing for it$/m);
    assert.match(shown.stdout, /^empty +left out +it has neither a command nor a url, so it is left out$/m);
    assert.match(shown.stdout, /^old +off/m);
    assert.match(shown.stdout, /^web +migrated +codex finds out by itself that the transport is sse$/m);
    assert.match(shown.stdout, /Nothing was written\.\n$/);
    await assert.rejects(stat(it.codexHome), { code: "ENOENT" });

    const { diff, tools, warnings } = await it.report("--dry-run");
    assert.equal(tools, true);
    assert.doesNotMatch(warnings.join("\n"), /own tools/);
    assert.match(
      diff,
      /^\+\[mcp_servers\.talaria-tools\] # talaria\n\+command = "\/.+\/bin\/talaria"\n\+args = \["mcp"\]$/m,
    );
    await it.migrate();
    assert.equal(appliedDiff("", diff), (await it.text()).replace(secret, "[redacted]"));
  });

  test("leaves the person's bytes, mode and link alone, does nothing the second time, and can be taken back", async () => {
    await using it = await withServers();
    await mkdir(join(it.folder, "dotfiles"));
    await mkdir(it.codexHome);
    const real = join(it.folder, "dotfiles", "codex.toml");
    await writeFile(real, theirs);
    await chmod(real, 0o640);
    await symlink(real, it.file);

    const first = await it.report();
    assert.equal(first.written, true);
    assert.deepEqual(
      first.servers.map(({ name, state }) => [name, state]),
      [
        ["empty", "left out"],
        ["files", "migrated"],
        ["old", "off"],
        ["web", "yours"],
      ],
    );
    assert.equal(first.permission, ":workspace");
    assert.equal(first.backup, `${real}.talaria-backup`);
    assert.equal(await readFile(first.backup, "utf8"), theirs);
    assert.ok(first.warnings.some((warning) => warning.includes("can be read by other users")));
    const text = await it.text();
    const [begin, end] = [
      text.indexOf("# >>> talaria"),
      text.indexOf("\r\n", text.indexOf("# <<< talaria")) + 2,
    ];
    assert.equal(text.slice(0, begin) + text.slice(end), theirs);
    assert.ok(!/[^\r]\n/.test(text), "every line ends as theirs do");
    assert.equal((await stat(it.file)).mode & 0o777, 0o640);
    assert.deepEqual(await readdir(it.codexHome), ["config.toml"]);

    assert.partialDeepStrictEqual(await it.report(), { diff: "", written: false });
    assert.partialDeepStrictEqual(await it.report("--remove"), { written: true, servers: [] });
    assert.equal(await it.text(), theirs);
    assert.match((await it.migrate("--remove")).stdout, /Nothing of Talaria's is in /);
  });

  test("shows no secret, and writes it for the owner alone", async () => {
    await using it = await withServers();
    const { stdout, stderr } = await it.migrate();
    assert.ok(!`${stdout}${stderr}`.includes(secret));
    assert.ok((await it.text()).includes(secret));
    assert.equal((await stat(it.file)).mode & 0o777, 0o600);
    assert.equal((await stat(it.codexHome)).mode & 0o777, 0o700);
  });

  test("refuses a file that is damaged or no TOML with exit code 2, says where, and leaves it alone", async () => {
    await using it = await withServers();
    await mkdir(it.codexHome);
    for (const [text, what] of [
      ["a = 1\n\nb = \n", /line 3: /],
      ["# >>> talaria: lost its end\n", /a begin mark in line 1.*Nothing was changed\./],
    ] as const) {
      await writeFile(it.file, text);
      const { code, lines } = await it.migrate("--json");
      assert.equal(code, 2);
      assert.partialDeepStrictEqual(lines, [{ type: "error", code: "config" }]);
      assert.match(lines[0]?.message ?? "", what);
      assert.equal(await it.text(), text);
      assert.deepEqual(await readdir(it.codexHome), ["config.toml"]);
    }
  });

  test("on a full disk ends with exit code 1, and the file is as it was", async (t) => {
    const disk = await smallDisk();
    if (typeof disk === "string") return t.skip(disk);
    await using _ = disk;
    await using it = await withServers();
    const real = join(disk.folder, "codex.toml");
    await writeFile(real, theirs);
    await mkdir(it.codexHome);
    await symlink(real, it.file);
    disk.fill();
    const { code, stderr } = await it.migrate();
    assert.equal(code, 1);
    assert.match(
      stderr,
      /config\.toml could not be written: ENOSPC.*\n.*Check that there is room on the disk/,
    );
    assert.equal(await it.text(), theirs);
    await disk.free();
    assert.deepEqual(await readdir(disk.folder), ["codex.toml"]);
    assert.equal((await it.migrate()).code, 0);
  });
});
