import assert from "node:assert/strict";
import { test } from "node:test";
import type { CodexPlan } from "../plan.ts";
import { areOurs, limits } from "./limits.ts";

const plan: CodexPlan = {
  launch: { command: "codex", args: [], env: {}, home: "", key: "", secrets: [] },
  provider: "p",
  loopRouteExists: false,
  network: false,
  mcpServers: {},
  warnings: [],
};
const nothing = { limitsAreSet: false, profile: undefined, policyIsSet: false };
const theirs = { limitsAreSet: true, profile: ":workspace", policyIsSet: true };

test("where nobody has set a sandbox, commands may write in their folder and the rest is asked", () => {
  assert.equal(areOurs(plan, nothing), true);
  assert.deepEqual(limits(plan, nothing), { sandbox: "workspace-write", approvalPolicy: "on-request" });
});

test("what Talaria's settings say goes before what codex's own say, and those before our default", () => {
  const chosen = { ...plan, sandbox: "read-only" } as const;
  assert.deepEqual(limits(chosen, theirs), { sandbox: "read-only", approvalPolicy: "on-request" });
  assert.equal(areOurs(plan, theirs), false);
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
