import assert from "node:assert/strict";
import { test } from "node:test";
import { group, startTelegram } from "../../../../test/fakes/telegram/telegram.ts";
import type { ChatEvent } from "../../../core/gateway/chat.ts";
import { systemClock } from "../../../lib/clock.ts";
import { ann, ben, patient, toAnn, withAnn } from "./adapter-world.suite.ts";
import { telegramAdapter } from "./adapter.ts";

test("a conversation in real time: words, a picture, an album, an answer with buttons, a press, an edit, the end", async () => {
  await using telegram = await startTelegram();
  await using adapter = telegramAdapter({
    token: telegram.token,
    api: telegram.url,
    clock: systemClock,
    log: () => {},
  });
  const events: ChatEvent[] = [];
  assert.deepEqual(await adapter.start(async (event) => void events.push(event), new Map()), {
    account: String(telegram.bot.id),
    name: telegram.bot.username,
  });
  telegram.say(withAnn, ann, "hello");
  telegram.say(withAnn, ann, "look", { photo: Buffer.alloc(400), album: "a1" });
  telegram.say(withAnn, ann, "", { photo: Buffer.alloc(800), album: "a1" });
  telegram.say(group(-5, "Team"), ben, "@talaria_bot and you?");
  telegram.say(withAnn, ann, "", { voice: Buffer.alloc(10) });
  await telegram.settled();
  assert.deepEqual(
    events.map((event) =>
      event.kind === "message" ? [event.address.chat, event.text, event.album, event.files.length] : [],
    ),
    [
      ["7", "hello", undefined, 0],
      ["7", "look", "a1", 1],
      ["7", "", "a1", 1],
      ["-5", "and you?", undefined, 0],
      ["7", "", undefined, 1],
    ],
  );

  const { part } = adapter.renderQuestion("Shall I?", [[{ label: "Yes", data: "apr_1:y" }]]);
  await adapter.typing(toAnn, patient());
  const sent = await adapter.send(toAnn, { part, nonce: "n1" }, patient());
  assert.ok("sent" in sent);
  const press = telegram.press(withAnn, ann, Number(sent.sent), "apr_1:y");
  await telegram.settled();
  const pressed = events.at(-1);
  assert.ok(pressed?.kind === "press" && pressed.data === "apr_1:y" && pressed.messageId === sent.sent);
  await adapter.acknowledge(pressed.press, "Allowed.", patient());
  assert.equal(telegram.answered(press), "Allowed.");
  const [after] = adapter.render("Shall I? **Allowed.**");
  assert.ok(after);
  assert.deepEqual(await adapter.edit(toAnn, sent.sent, after, patient()), sent);
  assert.deepEqual(
    telegram.shown(withAnn).map(({ text, buttons, edits }) => ({ text, buttons, edits })),
    [{ text: "Shall I? Allowed.", buttons: [], edits: 1 }],
  );
  assert.deepEqual(
    telegram.deeds(withAnn).map(({ what }) => what),
    ["sent", "edited"],
  );
});
