import assert from "node:assert/strict";
import { type TestContext, describe, test } from "node:test";
import { testStores } from "../../../test/stores.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import type { ChatMessage } from "../../core/gateway/chat.ts";
import { newId } from "../../core/ids.ts";
import type { Principal } from "../../core/principal.ts";
import { explain } from "./why.ts";

const chat = { surface: "telegram", account: "bot", chat: "77" } as const;
const pat: Principal = { surface: "telegram", id: "5", name: "Pat", role: "member", local: false };

const nobodyIsGone = (): boolean => false;

const message = (messageId: string, also: Partial<ChatMessage> = {}): ChatMessage => ({
  kind: "message",
  address: chat,
  messageId,
  order: messageId.padStart(12, "0"),
  at: 1,
  from: { id: pat.id, name: "Pat", isBot: false },
  room: "direct",
  text: "What is the weather?",
  isForBot: true,
  files: [],
  ...also,
});

async function world(t: TestContext) {
  const stores = await testStores(await testFolder(t));
  t.after(() => stores[Symbol.asyncDispose]());
  const store = await stores.open();
  const why = (id: string, by?: Principal) =>
    explain({ store, zone: "UTC", now: 0, runner: "running" }, id, by);
  /** A message with its turn, and an answer in the outbox. */
  const answered = async (messageId: string) => {
    const { row } = await store.received.add(message(messageId), 1000);
    await store.received.seal([row.id]);
    const [inbox, session, turn] = [newId("inb", 1), newId("ses", 1), newId("trn", 1)];
    const owner = { pid: 1, startTime: "1", host: "here" };
    await store.inbox.admit({
      id: inbox,
      key: { ...chat, messageId },
      from: pat,
      session: { id: session, cwd: "/", surface: "telegram", audience: "members" },
      input: [{ type: "text", text: "What is the weather?" }],
      at: 1,
    });
    await store.received.done([row.id], "admitted", { inbox });
    const taken = await store.leases.acquire(session, owner, 1, nobodyIsGone);
    assert.ok("lease" in taken);
    await store.turns.open(taken.lease, { id: turn, inbox, runtime: "loop", cwd: "/", at: 1 });
    const ended = { type: "ended", outcome: "done", text: "Rain.", calls: 0 } as const;
    const reply = { ...chat, replyTo: messageId, body: { kind: "answer", markdown: "Rain." } } as const;
    await store.turns.end(taken.lease, turn, ended, 2, { replies: [reply], tell: false });
    const [part] = await store.outbox.ofTurn(turn);
    return { row, inbox, turn, part: part!.id };
  };
  return { store, why, answered };
}

describe("why a message of a chat is as it is", () => {
  test("says every step it took, whichever of its names is asked for", async (t) => {
    const { store, why, answered } = await world(t);
    const { row, inbox, turn, part } = await answered("41");
    await store.outbox.move(part, ["pending"], "sending", { at: 3 });
    await store.outbox.move(part, ["sending"], "sent", { at: 4, platformId: "42" });
    for (const id of [row.id, row.id.slice(0, 14), inbox, inbox.replace("inb_", "run_"), part, "41", "42"]) {
      const { what, state, next, trail = [] } = await why(id);
      assert.deepEqual(
        [what, state, next],
        ["a message of Pat, telegram:77", "sent", "There is nothing to do."],
        id,
      );
      const steps = trail.map((line) => line.split(/[ ,:]+/).slice(0, 2));
      assert.deepEqual(steps[0], ["received", row.id]);
      assert.deepEqual(steps[1], ["admitted", inbox]);
      assert.deepEqual(steps[2], ["turn", turn]);
      assert.match(trail[3] ?? "", new RegExp(`^part 1 +${part}: sent, as 42`));
    }
  });

  test("names the part that is stuck, and what sends it again", async (t) => {
    const { store, why, answered } = await world(t);
    const { row, part } = await answered("41");
    assert.equal((await why(row.id)).state, "pending");
    await store.outbox.move(part, ["pending"], "sending", { at: 3 });
    await store.outbox.move(part, ["sending"], "ambiguous", { at: 4, why: "the connection broke" });
    const unclear = await why("41");
    assert.deepEqual([unclear.state, unclear.why], ["ambiguous", "the connection broke"]);
    assert.match(unclear.next, new RegExp(`talaria gateway resend ${part}`));
    await store.outbox.move(part, ["ambiguous"], "dead", { at: 5, why: "the chat is gone" });
    assert.deepEqual((await why(part)).why, "the chat is gone");
  });

  test("says why nothing came of it, and what to do", async (t) => {
    const { store, why } = await world(t);
    const came = async (messageId: string, fate?: "stranger" | "ignored" | "command", note?: string) => {
      const { row } = await store.received.add(message(messageId), 1000);
      if (fate !== undefined) await store.received.done([row.id], fate, note === undefined ? {} : { note });
      return why(row.id);
    };
    assert.match((await came("1", "stranger")).next, /talaria gateway allow telegram:5/);
    assert.match((await came("2", "ignored", "it does not name the bot")).why, /does not name the bot/);
    assert.equal((await came("3", "command")).state, "command");
    assert.match((await came("4")).why, /has not been taken in/);
  });

  test("asks back when nothing is asked about", async (t) => {
    const { why } = await world(t);
    for (const nothing of ["", " "])
      await assert.rejects(why(nothing), { code: "usage", message: "Why what?" });
  });

  test("tells others of their own messages alone, and of nothing else", async (t) => {
    const { why, answered } = await world(t);
    const { row, inbox, turn, part } = await answered("41");
    const eve: Principal = { ...pat, id: "6" };
    for (const id of [row.id, inbox, part, "41"]) {
      assert.equal((await why(id, pat)).state, "pending", id);
      await assert.rejects(why(id, eve), { code: "not_found" }, id);
    }
    for (const id of [turn, "ses_", "report"]) await assert.rejects(why(id, pat), { code: "not_found" }, id);
  });
});

test("why a session is as it is: nothing was said in it", async (t) => {
  const { store, why } = await world(t);
  const id = newId("ses", 1);
  await store.sessions.begin({ id, cwd: "/", surface: "cli", audience: "owner" }, 1);
  assert.deepEqual([(await why(id)).state, (await why(id)).why], ["empty", "nothing was said in it yet"]);
  await assert.rejects(why(newId("ses", 2)), { code: "not_found" });
});
