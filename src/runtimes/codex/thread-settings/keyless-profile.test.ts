import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { turnOf } from "../../runtime.suite.ts";
import type { Turn } from "../../runtime.ts";
import type { CodexPlan } from "../plan.ts";
import { hasProfile, keylessProfile } from "./keyless-profile.ts";
import type { UserLimits } from "./limits.ts";
import { readOnlyProfile } from "./read-only-profile.ts";

const newest = { userAgent: "talaria/0.166.0 (x)" };
const nothingSet = { limitsAreSet: false, sandbox: undefined, profile: undefined, policyIsSet: false };

type Fixture = AsyncDisposable & { readonly top: string; readonly turn: Turn; readonly plan: CodexPlan };

/** A home with keys, and a turn beside it that nobody attends. */
async function fixture(): Promise<Fixture> {
  const temp = await tempFolder();
  const { path: top } = temp;
  for (const name of ["home/.ssh", "home/k[1]", "work"]) await mkdir(join(top, name), { recursive: true });
  await symlink("home/.ssh", join(top, "keys"));
  return {
    top,
    turn: { ...turnOf({}), cwd: join(top, "work"), unattended: true },
    plan: {
      launch: { command: "codex", args: [], env: {}, home: "", key: "", secrets: [] },
      provider: "p",
      loopRouteExists: false,
      network: false,
      mcpServers: {},
      warnings: [],
      hidden: [join(top, "keys"), join(top, "absent")],
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

/** The rules for files, and whether there is a network. */
function rules(found: { readonly config: object } | undefined): unknown {
  const { default_permissions: name, ...rest } = (found?.config ?? {}) as Record<string, unknown>;
  return rest[`permissions.${String(name)}`];
}

const writable = { ":workspace_roots": { ".": "write" }, ":slash_tmp": "write", ":tmpdir": "write" };

describe("the fence of a turn that nobody attends", () => {
  test("hides what is there, where it really is, and leaves the rest as the sandbox has it", async () => {
    await using it = await fixture();
    const found = await keylessProfile(newest, it.turn, it.plan, nothingSet);
    assert.deepEqual(rules(found), {
      filesystem: { ":root": "read", ...writable, [join(it.top, "home/.ssh")]: "none" },
      network: { enabled: false },
    });
    assert.deepEqual([found?.params, found?.unhidden], [{ approvalPolicy: "on-request" }, []]);
  });

  test("follows the settings: a network, a sandbox in which nothing is written", async () => {
    await using it = await fixture();
    const plan = { ...it.plan, network: true, sandbox: "read-only" } as const;
    assert.deepEqual(rules(await keylessProfile(newest, it.turn, plan, nothingSet)), {
      filesystem: { ":root": "read", [join(it.top, "home/.ssh")]: "none" },
      network: { enabled: true },
    });
  });

  test("is there whoever chose the sandbox, and keeps to what they chose", async () => {
    await using it = await fixture();
    const hidden = { [join(it.top, "home/.ssh")]: "none" };
    const root = { ":root": "read" };
    const within = async (own: Partial<UserLimits>, network = false): Promise<unknown> =>
      rules(
        await keylessProfile(
          newest,
          it.turn,
          { ...it.plan, network },
          { ...nothingSet, limitsAreSet: true, ...own },
        ),
      );
    const shut = { enabled: false };
    const workspace = { filesystem: { ...root, ...writable, ...hidden }, network: shut };
    assert.deepEqual(await within({ profile: ":workspace" }), workspace);
    assert.deepEqual(await within({ sandbox: "read-only" }), {
      filesystem: { ...root, ...hidden },
      network: shut,
    });
    assert.deepEqual(await within({ profile: ":read-only" }), await within({ sandbox: "read-only" }));
    const open = { filesystem: { ...root, ...writable, ...hidden }, network: { enabled: true } };
    for (const own of [{ sandbox: "danger-full-access" }, { profile: ":danger-full-access" }])
      assert.deepEqual(await within(own), open);
    const details = { roots: ["/srv/cache", "/srv/[x]"], network: true };
    assert.deepEqual(await within({ sandbox: "workspace-write", workspace: details }), {
      ...open,
      filesystem: { ...open.filesystem, "/srv/cache": "write" },
    });
    assert.deepEqual(await within({ profile: ":workspace", workspace: details }), workspace);
    assert.deepEqual(await within({ profile: "mine" }), { extends: "mine", filesystem: hidden });
    assert.deepEqual(await within({ profile: "mine" }, true), {
      extends: "mine",
      filesystem: hidden,
      network: { enabled: true },
    });
  });

  test("leaves a policy to the person who has set it", async () => {
    await using it = await fixture();
    const theirs = { limitsAreSet: true, sandbox: undefined, profile: ":workspace", policyIsSet: true };
    assert.deepEqual((await keylessProfile(newest, it.turn, it.plan, theirs))?.params, {});
    const chosen = { ...it.plan, sandbox: "workspace-write" } as const;
    assert.deepEqual((await keylessProfile(newest, it.turn, chosen, theirs))?.params, {
      approvalPolicy: "on-request",
    });
  });

  test("is not there for a person, where Talaria is told to fence nothing, and on an old codex", async () => {
    await using it = await fixture();
    const { unattended: _, ...attended } = it.turn;
    assert.equal(await keylessProfile(newest, attended, it.plan, nothingSet), undefined);
    const open = { ...it.plan, sandbox: "danger-full-access" } as const;
    assert.equal(await keylessProfile(newest, it.turn, open, nothingSet), undefined);
    const old = { userAgent: "talaria/0.149.0 (x)" };
    assert.equal(await keylessProfile(old, it.turn, it.plan, nothingSet), undefined);
  });

  test("lets nothing be written in a hidden folder", async () => {
    await using it = await fixture();
    const home = join(it.top, "home");
    const turn = { ...it.turn, cwd: join(home, ".ssh") };
    assert.deepEqual(rules(await keylessProfile(newest, turn, { ...it.plan, hidden: [home] }, nothingSet)), {
      filesystem: { ":root": "read", [home]: "none" },
      network: { enabled: false },
    });
  });

  test("hides a folder once, since a codex that is told to hide something inside of it, too, runs no command", async () => {
    await using it = await fixture();
    const home = join(it.top, "home");
    const twice = [join(home, ".ssh"), home];
    const once = { ":root": "read", [home]: "none" };
    const found = await keylessProfile(newest, it.turn, { ...it.plan, hidden: twice }, nothingSet);
    assert.deepEqual(rules(found), { filesystem: { ...once, ...writable }, network: { enabled: false } });
    const aside = await readOnlyProfile(newest, { hiddenInSideTurns: twice });
    assert.deepEqual(rules({ config: aside ?? {} }), { filesystem: once, network: { enabled: false } });
  });

  test("names what codex would take for a pattern", async () => {
    await using it = await fixture();
    const odd = join(it.top, "home/k[1]");
    const found = await keylessProfile(newest, it.turn, { ...it.plan, hidden: [odd] }, nothingSet);
    assert.deepEqual(found?.unhidden, [odd]);
    assert.ok(!JSON.stringify(found.config).includes("k[1]"));
  });

  test("holds when codex says so, and not before", () => {
    assert.equal(
      hasProfile({ activePermissionProfile: { id: "talaria-unattended" } }, { id: "talaria-unattended" }),
      true,
    );
    for (const reply of [
      undefined,
      {},
      { activePermissionProfile: null },
      { activePermissionProfile: { id: ":workspace" } },
    ])
      assert.equal(hasProfile(reply, { id: "talaria-unattended" }), false);
  });
});
