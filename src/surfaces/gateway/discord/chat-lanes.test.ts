import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import type { ChatEvent, ChatMessage } from "../../../core/gateway/chat.ts";
import type { Page } from "./history.ts";
import { Intake } from "./intake.ts";
import { messageOf, type Reading } from "./parse.ts";
import { idAt, timeOf } from "./snowflake.ts";

const reading: Reading = { account: "1", botRoles: new Set(), place: () => ({ room: "direct" }) };
const raw = (chat: string, id: string): object => ({
  id,
  channel_id: chat,
  author: { id: "7", username: "ann" },
  content: `words ${id}`,
});
const live = (chat: string, id: string): ChatMessage => messageOf(raw(chat, id), reading) as ChatMessage;

/** An intake whose channels have these messages. */
function intakeOf(take: (event: ChatEvent) => Promise<void>) {
  const clock = fakeClock();
  const kept = new Map<string, string[]>();
  const asked: { readonly chat: string; readonly after: string }[] = [];
  const history = {
    async after(chat: string, after: string): Promise<Page> {
      asked.push({ chat, after });
      const ids = (kept.get(chat) ?? []).filter((id) => BigInt(id) > BigInt(after)).slice(0, 100);
      return { messages: ids.map((id) => raw(chat, id)) };
    },
  };
  const signal = new AbortController().signal;
  const intake = new Intake({ clock, log: () => {}, history, reading: () => reading, take, signal });
  intake.online(true);
  let last = 0n;
  const next = (): string => String(BigInt(idAt(clock.now())) + (last += 1n));
  return { clock, kept, asked, intake, next };
}

describe("the messages of a chat", () => {
  test("are looked for again where people were lately heard, and only there", async () => {
    const taken: string[] = [];
    const { clock, kept, asked, intake, next } = intakeOf(async (event) => {
      if (event.kind === "message") taken.push(event.messageId);
    });
    const quiet = next();
    intake.know("50", quiet);
    await clock.advance(2 * 3_600_000);
    const [one, two, three] = [next(), next(), next()];
    kept.set("60", [one, two, three]);
    intake.message(live("60", one));
    intake.message(live("60", three));
    intake.lookAgain();
    await clock.advance(0);
    assert.deepEqual(taken, [one, three, two]);
    assert.deepEqual(
      asked.map(({ chat }) => chat),
      ["60"],
    );
  });

  test("wait in the channel itself when there are too many of them, and none is lost or doubled", async () => {
    const taken: string[] = [];
    let isFull = true;
    const { clock, kept, intake, next } = intakeOf(async (event) => {
      if (isFull) throw new Error("full");
      if (event.kind === "message") taken.push(event.messageId);
    });
    const ids = Array.from({ length: 3_500 }, next);
    kept.set("60", ids);
    for (const id of ids) intake.message(live("60", id));
    await clock.advance(1_000);
    isFull = false;
    await clock.advance(60_000);
    assert.deepEqual(taken, ids);
  });

  test("are read again when something was missed while they were being read", async () => {
    const taken: string[] = [];
    const { clock, kept, asked, intake, next } = intakeOf(async (event) => {
      if (event.kind === "message") taken.push(event.messageId);
    });
    intake.know("60", next());
    intake.missed();
    kept.set("60", [next()]);
    intake.missed();
    intake.missed();
    await clock.advance(0);
    assert.deepEqual(taken, kept.get("60"));
    assert.equal(asked.length, 2);
  });

  test("are not read from further back than a week", async () => {
    const { clock, asked, intake } = intakeOf(async () => {});
    intake.know("60", idAt(clock.now() - 30 * 24 * 3_600_000));
    intake.missed();
    await clock.advance(0);
    assert.equal(timeOf(asked[0]?.after ?? "0"), clock.now() - 7 * 24 * 3_600_000);
  });
});
