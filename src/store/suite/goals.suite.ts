import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Goal } from "../../core/goal.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import { type Open, startTurn } from "./world.suite.ts";

let made = 0;
const goalIn = (session: SessionId, also: Partial<Goal> = {}): Goal => ({
  id: newId("gol", (made += 1)),
  session,
  text: "reach it",
  subgoals: [],
  state: "active",
  limit: { turns: 3 },
  before: { tokens: 0, usd: 0 },
  by: localOwner("cli"),
  createdAt: made,
  updatedAt: made,
  ...also,
});

export const goalTests = (open: Open): void => {
  describe("goals", () => {
    test("a session has one that is open, also when two set it at once; all of it survives", async () => {
      await using opened = await open();
      const { session } = await startTurn(opened.store);
      const stores = [opened.store, await opened.another()];
      const two = [goalIn(session), goalIn(session)];
      const added = await Promise.all(stores.map(({ goals }, at) => goals.add(two[at] ?? goalIn(session))));
      assert.deepEqual(added.toSorted(), [false, true]);
      const kept = two[added.indexOf(true)];
      assert.deepEqual(await (await opened.reopen()).goals.of(session), kept);
    });

    test("one that is over stays so, and what was allowed for it never changes", async () => {
      await using opened = await open();
      const { goals } = opened.store;
      const { session } = await startTurn(opened.store);
      const goal = goalIn(session, { check: { command: "true", cwd: "/" } });
      await goals.add(goal);
      assert.equal((await goals.change(goal.id, { state: "cleared" }, 5))?.state, "cleared");
      assert.equal(await goals.change(goal.id, { state: "active" }, 6), undefined);
      assert.deepEqual((await goals.of(session))?.check, goal.check);
      assert.ok(await goals.add(goalIn(session)));
      assert.deepEqual((await goals.active()).length, 1);
    });

    test("a turn is looked at once, whoever looks, and only while the goal is active", async () => {
      await using opened = await open();
      const { session, turn } = await startTurn(opened.store);
      const goal = goalIn(session);
      await opened.store.goals.add(goal);
      const step = { goal: goal.id, turn, by: "judge", verdict: "go_on", text: "more", at: 7 } as const;
      const stores = [opened.store, await opened.another()];
      const kept = await Promise.all(stores.map(({ goals }) => goals.keep(step, {})));
      assert.deepEqual(kept.toSorted(), [false, true]);
      assert.deepEqual(await opened.store.goals.steps(goal.id), [{ ...step, number: 1 }]);
      await opened.store.goals.change(goal.id, { state: "paused" }, 8);
      assert.equal(await opened.store.goals.keep({ ...step, turn: newId("trn", 9) }, {}), false);
    });

    test("what nobody has asked for is told once", async () => {
      await using opened = await open();
      const { goals } = opened.store;
      const { session, turn } = await startTurn(opened.store);
      const goal = goalIn(session);
      await goals.add(goal);
      const step = {
        goal: goal.id,
        turn,
        by: "check",
        verdict: "done",
        text: "exit 0",
        exitCode: 0,
        at: 7,
      } as const;
      assert.deepEqual(await goals.takeUnreported(session), []);
      await goals.keep(step, { state: "done", why: "exit 0", untold: true });
      assert.deepEqual(
        (await goals.takeUnreported(session)).map(({ state, why }) => [state, why]),
        [["done", "exit 0"]],
      );
      assert.deepEqual(await goals.takeUnreported(session), []);
    });
  });
};
