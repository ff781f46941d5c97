import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aborted } from "../../../test/fakes/scripted-runtime.ts";
import type { EndedEnvelope } from "../../core/events.ts";
import { newId } from "../../core/ids.ts";
import { nothingSpent } from "../../core/usage.ts";
import type { ReviewEnd, ReviewTurn } from "./one-review.ts";
import { ended, opened } from "./reviewer-world.suite.ts";

const minutes = 60_000;

const used = (tokens: number): NonNullable<ReviewEnd["usage"]> => ({
  ...nothingSpent,
  input: tokens,
  output: 10,
  context: { used: tokens },
});

describe("the reviewer", { timeout: 60_000 }, () => {
  test("reviews memory after as many turns as are set, once, and starts to count anew", async () => {
    await using it = await opened();
    const first = await it.turn("one");
    await it.turn("two", first);
    assert.deepEqual(it.reviewed, []);
    await it.turn("three", first);
    assert.deepEqual(it.kinds(), ["memory"]);
    await it.turn("four", first);
    await it.turn("five", first);
    assert.deepEqual(it.kinds(), ["memory"]);
    await it.turn("six", first);
    assert.deepEqual(it.kinds(), ["memory", "memory"]);
    const rows = await it.agent.store.reviews.list(first);
    assert.deepEqual(
      rows.map(({ kind, state }) => [kind, state]),
      [
        ["memory", "done"],
        ["memory", "done"],
      ],
    );
  });

  test("one prompt asks for both when both are due, and each has its row", async () => {
    await using it = await opened();
    const first = await it.turn("one", undefined, 4);
    assert.deepEqual(it.kinds(), ["skills"]);
    await it.turn("two", first);
    await it.turn("three", first, 4);
    assert.deepEqual(it.kinds(), ["skills", "memory skills"]);
    assert.equal((await it.agent.store.reviews.list(first)).length, 3);
  });

  test("a turn that failed, was stopped, or belongs to handed-on work is never reviewed", async () => {
    await using it = await opened();
    const parent = await it.turn("one");
    await it.turn("two", parent);
    await it.turn("fail", parent);
    await it.turn("stop", parent);
    assert.deepEqual(it.reviewed, []);
    await it.turn("four", parent);
    assert.deepEqual(it.kinds(), ["memory"]);
    const child = {
      id: newId("ses", it.clock.now()),
      cwd: "/w",
      surface: "cli",
      audience: "owner" as const,
      parent,
    };
    await it.turn("part", child, 9);
    assert.deepEqual(it.kinds(), ["memory"]);
  });

  test("nothing is reviewed when it is off, or the tool that would write", async () => {
    await using off = await opened({ mode: "off" });
    await off.turn("one", undefined, 9);
    assert.deepEqual(off.reviewed, []);
    await using bare = await opened({ enabled: async () => ({ memory: false, skills: false }) });
    const first = await bare.turn("one", undefined, 9);
    await bare.turn("two", first);
    await bare.turn("three", first);
    assert.deepEqual(bare.reviewed, []);
    await assert.rejects(bare.reviews.now(first), /switched off/);
  });

  test("the next turn cancels it at once, and after that it is due again", async () => {
    const begun = Promise.withResolvers<void>();
    await using it = await opened({
      async run(_turn, signal) {
        if (signal.aborted || it.reviewed.length > 1) return ended;
        begun.resolve();
        await aborted(signal);
        return { ...ended, outcome: "interrupted", usage: used(100) };
      },
    });
    const first = await it.begin("one", 4);
    await begun.promise;
    await it.reviews.cancel(first);
    const [row] = await it.agent.store.reviews.list(first);
    assert.deepEqual([row?.state, row?.tokens], ["cancelled", 110]);
    assert.equal((await it.agent.store.usage.groups({}))[0]?.cause, "background_review");
    await it.turn("two", first);
    assert.equal(it.reviewed.length, 2);
    assert.equal((await it.agent.store.reviews.list(first)).at(-1)?.state, "done");
  });

  test("cancelling waits two seconds for one that does not stop, and no longer", async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<ReviewEnd>();
    await using it = await opened({
      run: () => {
        begun.resolve();
        return release.promise;
      },
    });
    const first = await it.begin("one", 4);
    await begun.promise;
    let over = false;
    const cancelled = it.reviews.cancel(first).then(() => (over = true));
    await it.clock.advance(1_900);
    assert.equal(over, false);
    await it.clock.advance(200);
    await cancelled;
    release.resolve(ended);
  });

  test("it ends after two minutes, is tried once more, and the next turn says so once", async () => {
    await using it = await opened({
      enabled: async () => ({ memory: false, skills: true }),
      async run(_turn, signal) {
        await aborted(signal);
        return { ...ended, outcome: "interrupted" };
      },
    });
    const first = await it.begin("one", 4);
    await it.until(1);
    await it.clock.advance(2 * minutes);
    await it.reviews.drain();
    assert.equal((await it.agent.store.reviews.list(first))[0]?.state, "failed");
    assert.match(it.log.join("\n"), /longer than 120 seconds/);
    await it.begin("two", 0, first);
    assert.deepEqual(
      (await it.reviews.news(first)).map(({ code }) => code),
      [],
      "what the turn before told is not told again",
    );
    await it.until(2);
    await it.clock.advance(2 * minutes);
    await it.reviews.drain();
    await it.turn("three", first);
    assert.equal(it.reviewed.length, 2, "after the second time it counts");
    assert.deepEqual(
      it.told.map(({ code }) => code),
      ["review"],
    );
    assert.match(it.told[0]?.text ?? "", /could not be reviewed: it took longer/);
  });

  test("of two processes that find the same session due one reviews it, and the other says so when asked", async () => {
    const release = Promise.withResolvers<ReviewEnd>();
    await using it = await opened({ run: () => release.promise });
    const first = await it.turn("one", undefined, 4, { unreviewed: true });
    const [last] = await it.agent.store.sessions.turns(first);
    assert.ok(last);
    await using other = it.another();
    using freed = new DisposableStack();
    freed.defer(() => release.resolve(ended));
    const how = { outcome: "done", turn: last.id } as EndedEnvelope;
    it.reviews.after(first, how);
    other.after(first, how);
    await it.until(1);
    const [begun] = await it.agent.store.reviews.list(first);
    const second = begun?.owner.pid === it.agent.owner.pid ? other : it.reviews;
    const twice = it.until(2).then(() => "reviewed twice");
    assert.match(await Promise.race([second.now(first), twice]), /Not finished\. Another process reviews it/);
    release.resolve(ended);
    await Promise.all([it.reviews.drain(), other.drain()]);
    assert.equal(it.reviewed.length, 1);
    await it.turn("two", first);
    assert.equal(it.reviewed.length, 1, "it counts, whoever did it");
  });

  test("a review of a process that died is tried once more", async () => {
    await using it = await opened();
    const dead = { host: "here", pid: 9, startTime: "9" };
    const first = await it.turn("one");
    const upTo = (await it.agent.store.sessions.turns(first))[0]?.id;
    assert.ok(upTo);
    await it.turn("two", first);
    const at = it.clock.now();
    await it.agent.store.reviews.begin({ session: first, kind: "memory", upTo, at }, dead);
    await it.turn("three", first);
    assert.deepEqual(it.kinds(), ["memory"]);
  });

  test("goes over no budget: of one review, of the day, of money, of the session", async () => {
    let stopped: boolean | undefined;
    const spends = async (turn: ReviewTurn, signal: AbortSignal): Promise<ReviewEnd> => {
      turn.onUsage({ ...used(5_000), cached: 4_900 }, ended);
      assert.equal(signal.aborted, false, "what the cache gives does not count");
      turn.onUsage(used(5_000), ended);
      stopped = signal.aborted;
      return { ...ended, outcome: stopped ? "interrupted" : "done", usage: used(5_000) };
    };
    const limits = { tokens: 100_000, dayTokens: 1_000_000 };
    for (const over of [{ tokens: 4_000 }, { dayTokens: 4_000 }, { usd: 0.004 }]) {
      await using it = await opened({ run: spends, limits: { ...limits, ...over } });
      const first = await it.turn("one", undefined, 4);
      assert.equal(stopped, true);
      const [row] = await it.agent.store.reviews.list(first);
      assert.deepEqual([row?.state, row?.tokens], ["failed", 5_010]);
      assert.match(row?.result ?? "", /used up learning\.(?:review_tokens|day_tokens|review_usd)/);
      await it.turn("two", first);
      assert.equal(it.reviewed.length, 1, "it would do so again");
    }
    await using day = await opened({ run: spends, limits: { ...limits, dayTokens: 5_000 } });
    const first = await day.turn("one", undefined, 4);
    const other = await day.turn("other", undefined, 4);
    assert.equal(day.reviewed.length, 1);
    assert.deepEqual(await day.agent.store.reviews.list(other), [], "it stays due");
    assert.match((await day.reviews.news(other))[0]?.text ?? "", /day_tokens is used up/);
    assert.match(await day.reviews.now(first), /could not be done: learning\.day_tokens/);
    await using full = await opened({ usedUp: async () => "budgets.day.tokens is used up." });
    await full.turn("one", undefined, 4);
    assert.deepEqual(full.reviewed, []);
  });

  test("that the day is used up is said once where a person is, and not in a session that nobody opens", async () => {
    await using it = await opened({ limits: { tokens: 1, dayTokens: 0 } });
    await it.turn("left", undefined, 4, { unreviewed: true });
    await it.clock.advance(11 * minutes);
    const here = await it.turn("here");
    await it.turn("due", here, 4);
    await it.turn("further", here);
    await it.turn("onward", here);
    assert.deepEqual(
      it.told.map(({ text }) => text),
      ["This conversation could not be reviewed: learning.day_tokens is used up for today (UTC)."],
    );
    assert.equal(it.log.length, 1);
  });

  test("a limit in USD that cannot hold is said once", async () => {
    await using it = await opened({
      limits: { tokens: 1e6, dayTokens: 1e6, usd: 0.01 },
      priceOf: () => undefined,
      run: async ({ onUsage }) => {
        onUsage(used(5_000), ended);
        return { ...ended, usage: used(5_000) };
      },
    });
    const first = await it.turn("one", undefined, 4);
    await it.turn("two", first, 4);
    await it.turn("three", first);
    assert.deepEqual(
      it.told.map(({ code }) => code),
      ["no_price"],
    );
    assert.match(it.told[0]?.text ?? "", /review_usd does not hold here: no price of m at p/);
  });

  test("the first one is said once in a home, with its cost, as soon as somebody is there", async () => {
    await using it = await opened({ run: async () => ({ ...ended, usage: used(5_000) }) });
    await it.turn("nobody sees it", undefined, 4);
    await it.turn("one", undefined, 4, { watched: true });
    await it.turn("two", undefined, 4, { watched: true });
    assert.deepEqual(
      it.shown.map(({ code }) => code),
      ["first_review"],
    );
    assert.match(it.shown[0]?.text ?? "", /for the first time: [\d,]+ tokens, \$\d+\.\d{4}\. /);
  });

  test("what was learned is said at once where the session is open, else with its next turn, and once", async () => {
    await using it = await opened({
      enabled: async () => ({ memory: false, skills: true }),
      async run({ session, last }) {
        await it.learn(session.id, last.id, "USER.md: uses tabs");
        return ended;
      },
    });
    const open = await it.turn("one", undefined, 4, { watched: true });
    assert.deepEqual(
      it.shown.map(({ code, text }) => [code, text.replace(/rev_\w+/, "rev")]),
      [["learned", "Learned: USER.md: uses tabs (talaria learned show rev)"]],
    );
    await it.turn("two", open);
    assert.deepEqual(it.told, []);
    const closed = await it.turn("other", undefined, 4);
    await it.turn("further", closed);
    assert.deepEqual(
      it.told.map(({ code }) => code),
      ["learned"],
    );
    await it.turn("onward", closed);
    assert.equal(it.told.length, 1);
    // Another process, which has not seen any of it, has nothing more to tell either.
    await using later = it.another();
    assert.deepEqual(await later.news(closed), []);
  });

  test("/refine reviews what is not due, and says what came of it", async () => {
    let learns = false;
    await using it = await opened({
      async run({ session, last }) {
        if (learns) await it.learn(session.id, last.id, "MEMORY.md: the build takes long", "proposed");
        return ended;
      },
    });
    const first = await it.turn("one");
    assert.match(await it.reviews.now(first), /Nothing to learn/);
    learns = true;
    assert.match(await it.reviews.now(first), /^Proposed, and waits for you: MEMORY\.md: the build/);
    assert.deepEqual(it.kinds(), ["memory skills", "memory skills"]);
    await assert.rejects(it.reviews.now(newId("ses", 1)), /There is no session/);
  });

  test("its turn is known as one of a review, also to a call that it has left behind", async () => {
    const seen: boolean[] = [];
    await using it = await opened({
      async run({ id, last }) {
        seen.push(it.turns.has(id), it.turns.has(last.id));
        return ended;
      },
    });
    const first = await it.turn("one", undefined, 4);
    const [turn] = await it.agent.store.sessions.turns(first);
    assert.equal(turn !== undefined && it.turns.has(turn.id), true);
    assert.deepEqual(seen, [true, true]);
    await it.turn("two", first);
    const [, next] = await it.agent.store.sessions.turns(first);
    assert.equal(next !== undefined && it.turns.has(next.id), false);
  });

  test("a session that a program left behind is reviewed by one that stays, after a rest", async () => {
    await using it = await opened();
    const left = await it.turn("one", undefined, 4, { unreviewed: true });
    await it.turn("hello");
    assert.equal(it.reviewed.length, 0, "somebody may be there still");
    await it.clock.advance(11 * minutes);
    await it.turn("again");
    assert.deepEqual(
      it.reviewed.map(({ session }) => session.id),
      [left],
    );
  });

  test("one whose turns wanted nothing of memory is left alone", async () => {
    await using it = await opened();
    await it.turn("one", undefined, 4, { unreviewed: true, noMemory: true });
    await it.clock.advance(11 * minutes);
    await it.turn("again");
    assert.deepEqual(it.reviewed, []);
  });

  test("a run that breaks down is logged, hurts nobody, and has failed", async () => {
    await using it = await opened({
      run: () => {
        throw new Error("broken on purpose");
      },
    });
    const first = await it.turn("one", undefined, 4);
    assert.match(it.log.join("\n"), /broken on purpose/);
    await it.turn("two", first);
    assert.deepEqual(
      (await it.agent.store.reviews.list(first)).map(({ state }) => state),
      ["failed", "failed"],
    );
    await it.turn("three", first);
    assert.equal(it.reviewed.length, 3, "memory, in its time");
  });
});
