import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ReceivedMessage } from "../../core/gateway/tables.ts";
import { asId } from "../../core/ids.ts";
import * as fc from "../../../test/seeded.ts";
import type { Store } from "../store.ts";
import { bot, chat, message } from "./gateway-world.suite.ts";
import { type Open, startTurn } from "./world.suite.ts";

const namesOf = (rows: readonly ReceivedMessage[]): readonly string[] =>
  rows.map((row) => row.message.messageId);

const open = async ({ received }: Store): Promise<readonly string[]> =>
  namesOf(await received.open(bot.surface, bot.account));

/** Stores messages with these names, and gives their ids. */
async function took({ received }: Store, ...names: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await received.add(message(name), 5)).row.id);
  return ids;
}

export function receivedTests(start: Open): void {
  describe("messages of chats that came in", () => {
    test("a message is stored once, as it came, however often it is delivered", async () => {
      await using opened = await start();
      const { received } = opened.store;
      const first = message("7", {
        replyTo: "3",
        album: "a",
        roomName: "Room",
        address: { ...chat, thread: "t" },
      });
      const { row, fresh } = await received.add(first, 5);
      assert.match(row.id, /^rcv_/);
      assert.deepEqual(
        [row, fresh],
        [{ id: row.id, message: first, receivedAt: 5, state: "received" }, true],
      );
      const again = await received.add({ ...first, text: "changed meanwhile" }, 6);
      assert.deepEqual(again, { row, fresh: false });
      const again2 = await (await opened.reopen()).received.add(first, 7);
      assert.deepEqual(again2, { row, fresh: false });
    });

    test("the same name in another chat, thread, account or on another platform is another message", async () => {
      await using opened = await start();
      for (const address of [
        chat,
        { ...chat, chat: "78" },
        { ...chat, thread: "t" },
        { ...chat, account: "other" },
        { ...chat, surface: "slack" as const },
      ])
        assert.equal((await opened.store.received.add(message("7", { address }), 5)).fresh, true);
    });

    test("of many deliveries at once, through any connection, one is fresh", async () => {
      await using opened = await start();
      const stores = [opened.store, await opened.another()];
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, at) => stores[at % 2]!.received.add(message("7"), at)),
      );
      assert.equal(results.filter(({ fresh }) => fresh).length, 1);
      assert.equal(new Set(results.map(({ row }) => row.id)).size, 1);
      assert.deepEqual(await open(opened.store), ["7"]);
    });

    test("what is not done is there after a restart, in its chat's own order", async () => {
      await using opened = await start();
      const { received } = opened.store;
      await took(opened.store, "10", "9", "11");
      const elsewhere = { ...chat, chat: "1" };
      await received.add(message("2", { address: elsewhere }), 6);
      await received.add(message("1", { address: elsewhere }), 7);
      await received.add(message("5", { address: { ...chat, account: "other" } }), 8);
      const again = await opened.reopen();
      assert.deepEqual(await open(again), ["9", "10", "11", "1", "2"]);
    });

    test("any order of deliveries, some of them twice, is the same to whoever takes them", async () => {
      const names = Array.from({ length: 6 }, (_, at) => String(at + 5));
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 12 }),
          async (came) => {
            await using opened = await start();
            await took(opened.store, ...came);
            const wanted = names.filter((name) => came.includes(name));
            assert.deepEqual(await open(opened.store), wanted);
            assert.equal((await opened.store.received.seen("telegram", "bot")).get("77"), wanted.at(-1));
          },
        ),
        { numRuns: 5 },
      );
    });

    test("those that are sealed together are named after the first, once", async () => {
      await using opened = await start();
      const [second, first, third] = await took(opened.store, "8", "7", "9");
      const ids = [second!, first!];
      const sealed = await opened.store.received.seal(ids);
      assert.deepEqual(
        sealed.map(({ id, state, group }) => [id, state, group]),
        [
          [first, "sealed", "7"],
          [second, "sealed", "7"],
        ],
      );
      const { received } = await opened.reopen();
      assert.deepEqual(await received.get(second!), sealed[1]);
      const more = await received.seal([...ids, third!, "rcv_none"]);
      assert.deepEqual(
        more.map(({ id, group }) => [id, group]),
        [[third, "9"]],
      );
      assert.equal((await received.get(first!))?.group, "7");
      assert.deepEqual(await received.seal(ids), []);
      assert.deepEqual(await received.seal([]), []);
    });

    test("of two who seal the same messages at once, one does", async () => {
      await using opened = await start();
      const ids = await took(opened.store, "7", "8");
      const stores = [opened.store, await opened.another()];
      const sealed = await Promise.all(stores.map(({ received }) => received.seal(ids)));
      assert.deepEqual(sealed.map((rows) => rows.length).toSorted(), [0, 2]);
    });

    test("what became of a message is said once, sealed before or not", async () => {
      await using opened = await start();
      const [one, other, third] = await took(opened.store, "7", "8", "9");
      const { received } = opened.store;
      await received.seal([one!]);
      const inbox = asId<"inb">("inb_1");
      assert.equal(await received.done([one!], "admitted", { inbox, note: "at once" }), true);
      assert.equal(await received.done([one!], "ignored"), false);
      assert.equal(await received.done([other!], "command"), true);
      assert.equal(await received.done([one!, third!], "stranger"), true, "the third was not");
      assert.equal(await received.done([], "failed"), false);
      assert.equal(await received.done(["rcv_none"], "failed"), false);
      const again = (await opened.reopen()).received;
      const fates = await Promise.all([one!, other!, third!].map((id) => again.get(id)));
      assert.deepEqual(
        fates.map((row) => [row?.state, row?.fate, row?.inbox, row?.note, row?.group]),
        [
          ["done", "admitted", inbox, "at once", "7"],
          ["done", "command", undefined, undefined, undefined],
          ["done", "stranger", undefined, undefined, undefined],
        ],
      );
      assert.deepEqual(await again.open("telegram", "bot"), []);
      assert.deepEqual(await again.seal([one!, other!]), []);
    });

    test("the last message of each chat is known, whatever came of it and in which order it came", async () => {
      await using opened = await start();
      const { received } = opened.store;
      await received.done(await took(opened.store, "10", "12", "11"), "ignored");
      await received.add(message("3", { address: { ...chat, thread: "t" } }), 5);
      await received.add(message("4", { address: { ...chat, account: "other" } }), 5);
      await received.forgetBodies(1000);
      assert.deepEqual(
        await (await opened.reopen()).received.seen("telegram", "bot"),
        new Map([
          ["77", "12"],
          ["77/t", "3"],
        ]),
      );
      assert.deepEqual(await (await opened.another()).received.seen("slack", "bot"), new Map());
    });

    test("a message is found by its id, how that begins, or the platform's own name", async () => {
      await using opened = await start();
      const { received } = opened.store;
      const [seven] = await took(opened.store, "7", "8");
      const other = await received.add(message("7", { address: { ...chat, chat: "78" } }), 6);
      assert.deepEqual(
        (await received.find("7")).map(({ id }) => id),
        [other.row.id, seven],
      );
      assert.deepEqual(namesOf(await received.find(seven!)), ["7"]);
      assert.deepEqual(namesOf(await received.find(seven!.slice(0, -4))), ["7"]);
      assert.deepEqual(await received.find("9"), []);
      await took(opened.store, ...Array.from({ length: 12 }, (_, at) => String(100 + at)));
      assert.equal((await received.find("rcv_")).length, 10);
      assert.equal(await received.get("rcv_none"), undefined);
    });

    test("words of what is done are forgotten, and it is still known", async () => {
      await using opened = await start();
      const { received } = opened.store;
      const [old] = await took(opened.store, "7");
      await took(opened.store, "8");
      await received.done([old!], "command");
      const young = await received.add(message("9"), 50);
      await received.done([young.row.id], "command");
      assert.equal(await received.forgetBodies(50), 1);
      assert.equal(await received.forgetBodies(50), 0);
      assert.deepEqual((await received.get(old!))?.message, { ...message("7"), text: "", files: [] });
      assert.deepEqual((await received.get(young.row.id))?.message, message("9"));
      assert.deepEqual((await received.open("telegram", "bot"))[0]?.message, message("8"), "not done yet");
      assert.equal((await received.add(message("7"), 60)).fresh, false);
    });

    test("when a session is deleted, its messages lose their words and are still known", async () => {
      await using opened = await start();
      const { received, sessions } = opened.store;
      const [one, other] = await took(opened.store, "7", "8");
      const { session, inbox } = await startTurn(opened.store);
      await received.done([one!], "admitted", { inbox });
      await received.done([other!], "command");
      assert.equal(await sessions.delete(session), true);
      assert.partialDeepStrictEqual(await received.get(one!), {
        fate: "admitted",
        inbox,
        message: { text: "" },
      });
      assert.deepEqual((await received.get(other!))?.message, message("8"));
      assert.equal((await received.add(message("7"), 60)).fresh, false);
    });
  });
}
