import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { GatewayBehind } from "../../core/gateway/gateway.ts";
import type { OutboxState } from "../../core/gateway/tables.ts";
import { Refusal } from "../../core/host.ts";
import { newId } from "../../core/ids.ts";
import { type Principal, localOwner } from "../../core/principal.ts";
import { answer, chat, connected, gatewayWorld, pat } from "./gateway-world.suite.ts";

const sendingMoves: Partial<Record<OutboxState, object>> = { sent: { platformId: "901" } };

/** What a gateway does with a row, up to this state. */
async function brought({ outbox }: GatewayBehind, id: string, to: OutboxState, why?: string): Promise<void> {
  await outbox.move(id, ["pending"], "sending", { at: 2 });
  await outbox.move(id, ["sending"], to, {
    at: 3,
    ...sendingMoves[to],
    ...(why === undefined ? {} : { why }),
  });
}

describe("talaria gateway status", () => {
  test("says of each bot of the settings why it does not run", async (t) => {
    const without = await gatewayWorld(t, { env: {} });
    const { running, bots } = await without.owner.call("gateway.status", {});
    assert.deepEqual([running, bots.length], [false, 1]);
    assert.match(bots[0]?.detail ?? "", /TELEGRAM_BOT_TOKEN is not set/);
    const it = await gatewayWorld(t);
    const detail = async () => (await it.owner.call("gateway.status", {})).bots[0]?.detail ?? "";
    assert.match(await detail(), /talaria serve does not run/);
    const held = await it.host.gateway.takeBot("123:abcdef");
    assert.ok(!("busy" in held));
    assert.match(await detail(), new RegExp(`another process has it: pid ${process.pid} `));
    await held[Symbol.asyncDispose]();
    assert.match(await detail(), /talaria serve does not run/);
    const none = await gatewayWorld(t, { config: "" });
    assert.deepEqual((await none.owner.call("gateway.status", {})).bots, []);
  });

  test("says how they are while the gateway is open, what waits, and what did not arrive", async (t) => {
    const { host, owner, asks } = await gatewayWorld(t);
    const { gateway } = host;
    const forget = gateway.report({
      receive: () => undefined,
      bots: () => [{ ...connected, receivedAt: 5 }],
    });
    await asks("ABCD2345");
    await owner.call("gateway.allow", { who: "slack:U1" });
    const rows = await Promise.all(["a", "b", "c"].map((text) => gateway.outbox.add(answer(text), 1)));
    await brought(gateway, rows[0]!.id, "ambiguous", "the connection broke");
    const status = await owner.call("gateway.status", {});
    assert.deepEqual(status.bots, [{ ...connected, receivedAt: 5, waiting: 2 }]);
    assert.deepEqual([status.running, status.people, status.pairings.length], [true, 1, 1]);
    assert.deepEqual(
      status.troubles.map(({ id, why }) => [id, why]),
      [[rows[0]!.id, "the connection broke"]],
    );
    forget();
    assert.equal((await owner.call("gateway.status", {})).running, false);
  });
});

describe("a bot", () => {
  test("is answered for by one process at a time, whatever the token is called", async (t) => {
    const it = await gatewayWorld(t);
    const first = await it.host.gateway.takeBot("123:abcdef");
    assert.ok(!("busy" in first));
    assert.match(first.lease.duty, /^bot:[0-9a-f]{64}$/);
    const another = await it.open();
    const second = await another.gateway.takeBot("123:abcdef");
    assert.deepEqual(second, { busy: "busy" in second ? second.busy : "" });
    assert.ok(!("busy" in (await another.gateway.takeBot("other"))));
    await first[Symbol.asyncDispose]();
    assert.ok(!("busy" in (await another.gateway.takeBot("123:abcdef"))));
  });

  test("is tried by a message to the owner, the whole way, until its receipt", async (t) => {
    const { host, owner } = await gatewayWorld(t);
    const { gateway } = host;
    const tested = async () => (await owner.call("gateway.test", {}))[0]!;
    assert.match((await tested()).detail, /^stopped: talaria serve does not run/);
    assert.match((await tested()).next ?? "", /talaria serve/);
    gateway.report({ receive: () => undefined, bots: () => [connected] });
    assert.match((await tested()).detail, /the owner has not written to it yet/);
    await owner.call("gateway.allow", { who: "telegram:77", role: "owner" });
    await gateway.people.heardIn("telegram", "77", "Pat", chat);
    const fates: OutboxState[] = ["sent", "dead", "ambiguous"];
    gateway.onOutbox(() => void go());
    const go = async (): Promise<void> => {
      const [row] = await gateway.outbox.due("telegram", "bot");
      if (row !== undefined) await brought(gateway, row.id, fates.shift() ?? "sent", "so it is");
    };
    assert.deepEqual(await tested(), {
      surface: "telegram",
      ok: true,
      detail: "@talaria (bot) has sent you a message",
      receipt: "901",
    });
    assert.match((await tested()).detail, /could not send it: so it is/);
    assert.match((await tested()).detail, /nobody can say whether it arrived: so it is/);
    const [slack] = await owner.call("gateway.test", { surface: "slack" });
    assert.deepEqual([slack?.ok, slack?.detail], [false, "gateway.slack is not set"]);
  });
});

describe("a message that did not arrive", () => {
  test("is sent again: in its place if it may have arrived, as a new one if it is dead, and not if it is there", async (t) => {
    const { host, owner } = await gatewayWorld(t);
    const { gateway } = host;
    let woken = 0;
    gateway.onOutbox(() => (woken += 1));
    const unclear = await gateway.outbox.add(answer("unclear"), 1);
    await brought(gateway, unclear.id, "ambiguous");
    const before = woken;
    assert.equal((await owner.call("gateway.resend", { id: unclear.id })).id, unclear.id);
    assert.equal((await gateway.outbox.get(unclear.id))?.state, "pending");
    assert.ok(woken > before, "who sends is woken");
    await assert.rejects(owner.call("gateway.resend", { id: unclear.id }), /It is on its way/);
    await brought(gateway, unclear.id, "dead");
    const again = await owner.call("gateway.resend", { id: unclear.id });
    assert.notEqual(again.id, unclear.id);
    assert.deepEqual([again.state, again.body], ["pending", unclear.body]);
    await brought(gateway, again.id, "sent");
    await assert.rejects(owner.call("gateway.resend", { id: again.id }), /It arrived/);
    await gateway.outbox.forgetBodies(100);
    await assert.rejects(owner.call("gateway.resend", { id: unclear.id }), /not kept any more/);
    await assert.rejects(owner.call("gateway.resend", { id: "obx_nothing" }), { code: "not_found" });
    await assert.rejects(owner.call("gateway.resend", { id: "7" }), { code: "not_found" });
  });

  test("is sent again by the one it was for, and by nobody else", async (t) => {
    const { host, owner } = await gatewayWorld(t);
    const { gateway } = host;
    const member: Principal = { ...pat, role: "member" };
    await owner.call("gateway.allow", { who: "telegram:77" });
    const answered = Promise.withResolvers<void>();
    gateway.onOutbox(() => answered.resolve());
    const { account, chat: place } = chat;
    await host.as(member).call("turns.send", {
      key: { account, chat: place, messageId: "1" },
      session: { id: newId("ses", 1) },
      input: [{ type: "text", text: "hello" }],
      whenBusy: "queue",
      attended: "none",
    });
    await answered.promise;
    const [row] = await gateway.outbox.due("telegram", "bot");
    assert.equal(row?.replyTo, "1");
    const notice = await gateway.outbox.add(answer("a notice"), 2);
    for (const { id } of [row!, notice]) await brought(gateway, id, "dead");
    const asked = (who: Principal, id: string) => host.as(who).call("gateway.resend", { id });
    assert.equal((await asked(member, row!.id)).state, "pending");
    for (const [who, id] of [
      [{ ...member, id: "78" }, row!.id],
      [member, notice.id],
      [{ ...member, role: "guest" as const, id: "78" }, row!.id],
    ] as const)
      await assert.rejects(asked(who, id), (error) => error instanceof Refusal && error.code === "not_found");
    assert.equal(
      (await host.as(localOwner("tui")).call("gateway.resend", { id: notice.id })).state,
      "pending",
    );
  });
});
