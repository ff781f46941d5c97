import assert from "node:assert/strict";
import { clientOf } from "../../../test/fakes/client.ts";
import { test } from "node:test";
import { Refusal } from "../../core/host.ts";
import type { MigrationReport } from "../../core/migration.ts";
import { tryMigration, migrationText } from "./migration-text.ts";

const report: MigrationReport = {
  file: "/c/config.toml",
  diff: "--- a\n+++ a\n@@ -0,0 +1,1 @@\n+x = 1\r\n",
  written: true,
  servers: [
    { name: "files", state: "migrated", notes: [] },
    { name: "w", state: "yours", notes: ["one", "two"] },
  ],
  plugins: ["a@shop"],
  permission: ":workspace",
  tools: true,
  backup: "/c/config.toml.talaria-backup",
  warnings: ["Mind this."],
};

test("a migration reads as its diff, its servers and what came of it", () => {
  assert.equal(
    migrationText(report),
    `--- a
+++ a
@@ -0,0 +1,1 @@
+x = 1

files  migrated
w      yours     one; two

Codex may write in the folder it works in (default_permissions = ":workspace"): your file says nothing of that.
Plugins of codex that are on: a@shop.
Talaria's own tools are there as the server talaria-tools.
Written to /c/config.toml. As it was before: /c/config.toml.talaria-backup
To take it out again: talaria codex-runtime migrate --remove`,
  );
});

test("a look says that nothing was written, and so does a second time", () => {
  assert.match(
    migrationText({ ...report, written: false }, { dryRun: true }),
    /would be written.*Nothing was written\.$/,
  );
  assert.match(migrationText({ ...report, diff: "" }), /is as it should be\. Nothing was written\.$/);
  assert.match(migrationText({ ...report, diff: "" }, { remove: true }), /Nothing of Talaria's is in /);
  assert.match(migrationText(report, { remove: true }), /^Talaria's part was taken out of .*backup$/m);
});

const refuse = (): Promise<never> => Promise.reject(new Refusal("busy", "It is taken.", "Wait."));

test("beside something else it tells its warnings, and its failure is one", async () => {
  assert.match(
    await tryMigration(clientOf({ "codex.migrate": async () => report })),
    /^--- a[^]*--remove\n! Mind this\.$/,
  );
  assert.equal(
    await tryMigration(clientOf({ "codex.migrate": async () => ({ ...report, diff: "", warnings: [] }) })),
    "",
  );
  assert.equal(
    await tryMigration(clientOf({ "codex.migrate": refuse })),
    "! Codex's own settings were not brought up to date: It is taken.\n→ Wait.",
  );
});
