import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PeopleTable } from "../../core/gateway/tables.ts";
import { bot, pairing } from "./gateway-world.suite.ts";
import type { Open } from "./world.suite.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const pat = { surface: "telegram", id: "pat", name: "Pat", role: "member" } as const;

/** How many wrong codes in a row, one a minute, and what was said to each. */
async function guess(people: PeopleTable, count: number, from: number): Promise<readonly unknown[]> {
  const said: unknown[] = [];
  for (let at = 0; at < count; at++)
    said.push(await people.confirm(`wrong ${at}`, "owner", from + at * minuteMs));
  return said;
}

const waiting = async (people: PeopleTable, at: number): Promise<readonly string[]> =>
  (await people.pairings(at)).map(({ id }) => id);

export function peopleTests(open: Open): void {
  describe("people", () => {
    test("nobody is known before they are allowed, and whoever is revoked is known as that", async () => {
      await using opened = await open();
      const { people } = opened.store;
      assert.equal(await people.get("telegram", "pat"), undefined);
      assert.deepEqual(await people.allow(pat, 5), { ...pat, allowedAt: 5 });
      assert.deepEqual(await people.get("telegram", "pat"), { ...pat, allowedAt: 5 });
      assert.equal(await people.get("slack", "pat"), undefined, "names are those of a platform");
      const revoked = { ...pat, allowedAt: 5, revokedAt: 6 };
      assert.deepEqual(await people.revoke("telegram", "pat", 6), revoked);
      assert.equal(await people.revoke("telegram", "pat", 7), undefined);
      assert.equal(await people.revoke("telegram", "nobody", 7), undefined);
      const again = (await opened.reopen()).people;
      assert.deepEqual(await again.get("telegram", "pat"), revoked);
      assert.deepEqual(await again.list(), [revoked]);
    });

    test("who was revoked can be allowed again, with another role, and what was known of them stays", async () => {
      await using opened = await open();
      const { people } = opened.store;
      await people.allow(pat, 5);
      await people.heardIn("telegram", "pat", "Patricia", { ...bot, chat: "1" });
      await people.revoke("telegram", "pat", 6);
      const again = await people.allow({ surface: "telegram", id: "pat", role: "guest" }, 7);
      const direct = { ...bot, chat: "1" };
      assert.deepEqual(again, { ...pat, name: "Patricia", role: "guest", allowedAt: 7, direct });
      assert.equal((await people.allow({ ...pat, role: "owner" }, 8)).role, "owner");
      assert.deepEqual(await people.list(), [{ ...pat, role: "owner", allowedAt: 8, direct }]);
    });

    test("where somebody was last heard is known, and nothing of whoever is not let in", async () => {
      await using opened = await open();
      const { people } = opened.store;
      await people.allow({ surface: "telegram", id: "pat", role: "member" }, 5);
      for (const chat of ["1", "1", "2"]) await people.heardIn("telegram", "pat", "Pat", { ...bot, chat });
      await people.heardIn("telegram", "stranger", "S", { ...bot, chat: "3" });
      assert.deepEqual(await people.list(), [{ ...pat, allowedAt: 5, direct: { ...bot, chat: "2" } }]);
      await people.revoke("telegram", "pat", 6);
      await people.heardIn("telegram", "pat", "Other", { ...bot, chat: "4" });
      assert.equal((await people.list())[0]?.name, "Pat");
    });
  });

  describe("requests to be let in", () => {
    test("a code lets somebody in once, in the role that is given with it", async () => {
      await using opened = await open();
      const { people } = opened.store;
      assert.equal(await people.ask(pairing("pat"), "hash"), "asked");
      assert.deepEqual(await people.pairings(1), [pairing("pat")]);
      const again = (await opened.reopen()).people;
      assert.deepEqual(
        [
          await again.isWaiting("hash", 9),
          await again.isWaiting("other", 9),
          await again.isWaiting("hash", hourMs),
        ],
        [true, false, false],
      );
      assert.deepEqual(await again.confirm("hash", "owner", 10), {
        surface: "telegram",
        id: "pat",
        name: "name of pat",
        role: "owner",
        allowedAt: 10,
        direct: { ...bot, chat: "pat" },
      });
      assert.equal((await again.get("telegram", "pat"))?.role, "owner");
      assert.deepEqual(await again.pairings(10), []);
      assert.equal(await again.isWaiting("hash", 11), false);
      assert.equal(await again.confirm("hash", "owner", 11), "wrong");
    });

    test("of many who confirm a code at once, one is heard", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      await opened.store.people.ask(pairing("pat"), "hash");
      const said = await Promise.all(
        Array.from({ length: 4 }, (_, at) => stores[at % 2]!.people.confirm("hash", "guest", 5)),
      );
      assert.deepEqual(said.filter((answer) => answer === "wrong").length, 3);
    });

    test("three wait on a platform at most, however many ask at once", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const said = await Promise.all(
        Array.from({ length: 8 }, (_, at) => stores[at % 2]!.people.ask(pairing(`p${at}`), `hash ${at}`)),
      );
      assert.deepEqual(said.toSorted(), ["asked", "asked", "asked", "many", "many", "many", "many", "many"]);
      assert.equal((await opened.store.people.pairings(1)).length, 3);
      const elsewhere = pairing("p9", 1, { surface: "slack", chat: { ...bot, surface: "slack", chat: "9" } });
      assert.equal(await opened.store.people.ask(elsewhere, "hash 9"), "asked");
    });

    test("the same person is given one code in ten minutes, and the next one takes its place", async () => {
      await using opened = await open();
      const { people } = opened.store;
      for (const id of ["a", "b", "pat"]) await people.ask(pairing(id), `first ${id}`);
      assert.equal(await people.ask(pairing("pat", 10 * minuteMs - 1), "second"), "soon");
      assert.equal(await people.ask(pairing("pat", 10 * minuteMs), "third"), "asked");
      assert.deepEqual((await waiting(people, 11 * minuteMs)).toSorted(), ["a", "b", "pat"]);
      for (const code of ["first pat", "second"])
        assert.equal(await people.confirm(code, "owner", 11 * minuteMs), "wrong");
      assert.partialDeepStrictEqual(await people.confirm("third", "guest", 11 * minuteMs), { id: "pat" });
    });

    test("a request is over when its time is, and makes room", async () => {
      await using opened = await open();
      const { people } = opened.store;
      for (const id of ["a", "b", "c"]) await people.ask(pairing(id), id);
      assert.deepEqual(await waiting(people, hourMs - 1), ["a", "b", "c"]);
      assert.equal(await people.ask(pairing("d", hourMs - 1), "d"), "many");
      assert.deepEqual(await waiting(people, hourMs), []);
      assert.equal(await people.confirm("a", "owner", hourMs), "wrong");
      assert.equal(await people.ask(pairing("d", hourMs), "d"), "asked");
      assert.equal(await people.ask(pairing("a", hourMs), "a again"), "asked");
      assert.deepEqual(await waiting(people, hourMs), ["a", "d"]);
    });

    test("five wrong codes in an hour lock everything for an hour, also the right one", async () => {
      await using opened = await open();
      const { people } = opened.store;
      const late = 4 * minuteMs + hourMs;
      await people.ask(pairing("pat", 0, { expiresAt: 9 * hourMs }), "hash");
      assert.deepEqual(await guess(people, 6, 0), [...Array<string>(5).fill("wrong"), "locked"]);
      const again = (await opened.reopen()).people;
      assert.equal(await again.isWaiting("hash", late - 1), false);
      assert.equal(await again.confirm("hash", "owner", late - 1), "locked");
      assert.equal(await again.ask(pairing("sam", late - 1), "sam"), "locked");
      assert.deepEqual(await again.list(), []);
      assert.equal(await again.ask(pairing("sam", late), "sam"), "asked");
      assert.deepEqual(await guess(again, 4, late), Array(4).fill("wrong"), "they count anew");
      assert.partialDeepStrictEqual(await again.confirm("hash", "guest", late + 4 * minuteMs), { id: "pat" });
      assert.equal(await again.confirm("hash", "guest", late + 5 * minuteMs), "wrong");
      assert.equal(await again.confirm("sam", "guest", late + 6 * minuteMs), "locked");
    });

    test("wrong codes of more than an hour lock nothing", async () => {
      await using opened = await open();
      const { people } = opened.store;
      for (let at = 0; at < 12; at++)
        assert.equal(await people.confirm("wrong", "owner", (at * hourMs) / 4), "wrong");
    });

    test("no more than five guesses are heard, however many are made at once", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const said = await Promise.all(
        Array.from({ length: 9 }, (_, at) => stores[at % 2]!.people.confirm(`wrong ${at}`, "owner", 5)),
      );
      assert.equal(said.filter((answer) => answer === "wrong").length, 5);
      assert.equal(said.filter((answer) => answer === "locked").length, 4);
    });
  });
}
