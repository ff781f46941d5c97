import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StoredOutbox } from "../../core/gateway/tables.ts";
import { asId } from "../../core/ids.ts";
import type { Store } from "../store.ts";
import { answer, bot, firstDue, part } from "./gateway-world.suite.ts";
import { outboxMoveTests } from "./outbox-moves.suite.ts";
import { outboxByCallTests } from "./outbox-by-call.suite.ts";
import { type Open, done, reply, startTurn } from "./world.suite.ts";

const wordsOf = (rows: readonly StoredOutbox[] | undefined): readonly unknown[] | undefined =>
  rows?.map(({ body }) => {
    if (body.kind === "file") return body.file.name;
    return body.kind === "answer" ? body.markdown : body.part;
  });

const due = async ({ outbox }: Store): Promise<readonly unknown[] | undefined> =>
  wordsOf(await outbox.due(bot.surface, bot.account));

/** Sends what is first in the line. */
async function send({ outbox }: Store, at: number, platformId: string): Promise<string> {
  const id = await firstDue(outbox);
  await outbox.move(id, ["pending"], "sending", { at });
  await outbox.move(id, ["sending"], "sent", { at, platformId });
  return id;
}

export function outboxTests(open: Open): void {
  describe("outbox", () => {
    test("keeps what is to be said, and where, until it is asked for", async () => {
      await using opened = await open();
      const { lease, turn } = await startTurn(opened.store);
      await opened.store.turns.end(lease, turn, done, 3, {
        replies: [reply("a", { replyTo: "7" })],
        tell: false,
      });
      const given = part("b", { about: "out_1", until: 99, replyTo: "8" });
      const added = await opened.store.outbox.add(given, 5);
      assert.match(added.id, /^obx_/);
      const fresh = { part: 0, state: "pending", attempts: 0, isOpen: false } as const;
      assert.deepEqual(added, { ...given, id: added.id, at: 5, ...fresh });
      const { outbox } = await opened.reopen();
      assert.deepEqual(await outbox.get(added.id), added);
      const [answered] = await outbox.ofTurn(turn);
      assert.deepEqual(answered, { ...reply("a"), replyTo: "7", id: answered?.id, turn, at: 3, ...fresh });
      assert.deepEqual(await outbox.about("out_1"), [added]);
      assert.deepEqual(await outbox.inState("pending"), [answered, added]);
      assert.deepEqual(await outbox.inState("pending", "slack"), []);
      assert.equal(await outbox.get("obx_none"), undefined);
    });

    test("what is due is what is not settled, of this bot, in the order in which it was put there", async () => {
      await using opened = await open();
      const { outbox } = opened.store;
      for (const words of ["a", "b", "c", "d", "e"]) await outbox.add(part(words, { chat: words }), 5);
      await outbox.add(part("x", { account: "other" }), 5);
      await outbox.add(part("x", { surface: "slack" }), 5);
      const [a, b, c, d] = await outbox.due("telegram", "bot");
      await outbox.move(a!.id, ["pending"], "sending", { at: 6 });
      await outbox.move(b!.id, ["pending"], "refused", { at: 6, until: 99, why: "too fast" });
      await outbox.move(c!.id, ["pending"], "dead", { at: 6 });
      await outbox.move(d!.id, ["pending"], "sending", { at: 6 });
      await outbox.move(d!.id, ["sending"], "ambiguous", { at: 6 });
      assert.deepEqual(await due(await opened.reopen()), ["a", "b", "e"]);
    });

    test("an answer becomes its parts, before what was said after it", async () => {
      await using opened = await open();
      const { outbox } = opened.store;
      const long = await outbox.add(answer("long", { replyTo: "7", about: "out_1", until: 9 }), 5);
      await outbox.add(part("later"), 6);
      const parts = await outbox.cut(long.id, ["one", { of: 2 }, "three"]);
      assert.deepEqual(wordsOf(parts), ["one", { of: 2 }, "three"]);
      const { id: _id, replyTo: _replyTo, ...rest } = long;
      assert.deepEqual(parts?.[0], { ...long, body: { kind: "part", part: "one" } });
      assert.deepEqual(parts?.[2], {
        ...rest,
        id: parts?.[2]?.id,
        part: 2,
        body: { kind: "part", part: "three" },
      });
      assert.deepEqual(await due(await opened.reopen()), ["one", { of: 2 }, "three", "later"]);
    });

    test("an answer is cut once, and only while it waits", async () => {
      await using opened = await open();
      const { outbox } = opened.store;
      const rows = await Promise.all(["a", "b", "c"].map((words) => outbox.add(answer(words), 5)));
      const [one, other, third] = rows.map(({ id }) => id);
      assert.deepEqual(wordsOf(await outbox.cut(one!, ["a"])), ["a"]);
      assert.equal(await outbox.cut(one!, ["again"]), undefined, "it is a part now");
      await outbox.move(other!, ["pending"], "dead", { at: 6 });
      assert.equal(await outbox.cut(other!, ["b"]), undefined);
      assert.equal(await outbox.cut("obx_none", ["b"]), undefined);
      assert.deepEqual(await outbox.cut(third!, []), [], "there is nothing to be sent");
      assert.partialDeepStrictEqual(await outbox.get(third!), { state: "dead", settledAt: 5 });
      assert.deepEqual(await due(opened.store), ["a"]);
    });

    test("of many who cut an answer at once, one does", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const { id } = await opened.store.outbox.add(answer("long"), 5);
      const cut = await Promise.all(
        Array.from({ length: 6 }, (_, at) => stores[at % 2]!.outbox.cut(id, [`${at} one`, `${at} two`])),
      );
      const [winner, ...others] = cut.filter((parts) => parts !== undefined);
      assert.deepEqual(others, []);
      assert.deepEqual(await due(opened.store), wordsOf(winner));
    });

    test("a message is found by its id, how that begins, or the platform's own name", async () => {
      await using opened = await open();
      const { outbox } = opened.store;
      const { id } = await outbox.add(part("a"), 5);
      await outbox.add(part("b"), 6_000_000);
      await send(opened.store, 7, "555");
      for (const name of [id, id.slice(0, -4), "555"])
        assert.deepEqual(wordsOf(await outbox.find(name)), ["a"], name);
      assert.deepEqual(wordsOf(await outbox.find("obx_")), ["b", "a"], "newest first");
      assert.deepEqual(await outbox.find("55"), []);
    });

    test("a question is open from its sending until it is closed, once", async () => {
      await using opened = await open();
      const { outbox } = opened.store;
      const questions = await Promise.all(
        ["apr_1", "inq_1", "out_1"].map((about) => outbox.add(part(about, { about }), 5)),
      );
      assert.deepEqual(
        questions.map(({ isOpen }) => isOpen),
        [true, true, false],
      );
      assert.deepEqual(await outbox.openQuestions("telegram", "bot"), [], "none is there yet");
      for (const platformId of ["1", "2", "3"]) await send(opened.store, 6, platformId);
      const again = (await opened.reopen()).outbox;
      assert.deepEqual(wordsOf(await again.openQuestions("telegram", "bot")), ["apr_1", "inq_1"]);
      assert.deepEqual(await again.openQuestions("telegram", "other"), []);
      assert.equal(await again.closeQuestion(questions[0]!.id), true);
      assert.equal(await again.closeQuestion(questions[0]!.id), false);
      assert.equal(await again.closeQuestion(questions[2]!.id), false);
      assert.deepEqual(wordsOf(await again.openQuestions("telegram", "bot")), ["inq_1"]);
    });

    test("bodies of what is settled are forgotten, and the rest is still known", async () => {
      await using opened = await open();
      const { outbox } = opened.store;
      for (const words of ["sent", "young", "waits"]) await outbox.add(part(words, { about: "apr_1" }), 5);
      const old = await send(opened.store, 6, "1");
      const young = await send(opened.store, 50, "2");
      assert.equal(await outbox.forgetBodies(50), 1);
      assert.equal(await outbox.forgetBodies(50), 0);
      assert.partialDeepStrictEqual(await outbox.get(old), {
        body: { kind: "part", part: null },
        state: "sent",
        platformId: "1",
        settledAt: 6,
      });
      assert.deepEqual((await outbox.get(young))?.body, { kind: "part", part: "young" });
      assert.equal(await outbox.forgetBodies(1000), 1, "what waits may have to be sent yet");
      assert.deepEqual(await due(opened.store), ["waits"]);
      assert.equal(await outbox.closeQuestion(old), true);
      assert.equal((await outbox.find("1")).length, 1);
    });

    test("when a session is deleted, what it said to chats stays traceable, and what waits is still sent", async () => {
      await using opened = await open();
      const { outbox, turns, sessions } = opened.store;
      const { lease, turn, session } = await startTurn(opened.store);
      const replies = ["sent", "waits"].map((words) => reply(words));
      await turns.end(lease, turn, done, 3, { replies, tell: false });
      const sent = await send(opened.store, 6, "1");
      assert.equal((await outbox.ofTurn(turn)).length, 2);
      assert.equal(await sessions.delete(session), true);
      assert.deepEqual(await outbox.ofTurn(turn), []);
      const row = await outbox.get(sent);
      assert.deepEqual(
        [row?.turn, row?.platformId, row?.body],
        [undefined, "1", { kind: "part", part: null }],
      );
      assert.deepEqual(await due(opened.store), ["waits"]);
      await send(opened.store, 7, "2");
      assert.deepEqual(await due(opened.store), []);
    });

    test("a row of a turn that is not there is refused", async () => {
      await using opened = await open();
      const turn = asId<"trn">("trn_none");
      await assert.rejects(opened.store.outbox.add(part("a", { turn }), 5));
      assert.deepEqual(await opened.store.outbox.inState("pending"), []);
    });

    outboxMoveTests(open);
    outboxByCallTests(open);
  });
}
