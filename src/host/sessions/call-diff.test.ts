import assert from "node:assert/strict";
import { test } from "node:test";
import { asId } from "../../core/ids.ts";
import type { CallItem, Item } from "../../core/items.ts";
import type { Store } from "../../store/store.ts";
import { callDiff } from "./diff.ts";

const session = asId<"ses">("ses_1");
const call = (tool: string, also: Partial<CallItem>): CallItem => ({
  id: asId<"itm">("itm_1"),
  kind: "call",
  callId: "c",
  tool,
  args: {},
  output: "",
  ok: true,
  ...also,
});

test("joins what was done, in order, and leaves out what was declined or failed", async () => {
  const store = storeOf([
    [call("apply_patch", { diff: "--- a\n+++ a\n+1" }), call("apply_patch", { diff: "+no\n", ok: false })],
    [call("read_file", {}), call("patch", { diff: "--- b\n+++ b\n+2\n" })],
  ]);
  assert.deepEqual(await callDiff(store, session, "session"), {
    text: "--- a\n+++ a\n+1\n--- b\n+++ b\n+2\n",
  });
  assert.deepEqual(await callDiff(store, session, "turn"), { text: "--- b\n+++ b\n+2\n" });
});

test("says of commands, on either runtime, that nobody knows what they changed", async () => {
  const store = storeOf([[call("terminal", {}), call("exec_command", { ok: false })]]);
  const { text, note } = await callDiff(store, session, "turn");
  assert.equal(text, "");
  assert.match(note ?? "", /^No call of this turn .* 2 commands ran, and what they changed cannot be seen/);
});

function storeOf(turns: readonly (readonly Item[])[]): Store {
  const items = new Map(turns.map((some, at) => [`trn_${at}`, some]));
  const rows = [...items.keys()].map((id) => ({ id }));
  return {
    sessions: {
      turns: async () => rows,
      lastTurns: async (_session: string, count: number) => rows.slice(-count),
    },
    turns: { items: async (id: string) => items.get(id) ?? [] },
  } as unknown as Store;
}
