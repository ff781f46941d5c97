import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bot, chat, place } from "./gateway-world.suite.ts";
import { type Open, newSession, startTurn } from "./world.suite.ts";

const direct = { ...place, room: "direct" } as const;

export function chatTests(open: Open): void {
  describe("chats", () => {
    test("what is not named stays as it is, and null removes it", async () => {
      await using opened = await open();
      const { chats } = opened.store;
      assert.equal(await chats.get(place), undefined);
      const session = newSession().id;
      const empty = { ...direct, choices: {}, updatedAt: 1 };
      assert.deepEqual(await chats.change(direct, {}, 1), empty);
      const choices = { runtime: "loop", model: "m" };
      const full = { ...direct, roomName: "Us", session, choices, title: "T", status: "55", updatedAt: 2 };
      const { title, status } = full;
      const changed = await chats.change(
        { ...direct, roomName: "Us" },
        { session, choices, title, status },
        2,
      );
      assert.deepEqual(changed, full);
      assert.deepEqual(await chats.change(direct, {}, 3), { ...full, updatedAt: 3 });
      const again = (await opened.reopen()).chats;
      assert.deepEqual(await again.get(place), { ...full, updatedAt: 3 });
      const left = { ...empty, roomName: "Us", updatedAt: 4 };
      const none = { session: null, choices: {}, title: null, status: null };
      assert.deepEqual(await again.change(direct, none, 4), left);
      assert.deepEqual(await again.get(place), left);
    });

    test("in a group everybody can have their own, and so can each thread and bot", async () => {
      await using opened = await open();
      const { chats } = opened.store;
      const places = [
        place,
        { ...place, person: "pat" },
        { ...place, chat: "77/t" },
        { ...place, account: "other" },
        { ...place, surface: "slack" as const },
      ];
      for (const [at, each] of places.entries())
        await chats.change({ ...each, room: "group" }, { title: String(at) }, at);
      const titles = await Promise.all(places.map(async (each) => (await chats.get(each))?.title));
      assert.deepEqual(titles, ["0", "1", "2", "3", "4"]);
      const newest = await chats.list(3);
      assert.deepEqual(
        newest.map(({ title }) => title),
        ["4", "3", "2"],
      );
    });

    test("two who change other things of a chat at once lose neither", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const changes = [{ title: "T" }, { status: "9" }, { choices: { model: "m" } }];
      await Promise.all(changes.map((change, at) => stores[at % 2]!.chats.change(direct, change, at)));
      assert.partialDeepStrictEqual(await opened.store.chats.get(place), {
        title: "T",
        status: "9",
        choices: { model: "m" },
      });
    });

    test("those whose status message is still there are known after a restart", async () => {
      await using opened = await open();
      const { chats } = opened.store;
      await chats.change(direct, { status: "9" }, 1);
      await chats.change({ ...direct, chat: "78" }, { status: "10" }, 2);
      await chats.change({ ...direct, chat: "78" }, { status: null }, 3);
      await chats.change({ ...direct, account: "other" }, { status: "11" }, 4);
      const left = await (await opened.reopen()).chats.withStatus(bot.surface, bot.account);
      assert.deepEqual(
        left.map((each) => [each.chat, each.status]),
        [[chat.chat, "9"]],
      );
    });

    test("a session is found where it is held, before it exists, and not any more when it is deleted", async () => {
      await using opened = await open();
      const { chats, sessions } = opened.store;
      const planned = newSession().id;
      const { session } = await startTurn(opened.store);
      await chats.change(direct, { session, title: "T" }, 1);
      await chats.change({ ...direct, chat: "78" }, { session }, 2);
      await chats.change({ ...direct, chat: "79" }, { session: planned }, 3);
      const where = async (id: typeof session) => (await chats.ofSession(id)).map((each) => each.chat);
      assert.deepEqual([await where(session), await where(planned)], [["78", "77"], ["79"]]);
      assert.equal(await sessions.delete(session), true);
      assert.deepEqual([await where(session), await where(planned)], [[], ["79"]]);
      assert.deepEqual(await chats.get(place), { ...direct, choices: {}, title: "T", updatedAt: 1 });
    });
  });
}
