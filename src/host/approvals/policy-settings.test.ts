import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { judge } from "../../approvals/policy/policy.ts";
import { loadConfig } from "../../config/config.ts";
import { policySettings } from "./policy-settings.ts";
import { testFolder } from "../../../test/temp-folder.ts";

test("our own files are guarded by the name without links, too, also those that are not there yet", async (t) => {
  const top = await testFolder(t);
  await mkdir(join(top, "disk/ada"), { recursive: true });
  await symlink("disk/ada", join(top, "home"));
  const home = join(top, "home");
  const env = { HOME: home, TALARIA_HOME: join(home, "state") };
  const loaded = await loadConfig({ env, homeDir: home, flags: {} });
  const settings = policySettings(loaded, env, home);
  for (const name of ["home/state/config.yaml", "disk/ada/state/config.yaml", "disk/ada/.codex/auth.json"]) {
    const changes = [{ path: join(top, name), kind: "update" as const }];
    const question = {
      tool: "write_file",
      summary: "",
      cwd: join(top, "disk/ada"),
      effect: "local" as const,
    };
    const { verdict, reason } = judge(
      { ...question, args: {}, action: { kind: "change", changes } },
      { from: { role: "owner", local: true }, audience: "owner", attended: "all" },
      settings,
    );
    assert.deepEqual([verdict, reason.slice(0, 10)], ["deny", "Never done"], name);
  }
});
