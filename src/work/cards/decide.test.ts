import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Card, CardId, CardState } from "../../core/cards/cards.ts";
import type { CardStep, SeenCard } from "../../store/schema/card-table.ts";
import { type Actor, type Command, type No, mayDo } from "./command.ts";
import { decide } from "./decide.ts";
import { newCard } from "./new-card.ts";

const person: Actor = { is: "person", name: "you" };
const worker: Actor = { is: "worker", run: "t_a.1" };
const dispatcher: Actor = { is: "dispatcher" };
const owner = { host: "here", pid: 1, startTime: "1" };

const card = (state: CardState, also: Partial<Card> = {}): Card => ({
  id: "t_a",
  board: "default",
  title: "a",
  state,
  priority: 0,
  workspace: "scratch",
  failures: 0,
  failureLimit: 2,
  epoch: 1,
  madeBy: "you",
  createdAt: 0,
  changedAt: 0,
  ...(state === "running" ? { run: "t_a.1" as const } : {}),
  ...also,
});

const seen = (of: Card, also: Partial<SeenCard> = {}): SeenCard => ({
  now: 100,
  card: of,
  parents: [],
  children: [],
  ...(of.run === undefined
    ? {}
    : { run: { id: of.run, card: of.id, epoch: 1, owner, claimedAt: 0, heartbeatAt: 50, expiresAt: 150 } }),
  ...also,
});

const step = (of: SeenCard, actor: Actor, command: Command): CardStep => {
  const decided = decide(of, actor, command);
  return "no" in decided ? assert.fail(decided.message) : decided;
};
const refused = (of: SeenCard, actor: Actor, command: Command): No["no"] => {
  const decided = decide(of, actor, command);
  return "no" in decided ? decided.no : assert.fail(`${command.do} was done`);
};
const parent = (done: boolean, id: CardId = "t_p") => ({
  id,
  title: id,
  state: done ? ("done" as const) : ("ready" as const),
  ...(done ? { doneAt: 1 } : {}),
});

const blockedBy = (reason: string): Command => ({ do: "block", kind: "needs_input", reason });

const child = (id: CardId, state: CardState, openParents: number) => ({
  id,
  title: id,
  state,
  openParents,
});

const blocked = (kind: "needs_input" | "capability" | "transient") =>
  step(seen(card("running")), worker, { do: "block", kind, reason: "x" }).next.block;

const made = (parents: SeenCard["parents"], triage = false) => {
  const asked = { id: "t_n" as const, title: " new ", parents: parents.map(({ id }) => id), triage };
  const said = newCard({ now: 1, parents }, { is: "person", name: "you" }, asked);
  return "no" in said ? said.no : said.next.state;
};

describe("what becomes of a card", () => {
  test("is decided for those alone who may", () => {
    const actors: readonly Actor[] = [
      person,
      { is: "orchestrator", name: "s" },
      worker,
      dispatcher,
      { is: "time" },
    ];
    for (const actor of actors)
      for (const [what, who] of Object.entries(mayDo)) {
        const decided = decide(seen(card("ready")), actor, {
          do: what,
          text: "",
          reason: "",
          summary: "",
        } as never as { do: "ready" });
        const isNot = "no" in decided && decided.no === "may_not";
        assert.equal(isNot, !who.includes(actor.is as never), `${what} by ${actor.is}`);
      }
  });

  test("a worker whose attempt is not the current one is told to stop, whatever it says", () => {
    const late: Actor = { is: "worker", run: "t_a.0" };
    const says: readonly Command[] = [
      { do: "complete", summary: "done" },
      { do: "block", kind: "needs_input", reason: "which?" },
      { do: "heartbeat", ttlMs: 9 },
      { do: "comment", text: "hello" },
      { do: "hand_in" },
      { do: "fail", outcome: "crashed", error: "x" },
    ];
    for (const word of says) {
      assert.equal(refused(seen(card("running")), late, word), "stale");
      assert.equal(refused(seen(card("ready")), worker, word), "stale");
    }
  });

  test("a claim begins with nothing of the one before it", () => {
    const { next, begins } = step(seen(card("ready")), dispatcher, { do: "claim", owner, ttlMs: 10 });
    assert.deepEqual([next.state, next.run, next.epoch], ["running", "t_a.2", 2]);
    const times = { claimedAt: 100, heartbeatAt: 100, expiresAt: 110 };
    assert.deepEqual(begins, { id: "t_a.2", epoch: 2, owner, ...times });
    assert.equal(refused(seen(card("todo")), dispatcher, { do: "claim", owner, ttlMs: 10 }), "state");
  });

  test("a claim is taken away when it ran out, when its process is gone, or when the clock went back", () => {
    const running = card("running");
    const reclaim = { do: "reclaim", gone: false } as const;
    assert.equal(refused(seen(running, { now: 149 }), dispatcher, reclaim), "early");
    assert.equal(step(seen(running, { now: 150 }), dispatcher, reclaim).ends?.outcome, "reclaimed");
    assert.equal(step(seen(running), dispatcher, { do: "reclaim", gone: true }).ends?.outcome, "crashed");
    assert.equal(step(seen(running, { now: -51 }), dispatcher, reclaim).next.state, "ready");
  });

  test("too many failures in a row are a person's to look at", () => {
    const fail = { do: "fail", outcome: "timed_out", error: "slow" } as const;
    const once = step(seen(card("running")), worker, fail).next;
    assert.deepEqual([once.state, once.failures], ["ready", 1]);
    const twice = step(seen(card("running", { failures: 1 })), worker, fail).next;
    assert.deepEqual(
      [twice.state, twice.block?.kind, twice.block?.releaser],
      ["blocked", "gave_up", "person"],
    );
  });

  test("the same block of two attempts in a row goes to triage, another one does not", () => {
    const first = step(seen(card("running")), worker, blockedBy("Which of the 3 doors?")).next;
    assert.equal(first.state, "blocked");
    const again = card("running", { lastBlock: first.lastBlock ?? "" });
    assert.equal(step(seen(again), worker, blockedBy("which of the  4 doors?")).next.state, "triage");
    assert.equal(step(seen(again), worker, blockedBy("What colour?")).next.state, "blocked");
  });

  test("each kind of block has its releaser", () => {
    assert.equal(blocked("needs_input")?.releaser, "person");
    assert.equal(blocked("capability")?.releaser, "person");
    assert.equal(blocked("transient")?.releaser, "time");
    const until = { kind: "transient", reason: "x", releaser: "time", until: 100 } as const;
    const waits = card("blocked", { block: until });
    assert.equal(refused(seen(waits, { now: 99 }), { is: "time" }, { do: "unblock" }), "early");
    assert.equal(step(seen(waits), { is: "time" }, { do: "unblock" }).next.state, "ready");
    const asks = card("blocked", { block: { kind: "needs_input", reason: "x", releaser: "person" } });
    assert.equal(refused(seen(asks), { is: "time" }, { do: "unblock" }), "early");
    assert.equal(step(seen(asks), person, { do: "unblock" }).next.state, "ready");
  });

  test("a dependency is released by the cards it waits for, so it must name one", () => {
    const block = { do: "block", kind: "dependency", reason: "first the roof" } as const;
    assert.equal(refused(seen(card("running")), worker, block), "usage");
    const other = { card: card("ready", { id: "t_b" }), waits: false };
    const linked = step(seen(card("running"), { other }), worker, { ...block, parent: "t_b" });
    assert.deepEqual([linked.next.state, linked.linked], ["todo", ["t_b"]]);
    assert.equal(
      refused(seen(card("running"), { other: { ...other, waits: true } }), worker, {
        ...block,
        parent: "t_b",
      }),
      "cycle",
    );
    assert.equal(
      refused(seen(card("todo"), { parents: [parent(false)] }), person, { do: "unblock" }),
      "waits",
    );
  });

  test("what waited for a card goes on when it is done, and waits again when it is reopened", () => {
    const children = [child("t_1", "todo", 1), child("t_2", "todo", 2), child("t_3", "triage", 1)];
    const { next, others } = step(seen(card("running"), { children }), worker, {
      do: "complete",
      summary: "s",
    });
    assert.deepEqual([next.state, next.doneAt, next.run], ["done", 100, undefined]);
    assert.deepEqual(others, [{ id: "t_1", state: "ready" }]);
    const again = seen(card("done", { doneAt: 1 }), { children: [child("t_1", "ready", 0)] });
    assert.deepEqual(step(again, person, { do: "reopen" }).others, [{ id: "t_1", state: "todo" }]);
    assert.equal(
      refused(seen(card("ready"), { children }), person, { do: "archive" }),
      "waits",
      "they would wait for ever",
    );
  });

  test("what a person says is done is an attempt of its own, and takes the card from its worker", () => {
    const { next, ends, begins } = step(seen(card("running")), person, {
      do: "complete",
      summary: "by hand",
    });
    assert.deepEqual([next.state, next.epoch, next.run], ["done", 2, undefined]);
    assert.equal(ends?.outcome, "reclaimed");
    assert.deepEqual([begins?.id, begins?.outcome, begins?.endedAt], ["t_a.2", "completed", 100]);
  });

  test("a worker that ended without a verdict goes to review with what it left", () => {
    const { next, ends } = step(seen(card("running")), worker, { do: "hand_in", evidence: { exit: 0 } });
    assert.deepEqual([next.state, ends?.outcome, ends?.evidence], ["review", "no_verdict", { exit: 0 }]);
  });

  test("a refusal says where the card stands in a whole sentence", () => {
    for (const [state, message] of [
      ["review", "t_a is in review."],
      ["triage", "t_a is in triage."],
      ["done", "t_a is done."],
    ] as const)
      assert.partialDeepStrictEqual(decide(seen(card(state)), person, { do: "unblock" }), { message });
  });

  test("a new card is ready, waits for those that are open, or for a person", () => {
    assert.equal(made([]), "ready");
    assert.equal(made([parent(true)]), "ready");
    assert.equal(made([parent(true), parent(false, "t_q")]), "todo");
    assert.equal(made([], true), "triage");
  });
});
