import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { tempHome } from "../../config/temp-home.suite.ts";
import type { Incoming } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { defaultRuntime } from "./default-runtime.ts";
import { localOwner } from "../../core/principal.ts";

const key = { surface: "cli", account: "", chat: "", messageId: "1" };
const fresh = { id: asId<"ses">("ses_1"), cwd: "/w", surface: "cli", audience: "owner" as const };
const said = {
  key,
  from: localOwner("cli"),
  session: fresh,
  input: [],
  whenBusy: "refuse",
  attended: "none",
} as const;

test("new sessions get it at once, those that exist and those that chose one keep theirs", async (t) => {
  const home = await tempHome(t, { config: "# mine\n" });
  const it = defaultRuntime(await home.load(), { meta: meta() });
  assert.deepEqual([it.current(), it.applyTo(said)], ["loop", said]);
  await it.set("codex");
  assert.equal(it.current(), "codex");
  assert.deepEqual(it.applyTo(said).session, { ...fresh, runtime: "codex" });
  const others: readonly Incoming[] = [
    { ...said, session: fresh.id },
    { ...said, session: { ...fresh, runtime: "loop" } },
    { ...said, choices: { runtime: "loop" } },
  ];
  for (const other of others) assert.equal(it.applyTo(other), other);
  assert.equal((await home.load()).config.model.runtime, "codex");
  await it.set("loop");
  assert.deepEqual([it.current(), it.applyTo(said)], ["loop", said]);
  assert.equal(await readFile(home.config, "utf8"), "# mine\n");
});

test("a variable that outranks the file is named, and nothing is written", async (t) => {
  const home = await tempHome(t);
  const it = defaultRuntime(await home.load({ env: { TALARIA_RUNTIME: "loop" } }), { meta: meta() });
  await assert.rejects(it.set("codex"), { name: "Refusal", message: /TALARIA_RUNTIME says loop/ });
  assert.equal(it.current(), "loop");
  await assert.rejects(readFile(home.config), { code: "ENOENT" });
});

test("when the file cannot be changed, neither is what holds here", async (t) => {
  const home = await tempHome(t, { config: "# fine\n" });
  const it = defaultRuntime(await home.load(), {
    meta: { ...meta(), set: () => Promise.reject(new Error("full")) },
  });
  await assert.rejects(it.set("codex"), /full/);
  assert.equal(it.current(), "loop");
});

function meta() {
  const kept = new Map<string, string>();
  return {
    get: async (name: string) => kept.get(name),
    set: async (name: string, value: string) => void kept.set(name, value),
  };
}
