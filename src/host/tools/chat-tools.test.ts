import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import { type ItemId, newId } from "../../core/ids.ts";
import type { Question } from "../../core/asking.ts";
import type { Audience, Principal } from "../../core/principal.ts";
import type { InputKey, NewSession } from "../../core/session.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { StaleLeaseError } from "../../store/store.ts";
import { admission, done, hold, owner as process } from "../../store/suite/world.suite.ts";
import type { ToolBox } from "../../tools/tool.ts";
import { hostChatTools } from "./chat-tools.ts";
import { hostToolBox } from "./tool-box.ts";

const owner: Principal = { surface: "telegram", id: "1", name: "Ann", role: "owner", local: false };
const member: Principal = { ...owner, id: "2", name: "Bob", role: "member" };
const guest: Principal = { ...owner, id: "3", role: "guest" };
const atTerminal: Principal = { surface: "cli", id: "owner", role: "owner", local: true };
const chat = { surface: "telegram", account: "bot", chat: "7/3" } as const;
const chatKey: InputKey = { ...chat, messageId: "99" };

type Wish = {
  readonly from?: Principal;
  readonly key?: InputKey;
  readonly audience?: Audience;
  readonly session?: Partial<NewSession>;
  readonly room?: "direct" | "group";
};

async function world(t: TestContext) {
  const top = await testFolder(t);
  const [home, cwd] = [join(top, "home"), join(top, "work")];
  for (const each of [home, cwd]) await mkdir(each);
  await writeFile(join(cwd, "report.txt"), "all is well");
  const clock = fakeClock();
  const store = await openTestStore(join(home, "talaria.db"), { clock });
  t.after(() => store[Symbol.asyncDispose]());
  const shell = { tools: async () => [], guarded: [home] };
  const loaded = { config: { home, paths: { media: join(home, "media") } } } as never;
  const boxes = hostToolBox({ store, shell, redact: redactor([]) });
  boxes.add(hostChatTools({ store, shell, loaded }));
  const asked: Question[] = [];
  /** The tools of a turn that begins now. */
  const turn = async (wish: Wish = {}) => {
    const { from = owner, key = chatKey, audience = "owner", room } = wish;
    const session = { id: newId("ses", 1), cwd, surface: key.surface, audience, ...wish.session };
    if (room !== undefined)
      await store.chats.change({ ...chat, person: "", room, roomName: "Herons" }, { session: session.id }, 1);
    const lease = await hold(store, session.id);
    const { row } = await store.inbox.admit(admission(session, { from, key }));
    const id = newId("trn", 1);
    await store.turns.open(lease, { id, inbox: row.id, runtime: "loop", cwd, at: 1 });
    const box = await boxes({
      session: session.id,
      turn: id,
      from,
      audience,
      cwd,
      clock,
      epoch: lease.epoch,
      async ask(question) {
        asked.push(question);
        return { choice: "once", why: "person" };
      },
      inquire: async () => undefined,
    });
    return { box, id, lease };
  };
  return { store, cwd, home, turn, asked };
}

const isOffered = ({ specs }: ToolBox): boolean => specs.some(({ name }) => name === "send_file");
const send = (box: ToolBox, item = "one") => {
  const args = { path: "report.txt", caption: "See" };
  const head = { id: item as ItemId, callId: `call_${item}`, tool: "send_file", args };
  return box.call("send_file", args, new AbortController().signal, undefined, head);
};

describe("send_file", () => {
  for (const [what, wish, isThere] of [
    ["the owner, in their chat", {}, true],
    ["the owner, in a group", { audience: "members", room: "group" }, true],
    ["a member", { from: member, audience: "members" }, true],
    ["a guest", { from: guest, audience: "guests" }, false],
    ["the owner, where guests are", { audience: "guests" }, false],
    ["the owner at a terminal", { from: atTerminal, key: { ...chatKey, surface: "cli" } }, false],
    [
      "a program that names a chat",
      { from: { ...atTerminal, surface: "api" }, session: { surface: "api" } },
      false,
    ],
    [
      "somebody who names a chat of another app",
      { key: { ...chatKey, surface: "slack" }, session: { surface: "cli" } },
      false,
    ],
    ["a goal that was set in a chat", { key: { ...chatKey, surface: "goal" } }, false],
    ["a schedule that was made in a chat", { key: { ...chatKey, surface: "schedule" } }, false],
    ["an attempt at a card", { session: { surface: "card" } }, false],
  ] as const)
    test(`is ${isThere ? "there" : "not there"} for ${what}`, async (t) => {
      const { turn, store } = await world(t);
      const { box } = await turn(wish);
      assert.equal(isOffered(box), isThere);
      assert.equal(box.enabled.includes("send_file"), isThere);
      assert.equal((await send(box)).ok, isThere);
      assert.equal((await store.outbox.inState("pending")).length, isThere ? 1 : 0);
    });

  test("is not there for a part of the work of a turn in a chat", async (t) => {
    const { turn } = await world(t);
    const whole = newId("ses", 1);
    await turn({ session: { id: whole } });
    const { box } = await turn({
      session: { parent: whole, surface: "delegate" },
      key: { ...chatKey, surface: "delegate" },
    });
    assert.deepEqual([isOffered(box), box.enabled.includes("send_file")], [false, false]);
  });

  test("stays in the list of a session that began in a chat, and says where it is of no use", async (t) => {
    const { turn, store } = await world(t);
    for (const [from, key] of [
      [atTerminal, { ...chatKey, surface: "cli" }],
      [owner, { ...chatKey, surface: "goal" }],
    ] as const) {
      const { box } = await turn({ from, key, session: { surface: "telegram" } });
      assert.deepEqual([isOffered(box), box.enabled.includes("send_file")], [false, true]);
      assert.match((await send(box)).output, /cannot be used here: this was not asked for in a chat app/);
    }
    assert.deepEqual(await store.outbox.inState("pending"), []);
  });

  test("answers the message that the turn began with, in the thread that it came from", async (t) => {
    const { turn, store, home } = await world(t);
    const { box, id, lease } = await turn({ room: "direct" });
    assert.equal(
      (await send(box)).output,
      "It is on its way; report.txt (11 bytes) goes out before the answer.",
    );
    const [row] = await store.outbox.ofTurn(id);
    assert.partialDeepStrictEqual(row, { ...chat, replyTo: "99", turn: id });
    const path = join(home, "gateway", "outgoing", row?.id ?? "", "report.txt");
    assert.partialDeepStrictEqual(row?.body, { kind: "file", file: { path, bytes: 11 }, caption: "See" });
    await send(box);
    await store.turns.end(lease, id, done, 3, {
      replies: [{ ...chat, body: { kind: "answer", markdown: "Done." } }],
      tell: false,
    });
    const due = await store.outbox.due("telegram", "bot");
    assert.deepEqual(
      due.map(({ body }) => body.kind),
      ["file", "answer"],
      "once, and first",
    );
  });

  for (const [what, wish, effect] of [
    ["to the owner's own chat is nobody else's business", { room: "direct" }, "local"],
    ["to a chat of which nobody knows who reads it", {}, "external"],
    ["to a group", { room: "group", audience: "members" }, "external"],
    ["to a group, from a session of the owner's own", { room: "group" }, "external"],
    ["to the owner's chat, from a session with members", { room: "direct", audience: "members" }, "external"],
    ["to a member", { room: "direct", from: member, audience: "members" }, "external"],
  ] as const)
    test(`${what}: ${effect}`, async (t) => {
      const { turn, asked } = await world(t);
      const { box } = await turn(wish);
      await send(box);
      assert.deepEqual(
        asked.map((question) => question.effect),
        [effect],
      );
    });

  test("names where it goes to whoever is asked", async (t) => {
    const { turn, asked } = await world(t);
    for (const wish of [
      { room: "direct", from: member, audience: "members" },
      { room: "group", audience: "members" },
    ] as const)
      await send((await turn({ ...wish, key: { ...chatKey, messageId: wish.room } })).box);
    assert.deepEqual(
      asked.map(({ summary }) => summary),
      [
        "send report.txt (11 bytes) to the chat with Bob on Telegram",
        "send report.txt (11 bytes) to the group “Herons” on Telegram",
      ],
    );
  });

  test("puts nothing on its way for a turn whose session is another process's now", async (t) => {
    const { turn, store } = await world(t);
    const { box, lease } = await turn({ room: "direct" });
    await store.leases.acquire(lease.session, process(2), 1, () => true);
    const { ok, output } = await send(box);
    assert.deepEqual([ok, output], [false, `send_file failed: ${new StaleLeaseError(lease).message}`]);
    assert.deepEqual(await store.outbox.inState("pending"), []);
  });
});
