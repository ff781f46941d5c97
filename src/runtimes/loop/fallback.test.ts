import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { Fault } from "../../core/faults.ts";
import { answers, calls, fails, loopWorld, plainTurn, routeTo } from "./loop-world.suite.ts";

const both = [routeTo("main"), routeTo("spare")] as const;
const noKey: Fault = { code: "auth", message: "MAIN_KEY is not set.", next: "Set it." };

describe("fallback routes", () => {
  for (const code of ["quota", "overloaded", "network", "auth"] as const) {
    test(`${code} moves the turn to the next route, with one notice that says why`, async () => {
      const { play } = loopWorld({
        routes: both,
        model: (_request, _at, { name }) => (name === "main" ? fails(code) : answers("from the spare")),
      });
      const { ended, events, notices, requests } = await play();
      assert.deepEqual([ended.outcome, ended.text, ended.fault], ["done", "from the spare", undefined]);
      assert.deepEqual(notices, [
        `route_switched: It failed: ${code}. The turn goes on with spare-model at spare.`,
      ]);
      assert.deepEqual(
        requests.map(({ route, model }) => [route, model]),
        [
          ["main", "main-model"],
          ["spare", "spare-model"],
        ],
      );
      assert.partialDeepStrictEqual(events[0], { type: "started", model: "main-model" });
    });
  }

  test("what another model would refuse too ends the turn", async () => {
    for (const code of ["refused", "context_full"] as const) {
      const { play } = loopWorld({ routes: both, model: () => fails(code) });
      const { ended, requests } = await play();
      assert.partialDeepStrictEqual(ended, { outcome: "failed", fault: { code } });
      assert.equal(requests.length, 1);
    }
  });

  test("once a word was shown nobody else is asked, so that no text comes twice", async () => {
    const { play } = loopWorld({
      routes: both,
      model: () => [{ type: "delta", item: 0, of: "text", text: "half an ans" }, ...fails("overloaded")],
    });
    const { ended, requests, notices } = await play();
    assert.deepEqual([ended.outcome, ended.text], ["failed", "half an ans"]);
    assert.deepEqual([requests.length, notices], [1, []]);
  });

  test("in the middle of a turn the next route gets all that was done, without what only the first can read", async () => {
    const { play } = loopWorld({
      routes: both,
      model: (_request, at) =>
        [
          [
            { type: "item", item: { kind: "thinking", item: 9, text: "", sealed: "s" } } as const,
            ...calls("{}"),
          ],
          fails("quota"),
          calls("{}"),
          answers("done"),
        ][at] ?? [],
    });
    const { ended, requests, items } = await play();
    assert.deepEqual([ended.outcome, ended.calls], ["done", 2]);
    assert.deepEqual(
      requests.map(({ route }) => route),
      ["main", "main", "spare", "spare"],
    );
    assert.deepEqual(
      requests.map(({ sealed }) => sealed?.length),
      [undefined, 1, undefined, undefined],
    );
    assert.deepEqual(requests[2]?.messages, requests[1]?.messages);
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
  });

  test("the next turn tries the preferred route again, unless it said when it is back", async () => {
    for (const wait of [undefined, 60_000]) {
      const clock = fakeClock(1_700_000_000_000);
      let down = true;
      const { play } = loopWorld({
        routes: both,
        ports: { clock },
        model: (_request, _at, { name }) =>
          name === "main" && down ? fails("quota", wait) : answers(`from ${name}`),
      });
      await play();
      down = false;
      const second = await play();
      assert.equal(second.ended.text, wait === undefined ? "from main" : "from spare");
      if (wait === undefined) continue;
      assert.deepEqual(second.notices, [
        "route_switched: main-model at main is not to be asked before 2023-11-14 22:14 UTC. The turn goes on with spare-model at spare.",
      ]);
      assert.partialDeepStrictEqual(second.events[0], { type: "started", model: "spare-model" });
      await clock.advance(wait);
      assert.equal((await play()).ended.text, "from main");
    }
  });

  test("what a provider says to work beside the conversation moves no turn of the person", async () => {
    let down = true;
    const { play, runtime, ports } = loopWorld({
      routes: both,
      model: (_request, _at, { name }) =>
        name === "main" && down ? fails("quota", 60_000) : answers(`from ${name}`),
    });
    await Array.fromAsync(runtime.sideTurn?.(plainTurn, ports) ?? []);
    down = false;
    const { ended, notices } = await play();
    assert.deepEqual([ended.text, notices], ["from main", []]);
  });

  test("when all routes rest, the preferred one is asked", async () => {
    const { play } = loopWorld({ routes: both, model: () => fails("quota", 60_000) });
    await play();
    const { requests } = await play();
    assert.deepEqual(
      requests.map(({ route }) => route),
      ["main", "spare", "main"],
    );
  });

  test("a route without its key is passed over and named; if it is the last hope, its reason is told too", async () => {
    const first = loopWorld({ routes: [noKey, routeTo("spare")], model: () => answers("ok") });
    assert.deepEqual((await first.play()).notices, [
      "route_switched: MAIN_KEY is not set. The turn goes on with spare-model at spare.",
    ]);
    const last = loopWorld({ routes: [routeTo("main"), noKey], model: () => fails("quota") });
    assert.equal((await last.play()).ended.fault?.message, "It failed: quota. MAIN_KEY is not set.");
    const none = loopWorld({ routes: [noKey, { ...noKey, message: "SPARE_KEY" }], model: () => [] });
    assert.deepEqual((await none.play()).ended.fault, noKey);
  });

  test("usage says how much of it was whose", async () => {
    const spent = { type: "usage", input: 10, cached: 0, output: 1, reasoning: 0 } as const;
    const { play } = loopWorld({
      routes: both,
      model: (_request, _at, { name }) => [spent, ...(name === "main" ? fails("quota") : answers("ok"))],
    });
    const { ended, events } = await play();
    assert.equal(ended.usage?.input, 20);
    assert.deepEqual(
      ended.usage?.models?.map(({ provider, model, input }) => [provider, model, input]),
      [
        ["main", "main-model", 10],
        ["spare", "spare-model", 10],
      ],
    );
    assert.deepEqual(
      events.flatMap((event) => (event.type === "usage" ? [event.input] : [])),
      [10, 20],
    );
  });
});

describe("a conversation that the model cannot read whole", () => {
  const history = [
    { role: "user", content: "long" },
    { role: "assistant", content: "story" },
  ] as const;

  test("is shortened once and asked again, and what the person just said stays", async () => {
    const { play } = loopWorld({
      turn: { past: async () => ({ history }) },
      ports: { compact: async () => [{ role: "user", content: "short" }] },
      model: (_request, at) => (at === 0 ? fails("context_full") : answers("ok")),
    });
    const { ended, events, requests } = await play();
    assert.equal(ended.text, "ok");
    assert.ok(events.some((event) => event.type === "status" && event.state === "compacting"));
    assert.deepEqual(
      requests[1]?.messages.map(({ content }) => content),
      ["short", "go"],
    );
  });

  test("is told plainly when it cannot be shortened, or is still too long", async () => {
    for (const shorter of [undefined, history]) {
      let asked = 0;
      const compact = async (): Promise<typeof shorter> => {
        asked += 1;
        return shorter;
      };
      const { play } = loopWorld({
        turn: { past: async () => ({ history }) },
        ports: { compact },
        model: () => fails("context_full"),
      });
      const { ended, requests } = await play();
      assert.partialDeepStrictEqual(ended, { outcome: "failed", fault: { code: "context_full" } });
      assert.deepEqual([asked, requests.length], [1, shorter === undefined ? 1 : 2]);
    }
  });
});
