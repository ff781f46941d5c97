import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StoredDevice, StoredKey } from "../../core/access.ts";
import { newId } from "../../core/ids.ts";
import { dayMs } from "../../core/usage.ts";
import { cost } from "./usage.suite.ts";
import { type Open, admission, done, hold, newSession } from "./world.suite.ts";

const key: StoredKey = {
  id: "key_1",
  name: "home",
  scopes: ["read", "operate"],
  createdAt: 1,
  budget: { tokens: 5 },
};
const device: StoredDevice = { id: "dev_1", name: "phone", scopes: ["read"], createdAt: 1 };

export const accessTests = (open: Open): void => {
  describe("keys and devices", () => {
    test("a key is found with its hash until it is revoked, which is for good", async () => {
      await using opened = await open();
      const { access } = opened.store;
      assert.equal(await access.addKey(key, "hash"), true);
      assert.equal(await access.addKey({ ...key, id: "key_2" }, "other"), false, "one of a name");
      assert.deepEqual(await access.key("key_1"), { ...key, hash: "hash" });
      await access.used("key_1", 7);
      assert.deepEqual(await access.revokeKey("home", 9), { ...key, lastUsedAt: 7, revokedAt: 9 });
      assert.equal(await access.revokeKey("home", 10), undefined);
      assert.equal((await access.key("key_1"))?.revokedAt, 9);
      assert.equal(await access.addKey({ ...key, id: "key_2" }, "other"), true, "the name is free again");
      assert.deepEqual((await access.keys()).map(({ id }) => id).toSorted(), ["key_1", "key_2"]);
    });

    test("of many who use a code at once, one is let in", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      await opened.store.access.addDevice(device, { hash: "code", until: 10 });
      assert.equal(await opened.store.access.device("dev_1"), undefined, "not let in yet");
      assert.equal(
        await opened.store.access.letIn("code", { cookie: "c", token: "t" }, 10),
        undefined,
        "too late",
      );
      const tries = await Promise.all(
        stores.flatMap(({ access }, at) => [
          access.letIn("code", { cookie: `c${at}`, token: "t" }, 5),
          access.letIn("code", { cookie: `d${at}`, token: "t" }, 5),
        ]),
      );
      const [one, ...more] = tries.filter((found) => found !== undefined);
      assert.deepEqual([one, more], [{ ...device, letInAt: 5, lastUsedAt: 5 }, []]);
      assert.equal((await opened.store.access.device("dev_1"))?.token, "t");
      assert.equal((await opened.store.access.revokeDevice("dev_1", 6))?.revokedAt, 6);
      assert.equal(await opened.store.access.revokeDevice("dev_1", 7), undefined);
    });

    test("what a key has used stays used when its sessions are deleted", async () => {
      await using opened = await open();
      const { store } = opened;
      const from = { surface: "api", id: "key_1", role: "program", local: false } as const;
      for (const at of [dayMs + 1, dayMs + 2, 5]) {
        const session = newSession();
        const lease = await hold(store, session.id);
        const { row } = await store.inbox.admit(admission(session, { from }));
        const turn = newId("trn", at);
        await store.turns.open(lease, { id: turn, inbox: row.id, runtime: "loop", cwd: "/work", at });
        const usage = [cost({ session: session.id, turn, at })];
        await store.turns.end(lease, turn, done, 5, { replies: [], tell: false, usage });
        const spent = await store.access.spentBy("key_1", dayMs);
        assert.equal(await store.sessions.delete(session.id), true);
        assert.deepEqual(await store.access.spentBy("key_1", dayMs), spent);
      }
      assert.deepEqual(await store.access.spentBy("key_1", dayMs), { tokens: 240, usd: 0.5 });
      assert.deepEqual(await store.access.spentBy("key_1", 2 * dayMs), { tokens: 0, usd: 0 });
      assert.deepEqual(await store.access.spentBy("key_2", 0), { tokens: 0, usd: 0 });
    });

    test("the first to claim a name holds it, whoever comes at once", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const name = { account: "key_1", kind: "request", name: "a" } as const;
      const held = await Promise.all(stores.map(({ access }, at) => access.claim(name, String(at))));
      assert.equal(new Set(held).size, 1);
      assert.equal(await opened.store.access.claim(name, "later"), held[0]);
      assert.equal(await opened.store.access.claim({ ...name, account: "key_2" }, "other"), "other");
      await opened.store.access.rename(name, "new");
      assert.equal(await opened.store.access.named(name), "new");
      assert.equal(await opened.store.access.named({ ...name, kind: "chat" }), undefined);
      assert.deepEqual(await opened.store.access.spentBy("key_1", 0), { tokens: 0, usd: 0 });
    });
  });
};
