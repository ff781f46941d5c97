import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import { bob, peopleWorld } from "../people-world.suite.ts";
import { gatewayWorld, pat } from "./gateway-world.suite.ts";

describe("who is let in from chats", () => {
  test("comes with a code that the owner confirms at the machine, once, and is told so in the chat", async (t) => {
    const { owner, host, asks } = await gatewayWorld(t);
    assert.equal(await asks("ABCD2345"), "asked");
    await assert.rejects(owner.call("gateway.pair", { code: "WRONGCOD" }), { code: "not_found" });
    const unsaid = owner.call("gateway.pair", { code: "abcd-2345" });
    await assert.rejects(unsaid, ({ message, next }: { message: string; next: string }) => {
      assert.match(message, /Nobody is the owner in a chat yet.*code still works/);
      assert.match(next, /pair abcd-2345 --role owner.*--role member/);
      return true;
    });
    const away = host.as({ ...localOwner("telegram"), local: false });
    await assert.rejects(away.call("gateway.pair", { code: "ABCD2345", role: "owner" }), { code: "refused" });
    const { role, name, direct } = await owner.call("gateway.pair", { code: "abcd 2345", role: "owner" });
    assert.deepEqual([role, name, direct?.chat], ["owner", "Pat", "77"]);
    const [told, ...more] = await host.gateway.outbox.due("telegram", "bot");
    assert.match(told?.body.kind === "answer" ? told.body.markdown : "", /^You're in, as the owner\./);
    assert.equal(more.length, 0);
    await assert.rejects(owner.call("gateway.pair", { code: "ABCD2345" }), { code: "not_found" });
    await asks("BBBB2345", "78");
    assert.equal((await owner.call("gateway.pair", { code: "BBBB2345" })).role, "member");
  });

  test("cannot be guessed: after five wrong codes none is taken for an hour", async (t) => {
    const { owner, asks } = await gatewayWorld(t);
    await asks("ABCD2345");
    const pair = (code: string) => owner.call("gateway.pair", { code, role: "member" });
    for (const code of ["AAAA2222", "AAAA2223", "AAAA2224", "AAAA2225"])
      await assert.rejects(pair(code), { code: "not_found" });
    await assert.rejects(owner.call("gateway.pair", { code: "AAAA2226" }), { code: "not_found" });
    await assert.rejects(pair("ABCD2345"), { code: "refused" });
    const unsaid = owner.call("gateway.pair", { code: "ABCD2345" });
    await assert.rejects(unsaid, { code: "refused" }, "it does not work now, so nobody says so");
  });

  test("can be named by the owner; a group by its chat, and never as the owner", async (t) => {
    const { owner } = await gatewayWorld(t);
    const allow = (who: string, role?: "owner" | "guest") =>
      owner.call("gateway.allow", { who, ...(role === undefined ? {} : { role }) });
    assert.deepEqual(
      [(await allow("slack:U1")).role, (await allow("discord:123456789012345678", "guest")).role],
      ["member", "guest"],
    );
    assert.equal((await allow("telegram:-100", "guest")).id, "-100");
    for (const group of ["telegram:-100", "slack:C1", "slack:G1"])
      await assert.rejects(allow(group, "owner"), /a group cannot be the owner/, group);
    for (const never of ["telegram:abc", "discord:abc", "discord:9", "slack:ann", "slack:u1", "telegram:0"])
      await assert.rejects(allow(never), { message: /is no id there/, next: /An id looks like/ }, never);
    for (const name of ["telegram:@ann", "slack:@ann.b"])
      await assert.rejects(allow(name), /is a name, and people are let in by their id/, name);
    for (const nobody of ["me", "signal:1", "telegram:", "telegram:1 2"])
      await assert.rejects(allow(nobody), /names nobody in a chat/, nobody);
    const { people } = await owner.call("gateway.people", {});
    assert.deepEqual(
      // In the order in which they were let in, which may be within one millisecond.
      people.map(({ surface, id, role }) => `${surface}:${id} ${role}`).toSorted(),
      ["discord:123456789012345678 guest", "slack:U1 member", "telegram:-100 guest"],
    );
  });

  test("is let in no more: what runs for them ends, what waits does not begin, and what they send is not run", async (t) => {
    const it = await peopleWorld(t, [{ when: "wait", reply: [{ hang: true }] }]);
    const owner = it.host.as(localOwner("cli"));
    const session = it.fresh("members");
    const running = it.say("wait", { from: bob, session });
    await it.model.waitForRequest(1);
    const waiting = await it.queue("and then", { from: bob, session: session.id });
    const revoked = await owner.call("gateway.revoke", { who: "telegram:77" });
    assert.notEqual(revoked.revokedAt, undefined);
    const { ended } = await running;
    assert.equal(ended?.outcome, "failed");
    assert.match(ended?.fault?.message ?? "", /The turn was ended: Bob is not let in any more/);
    assert.match((await waiting.ended)?.fault?.message ?? "", /The turn was not started: Bob is not let in/);
    const { ended: late } = await it.say("hello?", { from: bob, session: it.fresh("members") });
    assert.match(late?.fault?.message ?? "", /not let in/);
    assert.equal(it.model.total, 1, "no model was asked again");
    await assert.rejects(owner.call("gateway.revoke", { who: "telegram:77" }), { code: "not_found" });
  });

  test("has no more rights in a turn than they have now", async (t) => {
    const it = await peopleWorld(t, [{ when: "wait", reply: [{ hang: true }] }]);
    const owner = it.host.as(localOwner("cli"));
    await owner.call("gateway.allow", { who: "telegram:5", role: "owner" });
    const from = { ...pat, id: "5" };
    const running = it.say("wait", { from, session: it.fresh("owner", from) });
    await it.model.waitForRequest(1);
    await owner.call("gateway.allow", { who: "telegram:5", role: "member" });
    assert.equal((await running).ended?.outcome, "failed");
  });
});
