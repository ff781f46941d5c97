import assert from "node:assert/strict";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { newFolder } from "../../../../test/temp-folder.ts";
import { Refusal } from "../../../core/host.ts";
import type { MigrationReport } from "../../../core/migration.ts";
import { systemClock } from "../../../lib/clock.ts";
import { GuardedFileError } from "../../../lib/guarded-file/guarded-file-error.ts";
import { fileSwapper } from "../../../lib/files/swap-file.ts";
import { type MigrateParts, migrate } from "./migrate.ts";
import { unguarded } from "./refused.ts";

let home: string;
let file: string;
before(async () => {
  home = await newFolder();
  file = join(home, "config.toml");
});
beforeEach(() => rm(file, { force: true }));
after(() => rm(home, { recursive: true, force: true }));

const clock = systemClock;
const swap = fileSwapper({ PATH: "" }, clock);
const own = { settings: { command: "/opt/talaria", args: ["mcp"] }, off: false };
const run = (parts: Partial<MigrateParts> = {}): Promise<MigrationReport> =>
  migrate(
    {
      home,
      clock,
      swap,
      servers: { files: { command: "npx" } },
      plugins: async () => new Map([["a@shop", true]]),
      ownServer: { is: own, answers: async () => true },
      ...parts,
    },
    {},
  );

test("plugins and our own tools are in the block when they are there", async () => {
  const { plugins, tools, warnings, servers } = await run();
  assert.deepEqual({ plugins, tools, warnings }, { plugins: ["a@shop"], tools: true, warnings: [] });
  assert.deepEqual(servers, [{ name: "files", state: "migrated", notes: [] }]);
  assert.match(
    await readFile(file, "utf8"),
    /^\[mcp_servers\.talaria-tools\] # talaria\ncommand = "\/opt\/talaria"$/m,
  );
});

test("a codex that cannot be asked for plugins is a warning, and takes none away", async () => {
  await run();
  const { warnings, plugins, written } = await run({
    plugins: () => Promise.reject(new Error("it is wedged")),
  });
  assert.deepEqual({ plugins, written }, { plugins: ["a@shop"], written: false });
  assert.match(warnings[0] ?? "", /could not be asked for its plugins.*it is wedged.*Run this again/);
});

test("a server of ours that bears the name of our own tools, or one that codex cannot have, is left out", async () => {
  const odd = {
    "talaria-tools": { command: "x" },
    "my files": { command: "x" },
    none: null,
    "a/b.c": { url: "u" },
  };
  assert.deepEqual(
    (await run({ servers: odd })).servers.map(({ name, state }) => [name, state]),
    [
      ["a/b.c", "migrated"],
      ["my files", "left out"],
      ["none", "left out"],
      ["talaria-tools", "left out"],
    ],
  );
});

test("settings that are no map of servers are a warning", async () => {
  const { warnings, servers } = await run({ servers: ["files"] });
  assert.deepEqual(servers, []);
  assert.match(warnings[0] ?? "", /mcp_servers in Talaria's settings is not a map/);
});

const cases: Readonly<Record<string, readonly [string, RegExp]>> = {
  "a group that nothing can be added to": ["mcp_servers = {}\n", /mcp_servers in .* is written in one piece/],
  "a table of the name of our tools": [
    '[mcp_servers.talaria-tools]\ncommand = "x"\n',
    /Your own \[mcp_servers\.talaria-tools\] is used/,
  ],
  "details of a sandbox": ["[sandbox_workspace_write]\nnetwork_access = true\n", /was not set to :workspace/],
};
for (const [name, [text, warning]] of Object.entries(cases)) {
  test(`the person is told about ${name}`, async () => {
    await writeFile(file, text);
    assert.match((await run()).warnings.join("\n"), warning);
  });
}

test("the person is told when others can read what may be a secret", async () => {
  await writeFile(file, "");
  await chmod(file, 0o644);
  assert.deepEqual((await run()).warnings, []);
  const secret = { files: { command: "npx", env: { TOKEN: "x" } } };
  assert.match((await run({ servers: secret })).warnings[0] ?? "", /can be read by other users.*chmod 600/);
});

const broken = async (): Promise<never> => {
  throw new Error("disk on fire");
};

test("a file that cannot be written is a fault of the storage, with the reason", async () => {
  await writeFile(file, "");
  await assert.rejects(run({ swap: broken }), (error: Error & { fault?: { code: string } }) => {
    assert.equal(error.fault?.code, "storage");
    return /could not be written: disk on fire/.test(error.message);
  });
  assert.equal(await readFile(file, "utf8"), "");
});

test("a file that somebody else writes, or that is no text, is refused in the person's words", async () => {
  const lock = `${file}.talaria-lock`;
  const busy = unguarded(new GuardedFileError(file, { kind: "locked", lock, pid: 7 }));
  assert.ok(busy instanceof Refusal && busy.code === "busy");
  assert.match(
    busy.message,
    /Another Talaria is writing to codex's settings: the process 7 holds .*-lock\. Nothing/,
  );
  await writeFile(file, Buffer.from([0xff, 0xfe, 0]));
  await assert.rejects(run(), {
    name: "FaultError",
    message: /cannot be read: it has bytes that are not UTF-8\. Nothing was changed/,
  });
});
