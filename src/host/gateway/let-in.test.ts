import assert from "node:assert/strict";
import { test } from "node:test";
import type { PeopleTable, StoredPerson } from "../../core/gateway/tables.ts";
import type { Principal } from "../../core/principal.ts";
import { isStillLetIn } from "./let-in.ts";

const people = (rows: Readonly<Record<string, StoredPerson["role"]>>): Pick<PeopleTable, "get"> => ({
  async get(surface, id) {
    const role = rows[`${surface}:${id}`];
    return role && { surface, id, role, allowedAt: 1 };
  },
});

const from = (role: Principal["role"], also: Partial<Principal> = {}): Principal => ({
  surface: "telegram",
  id: "5",
  role,
  local: false,
  ...also,
});
const key = (chat: string, surface = "telegram") => ({ surface, account: "bot", chat, messageId: "1" });

test("somebody is let in by their own row, else by that of the group in which they said it", async () => {
  const known = people({ "telegram:5": "member", "telegram:-1": "guest", "telegram:-2": "owner" });
  const is = (who: Principal, chat: string, surface?: string): Promise<boolean> =>
    isStillLetIn(known, { from: who, key: key(chat, surface) });
  assert.equal(await is(from("member"), "5"), true);
  assert.equal(await is(from("owner"), "5"), false, "with a role that they have no more");
  const other = { id: "6" };
  assert.equal(await is(from("guest", other), "-1"), true);
  assert.equal(await is(from("guest", other), "-1/7"), true, "in a thread of it");
  assert.equal(await is(from("member", other), "-1"), false);
  assert.equal(await is(from("guest", other), "-3"), false, "in another group");
  assert.equal(await is(from("owner", other), "-2"), false, "a group makes nobody an owner");
  assert.equal(await is(from("guest", other), "x", "delegate"), true, "a part goes with its turn");
  assert.equal(await is(from("owner", other), "x", "schedule"), false);
  assert.equal(await is(from("member", other), "x", "goal"), false);
});

test("whoever no chat has let in is none of its business", async () => {
  const nobody = people({});
  for (const who of [
    from("owner", { surface: "cli", local: true }),
    from("owner", { local: true }),
    from("program", { surface: "api" }),
    from("member", { surface: "web" }),
  ])
    assert.equal(await isStillLetIn(nobody, { from: who, key: key("c") }), true);
});
