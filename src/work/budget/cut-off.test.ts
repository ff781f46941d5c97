import assert from "node:assert/strict";
import { test } from "node:test";
import { says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestHome, input, sessionOf, testHome } from "../../../test/fakes/test-agent.ts";
import { type SessionId, asId } from "../../core/ids.ts";
import { counting, endless, taskWorld } from "../delegate/delegation.suite.ts";
import { explain } from "../why/why.ts";
import { settleCutOff } from "./cut-off.ts";

test("a task whose process died has its outcome and gives back what was reserved for it, once, and not while it lives", async () => {
  const one = endless("Half.");
  await using it = await taskWorld({ one: one.script });
  const { session } = await it.handOn({ goal: "one" });
  await one.begun;
  const { disk } = it.home;
  const [child] = await disk.sessions.list({ limit: 10, parent: session });
  assert.ok(child !== undefined);
  assert.deepEqual([await cutOff(it.home, true), await reserved(it.home)], [0, 5000]);
  const again = scriptedRuntime((turn) => says("Again.", turn));
  const after = await it.home.open(again, { pid: 2, isGone: () => true });
  await after.reconcile();
  assert.deepEqual([await cutOff(it.home, true), await cutOff(it.home, true)], [1, 0]);
  assert.equal(await reserved(it.home), 0);
  assert.deepEqual(await outcomesOf(it.home, child.id), [["delegate", "failed"]]);
  const asked = { store: disk, zone: "UTC", now: it.home.clock.now(), runner: "none" } as const;
  assert.match((await explain(asked, child.id)).why, /was ended or has crashed/);
});

test("a review whose process died likewise, and not while that lives", async () => {
  await using home = await testHome();
  const agent = await home.open(scriptedRuntime((turn) => says("Hello.", turn)));
  const incoming = input("Hello.");
  await (
    await agent.send(incoming)
  ).ended;
  const subject = sessionOf(incoming);
  const [last] = await home.disk.sessions.lastTurns(subject, 1);
  assert.ok(last !== undefined);
  const at = home.clock.now();
  await home.disk.reviews.begin({ session: subject, kind: "memory", upTo: last.id, at }, agent.owner);
  const piece = { inbox: asId<"inb">("trn_review"), origin: "review", subject, at } as const;
  await home.disk.workSpend.reserve({ ...piece, tokens: 5000, usd: 0 }, []);
  assert.deepEqual([await cutOff(home, false), await reserved(home)], [0, 5000]);
  assert.deepEqual([await cutOff(home, true), await cutOff(home, true), await reserved(home)], [1, 0, 0]);
  assert.deepEqual(await outcomesOf(home, subject), [["review", "failed"]]);
  const ended = { id: piece.inbox, origin: "review", subject } as const;
  await counting(home).settle(ended, { tokens: 700, usd: 0 }, { state: "ran" });
  assert.deepEqual(await outcomesOf(home, subject), [["review", "failed"]], "it has one outcome");
});

const cutOff = (home: TestHome, isDead: boolean): Promise<number> =>
  settleCutOff({
    store: home.disk,
    allowance: counting(home),
    isGone: () => isDead,
    clock: home.clock,
  });

async function reserved({ disk }: TestHome): Promise<number | undefined> {
  const [use] = await disk.workSpend.uses([{ key: "day", unit: "tokens", limit: 9000, since: 0 }]);
  return use?.used;
}

async function outcomesOf({ disk }: TestHome, subject: SessionId) {
  const rows = await disk.outcomes.list({ limit: 10, subject });
  return rows.map(({ kind, state }) => [kind, state]);
}
