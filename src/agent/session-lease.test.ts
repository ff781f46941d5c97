import assert from "node:assert/strict";
import { test } from "node:test";
import { says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { input, sessionOf, testHome } from "../../test/fakes/test-agent.ts";
import { Refusal } from "../core/host.ts";

test("a message that comes while another one is refused is not refused with it", async () => {
  await using home = await testHome();
  const agent = await home.open(scriptedRuntime((turn) => says("yes", turn)));
  const first = input("hello");
  const session = sessionOf(first);
  await (
    await agent.send(first)
  ).ended;
  const guest = { surface: "telegram", id: "g", role: "guest", local: false } as const;
  const [refused, taken] = await Promise.allSettled([
    agent.send(input("let me in", { session, from: guest, surface: "telegram" })),
    agent.send(input("and now?", { session })),
  ]);
  assert.ok(refused.status === "rejected" && refused.reason instanceof Refusal);
  assert.equal(taken.status, "fulfilled", String("reason" in taken ? taken.reason : ""));
  assert.equal((await taken.value.ended)?.outcome, "done");
  assert.equal(await home.disk.leases.holder(session), undefined);
});
