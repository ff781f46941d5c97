import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Card, CardId, CardState } from "../../core/cards/cards.ts";
import type { CardStep, CardTable, SeenCard } from "../schema/card-table.ts";
import { type Open, owner } from "./world.suite.ts";

const now = 1_000;

const card = (id: CardId, also: Partial<Card> = {}): Card => ({
  id,
  board: "default",
  title: id,
  state: "ready",
  priority: 0,
  workspace: "scratch",
  failures: 0,
  failureLimit: 2,
  epoch: 0,
  madeBy: "you",
  createdAt: now,
  changedAt: now,
  ...also,
});

const by = { mover: "person", by: "you", what: "try" } as const;

async function add(cards: CardTable, next: Card, parents: readonly CardId[] = []): Promise<void> {
  await cards.add({ board: next.board, parents, at: now }, () => ({ ...by, next, linked: parents }));
}

/** Writes what no decision of ours would: the database alone stands in the way. */
const force = (cards: CardTable, id: CardId, step: (seen: SeenCard) => Partial<CardStep>, at = now) =>
  cards.change({ id, at }, (seen) => ({ ...by, next: seen.card, ...step(seen) }));

const move =
  (state: CardState, mover: CardStep["mover"]) =>
  (seen: SeenCard): Partial<CardStep> => ({ mover, next: { ...seen.card, state } });

const claim = ({ card: { id, epoch, ...rest } }: SeenCard): Partial<CardStep> => {
  const run = `${id}.${epoch + 1}` as const;
  const times = { claimedAt: now, heartbeatAt: now, expiresAt: now + 100 };
  return {
    mover: "dispatcher",
    next: { ...rest, id, epoch: epoch + 1, run, state: "running" },
    begins: { id: run, epoch: epoch + 1, owner: owner(), ...times },
  };
};

const freed = (mover: CardStep["mover"], at: number) => (seen: SeenCard) => {
  const { block: _released, ...rest } = seen.card;
  return { mover, next: { ...rest, state: "ready" as const, changedAt: at } };
};

/** What the database says of each. */
const because: Readonly<Record<string, RegExp>> = {
  "a worker releases its own block": /writes only while its run|released only by/i,
  "time releases what a person must": /released only by/i,
  "an orchestrator releases a block": /released only by|moves no card/i,
  "time releases before its time": /released only by/i,
  "a worker of another run writes": /writes only while its run/i,
  "a card is left without its run being closed": /foreign key/i,
  "a run is closed, and the card keeps it": /foreign key/i,
  "a card that runs is claimed": /ready can be claimed|unique/i,
  "a card that waits is claimed": /ready can be claimed/i,
  "a run without the next epoch": /next epoch/i,
  "a card is ready before those it waits for": /all that it waits for/i,
  "a ready card is made to wait": /is not ready/i,
  "cards wait for each other": /each other/i,
  "a card waits for itself": /each other/i,
  "a card is reopened under a ready one": /cannot be ready/i,
  "a program takes a card out of review": /only a person/i,
  "a comment of a run that is over": /writes only while/i,
  "a card changes its board": /stays what it was/i,
};

export const cardTests = (open: Open): void => {
  describe("cards", () => {
    test("a card comes back as it was written, with all that happened to it", async () => {
      await using opened = await open();
      const { cards } = opened.store;
      const first = card("t_a", { body: "how", runtime: "codex", model: "m", workspace: "folder:/x" });
      await add(cards, first);
      await add(cards, card("t_b", { state: "todo", priority: 3 }), ["t_a"]);
      await force(cards, "t_a", () => ({ comment: "hello" }));
      await force(cards, "t_a", claim);
      const evidence = { exit: 0 };
      const result = await force(
        cards,
        "t_a",
        ({ card: { run: _over, ...seen }, children }) => ({
          next: { ...seen, state: "done", doneAt: 5, changedAt: 5 },
          ends: { outcome: "completed", summary: "well", evidence },
          others: children.map(({ id }) => ({ id, state: "ready" })),
        }),
        5,
      );
      assert.equal((result as Card).state, "done");
      const found = await (await opened.reopen()).cards.details("t_a");
      const { parents, children, comments, events, runs, ...itself } = found ?? assert.fail("no card");
      assert.deepEqual(itself, { ...first, state: "done", doneAt: 5, changedAt: 5, epoch: 1 });
      assert.deepEqual(parents, []);
      assert.deepEqual(children, [{ id: "t_b", title: "t_b", state: "ready" }]);
      assert.deepEqual(comments, [{ at: now, by: "you", text: "hello" }]);
      assert.deepEqual(
        events.map(({ from, to: after }) => [from, after]),
        [
          [undefined, "ready"],
          ["ready", "ready"],
          ["ready", "running"],
          ["running", "done"],
        ],
      );
      assert.deepEqual(runs, [
        {
          id: "t_a.1",
          card: "t_a",
          epoch: 1,
          owner: owner(),
          claimedAt: now,
          heartbeatAt: now,
          expiresAt: now + 100,
          endedAt: 5,
          outcome: "completed",
          summary: "well",
          evidence,
        },
      ]);
    });

    test("lists by priority and age, finds by the beginning of an id, and counts boards", async () => {
      await using opened = await open();
      const { cards } = opened.store;
      await add(cards, card("t_aa1"));
      await add(cards, card("t_ab2", { priority: 5 }));
      await add(cards, card("t_ac3", { board: "other", state: "triage", createdAt: 1 }));
      const ids = async (filter: Parameters<CardTable["list"]>[0]): Promise<readonly string[]> =>
        (await cards.list(filter)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 9 }), ["t_ab2", "t_ac3", "t_aa1"]);
      assert.deepEqual(await ids({ limit: 9, board: "default" }), ["t_ab2", "t_aa1"]);
      assert.deepEqual(await ids({ limit: 9, states: ["triage"] }), ["t_ac3"]);
      assert.deepEqual(
        (await cards.find("t_a")).map(({ id }) => id),
        ["t_aa1", "t_ab2", "t_ac3"],
      );
      assert.deepEqual(
        (await cards.find("t_ab")).map(({ id }) => id),
        ["t_ab2"],
      );
      assert.deepEqual(
        (await cards.boards()).map(({ name, cards: counts }) => [name, counts]),
        [
          ["default", { ready: 2 }],
          ["other", { triage: 1 }],
        ],
      );
    });

    test("of many who claim one card at once, one has it", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      await add(opened.store.cards, card("t_a"));
      const taken = { no: "state", next: "wait" };
      const tries = await Promise.all(
        stores.flatMap(({ cards }) =>
          [1, 2, 3].map(() =>
            cards.change({ id: "t_a", at: now }, (seen) =>
              seen.card.state === "ready" ? { ...by, next: seen.card, ...claim(seen) } : taken,
            ),
          ),
        ),
      );
      assert.equal(tries.filter((result) => result !== taken).length, 1);
      assert.equal((await opened.store.cards.runs({ limit: 9 })).length, 1);
    });

    test("says what is due: a time that has come, a claim that ran out, a clock that went back", async () => {
      await using opened = await open();
      const { cards } = opened.store;
      const block = { kind: "transient", reason: "busy", releaser: "time", until: now + 50 } as const;
      await add(cards, card("t_a", { state: "blocked", block }));
      await add(cards, card("t_b"));
      await force(cards, "t_b", claim);
      assert.deepEqual(await cards.due(now + 49), []);
      assert.deepEqual(await cards.due(now + 50), ["t_a"]);
      assert.deepEqual((await cards.due(now + 100)).toSorted(), ["t_a", "t_b"]);
      assert.deepEqual(await cards.due(now - 101), ["t_b"]);
    });

    test("what breaks a rule is refused by the database itself, and nothing of it is written", async () => {
      await using opened = await open();
      const { cards } = opened.store;
      const person = { kind: "needs_input", reason: "which", releaser: "person" } as const;
      const time = { kind: "transient", reason: "busy", releaser: "time", until: now + 50 } as const;
      await add(cards, card("t_run"));
      await force(cards, "t_run", claim);
      await add(cards, card("t_ask", { state: "blocked", block: person }));
      await add(cards, card("t_late", { state: "blocked", block: time }));
      await add(cards, card("t_up"));
      await add(cards, card("t_down", { state: "todo" }), ["t_up"]);
      await add(cards, card("t_done", { state: "done", doneAt: 1 }));
      await add(cards, card("t_next"), ["t_done"]);
      await add(cards, card("t_see", { state: "review" }));
      const before = await cards.list({ limit: 99 });
      const { run: _none, ...running } = before.find(({ id }) => id === "t_run") ?? assert.fail("none");
      const ended = { outcome: "completed", summary: "late" } as const;
      const wrong: Readonly<Record<string, () => Promise<unknown>>> = {
        "a worker releases its own block": () => force(cards, "t_ask", freed("worker", now)),
        "time releases what a person must": () => force(cards, "t_ask", freed("time", now + 999)),
        "an orchestrator releases a block": () => force(cards, "t_late", freed("orchestrator", now + 999)),
        "time releases before its time": () => force(cards, "t_late", freed("time", now + 49)),
        "a worker of another run writes": () =>
          force(cards, "t_run", () => ({
            mover: "worker",
            run: "t_run.2",
            next: { ...running, state: "done", doneAt: 1 },
            ends: ended,
          })),
        "a card is left without its run being closed": () =>
          force(cards, "t_run", () => ({ next: { ...running, state: "ready" } })),
        "a run is closed, and the card keeps it": () => force(cards, "t_run", () => ({ ends: ended })),
        "a card that runs is claimed": () => force(cards, "t_run", claim),
        "a card that waits is claimed": () => force(cards, "t_down", claim),
        "a run without the next epoch": () =>
          force(cards, "t_up", (seen) => claim({ ...seen, card: { ...seen.card, epoch: 5 } })),
        "a card is ready before those it waits for": () => force(cards, "t_down", move("ready", "person")),
        "a ready card is made to wait": () => force(cards, "t_next", () => ({ linked: ["t_up"] })),
        "cards wait for each other": () =>
          force(cards, "t_up", (seen) => ({ ...move("todo", "person")(seen), linked: ["t_down"] })),
        "a card waits for itself": () => force(cards, "t_see", () => ({ linked: ["t_see"] })),
        "a card is reopened under a ready one": () =>
          force(cards, "t_done", ({ card: { doneAt: _at, ...seen } }) => ({
            next: { ...seen, state: "ready" },
          })),
        "a program takes a card out of review": () => force(cards, "t_see", move("ready", "dispatcher")),
        "a comment of a run that is over": () =>
          force(cards, "t_up", () => ({ comment: "late", run: "t_up.1" })),
        "a card changes its board": () =>
          force(cards, "t_up", (seen) => ({ next: { ...seen.card, board: "other" } })),
      };
      for (const [what, attempt] of Object.entries(wrong))
        await assert.rejects(attempt, because[what] ?? assert.fail(what), what);
      assert.deepEqual(await cards.list({ limit: 99 }), before);
    });
  });
};
