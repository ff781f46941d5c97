import assert from "node:assert/strict";
import { test } from "node:test";
import type { CodexPlan } from "../plan.ts";
import { sandboxIsOurs, limits } from "./limits.ts";

const plan: CodexPlan = {
  launch: { command: "codex", args: [], env: {}, home: "", key: "", secrets: [] },
  provider: "p",
  loopRouteExists: false,
  network: false,
  mcpServers: {},
  warnings: [],
};
const nothing = { limitsAreSet: false, sandbox: undefined, profile: undefined, policyIsSet: false };
const theirs = { limitsAreSet: true, sandbox: undefined, profile: ":workspace", policyIsSet: true };

test("where nobody has set a sandbox, commands may write in their folder and the rest is asked", () => {
  assert.equal(sandboxIsOurs(plan, nothing), true);
  assert.deepEqual(limits(plan, nothing), { sandbox: "workspace-write", approvalPolicy: "on-request" });
});

test("what Talaria's settings say goes before what codex's own say, and those before our default", () => {
  const chosen = { ...plan, sandbox: "read-only" } as const;
  assert.deepEqual(limits(chosen, theirs), { sandbox: "read-only", approvalPolicy: "on-request" });
  assert.equal(sandboxIsOurs(plan, theirs), false);
  assert.deepEqual(limits(plan, theirs), {});
  assert.deepEqual(limits({ ...plan, network: true }, theirs), { sandbox: "workspace-write" });
});

test("a policy that nobody has set is not left to what codex has for folders that are not trusted", () => {
  const own = { ...theirs, policyIsSet: false };
  assert.deepEqual(limits(plan, own), { approvalPolicy: "on-request" });
  assert.deepEqual(limits({ ...plan, network: true }, own), {
    sandbox: "workspace-write",
    approvalPolicy: "on-request",
  });
});

test("where our own files are in the folder, nothing is written unasked, unless somebody has chosen no sandbox", () => {
  const holding = { ...plan, holdsGuarded: true };
  const asking = { sandbox: "read-only", approvalPolicy: "on-request" };
  assert.deepEqual(limits(holding, nothing), asking);
  assert.deepEqual(limits({ ...holding, sandbox: "workspace-write", network: true }, theirs), asking);
  assert.deepEqual(limits(holding, theirs), { sandbox: "read-only" });
  assert.deepEqual(limits(holding, { ...theirs, profile: undefined, sandbox: "workspace-write" }), {
    sandbox: "read-only",
  });
  assert.deepEqual(limits({ ...holding, sandbox: "danger-full-access" }, nothing), {
    sandbox: "danger-full-access",
    approvalPolicy: "on-request",
  });
  assert.deepEqual(limits(holding, { ...theirs, profile: ":danger-no-sandbox" }), {});
  assert.deepEqual(limits(holding, { ...theirs, profile: undefined, sandbox: "danger-full-access" }), {});
});
