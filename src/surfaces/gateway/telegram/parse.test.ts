import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import type { ChatEvent, ChatMessage } from "../../../core/gateway/chat.ts";
import { parse } from "./parse.ts";

const self = { id: 4242, username: "talaria_bot" };
const now = 5_000;
const ann = { id: 7, is_bot: false, first_name: "Ann", last_name: "Lee" };
const us = { id: 4242, is_bot: true, first_name: "Talaria", username: "talaria_bot" };
const direct = { id: 7, type: "private", first_name: "Ann" };
const team = { id: -1001, type: "supergroup", title: "Team", is_forum: true };

const event = (fields: object, chat: object = direct): ChatEvent =>
  parse({ update_id: 1, message: { message_id: 12, date: 3, chat, from: ann, ...fields } }, self, now);

function message(fields: object, chat: object = direct): ChatMessage {
  const parsed = event(fields, chat);
  assert.equal(parsed.kind, "message", JSON.stringify(parsed));
  return parsed as ChatMessage;
}

const order = (id: number): string => message({ text: "x", message_id: id }).order;
const files = (fields: object): unknown => message(fields).files;

const entity = (type: string, text: string, part: string, more: object = {}): object => ({
  type,
  offset: text.indexOf(part),
  length: part.length,
  ...more,
});

const said = (text: string, ...entities: readonly object[]): object => ({ text, entities });

describe("an update of Telegram", () => {
  test("is a message, with all that is known of it", () => {
    assert.deepEqual(event({ text: "hello" }), {
      kind: "message",
      address: { surface: "telegram", account: "4242", chat: "7" },
      messageId: "12",
      order: "0000000000000012",
      at: 3_000,
      from: { id: "7", name: "Ann Lee", isBot: false },
      room: "direct",
      text: "hello",
      isForBot: true,
      files: [],
    });
    const { room, roomName, isForBot } = message({ text: "hello" }, team);
    assert.deepEqual({ room, roomName, isForBot }, { room: "group", roomName: "Team", isForBot: false });
  });

  test("is ordered as Telegram numbers it, whatever the number of digits", () => {
    assert.deepEqual([9, 10, 99, 100, 2 ** 40].map(order).toSorted(), [9, 10, 99, 100, 2 ** 40].map(order));
  });

  const mentions: readonly (readonly [what: string, fields: object, text: string, isForBot: boolean])[] = [
    [
      "a name in front",
      said("@Talaria_Bot, go on", entity("mention", "@Talaria_Bot", "@Talaria_Bot")),
      "go on",
      true,
    ],
    [
      "a name at the end",
      said("go on @talaria_bot", entity("mention", "go on @talaria_bot", "@talaria_bot")),
      "go on",
      true,
    ],
    [
      "a name in between",
      said("😀 hi @talaria_bot there", entity("mention", "😀 hi @talaria_bot there", "@talaria_bot")),
      "😀 hi there",
      true,
    ],
    ["a name alone", said("@talaria_bot", entity("mention", "@talaria_bot", "@talaria_bot")), "", true],
    [
      "another name",
      said("@talaria_bottle hi", entity("mention", "@talaria_bottle hi", "@talaria_bottle")),
      "@talaria_bottle hi",
      false,
    ],
    ["a name that is no entity", said("mail@talaria_bot"), "mail@talaria_bot", false],
    [
      "a mention by id",
      said("Talaria do", entity("text_mention", "Talaria do", "Talaria", { user: us })),
      "do",
      true,
    ],
    [
      "a mention of somebody else",
      said("Ann do", entity("text_mention", "Ann do", "Ann", { user: ann })),
      "Ann do",
      false,
    ],
    [
      "a command with our name",
      said("/stop@talaria_bot now", entity("bot_command", "/stop@talaria_bot now", "/stop@talaria_bot")),
      "/stop now",
      true,
    ],
    [
      "a command of another bot",
      said("/stop@other_bot", entity("bot_command", "/stop@other_bot", "/stop@other_bot")),
      "/stop@other_bot",
      false,
    ],
    ["a command for every bot", said("/stop", entity("bot_command", "/stop", "/stop")), "/stop", true],
    [
      "a command amid words",
      said("try /stop", entity("bot_command", "try /stop", "/stop")),
      "try /stop",
      false,
    ],
    ["an answer to us", { text: "yes", reply_to_message: { message_id: 5, from: us } }, "yes", true],
    ["an answer to somebody", { text: "yes", reply_to_message: { message_id: 5, from: ann } }, "yes", false],
    [
      "a caption with our name",
      {
        photo: [{ file_id: "p", width: 1, height: 1 }],
        caption: "@talaria_bot what",
        caption_entities: [entity("mention", "@talaria_bot what", "@talaria_bot")],
      },
      "what",
      true,
    ],
  ];
  for (const [what, fields, text, isForBot] of mentions) {
    test(`in a group with ${what} is ${isForBot ? "for" : "not for"} the bot`, () => {
      const parsed = message(fields, team);
      assert.deepEqual({ text: parsed.text, isForBot: parsed.isForBot }, { text, isForBot });
    });
  }

  test("row 22: in a topic belongs to that topic, and in the General one to no thread", () => {
    const inTopic = { text: "x", message_thread_id: 33, is_topic_message: true };
    assert.equal(message(inTopic, team).address.thread, "33");
    assert.equal(message({ text: "x" }, team).address.thread, undefined);
    assert.equal(
      message({ text: "x", message_thread_id: 1, is_topic_message: true }, team).address.thread,
      undefined,
    );
  });

  test("row 22: that answers something in a group without topics is in no thread", () => {
    const reply = { text: "x", message_thread_id: 5, reply_to_message: { message_id: 5, from: ann } };
    const parsed = message(reply, team);
    assert.equal(parsed.address.thread, undefined);
    assert.equal(parsed.replyTo, "5");
  });

  test("in a topic that the bot has opened does not answer the bot by that alone", () => {
    const opened = { message_id: 33, from: us, forum_topic_created: { name: "T" } };
    const parsed = message(
      { text: "x", message_thread_id: 33, is_topic_message: true, reply_to_message: opened },
      team,
    );
    assert.equal(parsed.isForBot, false);
    assert.equal(parsed.replyTo, undefined);
  });

  test("has its files, of a photo the largest size", () => {
    const photo = [
      { file_id: "small", width: 90, height: 60, file_size: 1 },
      { file_id: "large", width: 1280, height: 800, file_size: 3 },
      { file_id: "middle", width: 320, height: 200, file_size: 2 },
    ];
    assert.deepEqual(files({ photo }), [
      { handle: "large", kind: "image", name: "photo.jpg", mediaType: "image/jpeg", bytes: 3 },
    ]);
    assert.deepEqual(files({ voice: { file_id: "v", mime_type: "audio/ogg", file_size: 9 } }), [
      { handle: "v", kind: "voice", name: "voice.ogg", mediaType: "audio/ogg", bytes: 9 },
    ]);
    assert.deepEqual(
      files({ document: { file_id: "d", file_name: "../../etc/a\u0000.pdf", mime_type: "application/pdf" } }),
      [{ handle: "d", kind: "file", name: ".._.._etc_a\uFFFD.pdf", mediaType: "application/pdf" }],
    );
    assert.deepEqual(files({ document: { file_id: "d", file_name: "a.png", mime_type: "image/png" } }), [
      { handle: "d", kind: "image", name: "a.png", mediaType: "image/png" },
    ]);
    const moving = { file_id: "a", mime_type: "video/mp4", file_name: "a.mp4" };
    assert.deepEqual(files({ animation: moving, document: moving }), [
      { handle: "a", kind: "file", name: "a.mp4", mediaType: "video/mp4" },
    ]);
  });

  test("of an album says so", () => {
    assert.equal(message({ photo: [{ file_id: "p" }], media_group_id: "99" }).album, "99");
  });

  test("with a place, a contact or a sticker has words for it", () => {
    assert.equal(message({ location: { latitude: 52.5, longitude: 13.4 } }).text, "Location: 52.5, 13.4");
    assert.equal(message({ contact: { first_name: "Bo", phone_number: "+49" } }).text, "Contact: Bo +49");
    assert.equal(message({ sticker: { file_id: "s", emoji: "👍", is_animated: true } }).text, "👍");
  });

  test("brings along what somebody else said that it answers, of that the part which was chosen", () => {
    const reply_to_message = { message_id: 3, from: { id: 8, first_name: "Ben" }, text: "Owls. And more." };
    const { quoted } = message({ text: "this?", reply_to_message });
    assert.deepEqual(quoted, { from: "Ben", text: "Owls. And more." });
    assert.equal(
      message({ text: "this?", reply_to_message, quote: { text: "Owls." } }).quoted?.text,
      "Owls.",
    );
    const ours = { ...reply_to_message, from: us };
    assert.equal(message({ text: "this?", reply_to_message: ours }).quoted, undefined);
  });

  test("that has nothing to be read says what it is", () => {
    const poll = { poll: { id: "1", question: "Lunch?", options: [] } };
    assert.deepEqual([message(poll).unreadable, message(poll).text], ["polls", ""]);
    assert.equal(message({ dice: { emoji: "🎲", value: 3 } }).unreadable, "dice");
    assert.equal(message({ sticker: { file_id: "s", is_animated: true } }).unreadable, "this sticker");
    assert.equal(message({ text: "hi" }).unreadable, undefined);
  });

  test("of an anonymous admin is from the group, of nobody else", () => {
    const anonymous = { id: 1087968824, is_bot: true, first_name: "Group" };
    const { from } = message({ text: "x", from: anonymous, sender_chat: team }, team);
    assert.deepEqual(from, { id: "-1001", name: "Team", isBot: false });
  });

  test("of another bot says that it is one", () => {
    assert.equal(
      message({ text: "x", from: { id: 9, is_bot: true, first_name: "B" } }, team).from.isBot,
      true,
    );
  });

  const others: readonly (readonly [what: string, update: object, name: string])[] = [
    ["an edited message", { edited_message: { message_id: 1 } }, "edited_message"],
    ["a post of a channel", { channel_post: { message_id: 1 } }, "channel_post"],
    [
      "a change of members",
      { message: { message_id: 1, date: 1, chat: team, from: ann, new_chat_members: [ann] } },
      "new_chat_members",
    ],
    [
      "a new topic",
      {
        message: {
          message_id: 1,
          date: 1,
          chat: team,
          from: ann,
          message_thread_id: 1,
          is_topic_message: true,
          forum_topic_created: {},
        },
      },
      "forum_topic_created",
    ],
    [
      "a message of ours",
      { message: { message_id: 1, date: 1, chat: team, from: us, text: "x" } },
      "own message",
    ],
    [
      "a post that Telegram forwards into the group",
      { message: { message_id: 1, date: 1, chat: team, from: ann, text: "x", is_automatic_forward: true } },
      "post of a linked channel",
    ],
    [
      "a message without anybody",
      { message: { message_id: 1, date: 1, chat: team, text: "x" } },
      "message without sender",
    ],
    [
      "a press without a message",
      { callback_query: { id: "1", from: ann, data: "x" } },
      "press without message",
    ],
    ["nothing", {}, "update"],
  ];
  for (const [what, update, name] of others) {
    test(`that is ${what} is something else`, () => {
      assert.deepEqual(parse({ update_id: 1, ...update }, self, now), { kind: "other", what: name });
    });
  }

  test("is a press of a button, where its message is", () => {
    const pressed = { message_id: 44, date: 0, chat: team, message_thread_id: 33, is_topic_message: true };
    assert.deepEqual(
      parse(
        { update_id: 1, callback_query: { id: "q", from: ann, data: "a:1", message: pressed } },
        self,
        now,
      ),
      {
        kind: "press",
        address: { surface: "telegram", account: "4242", chat: "-1001", thread: "33" },
        messageId: "44",
        press: "q",
        data: "a:1",
        from: { id: "7", name: "Ann Lee", isBot: false },
        room: "group",
        at: now,
      },
    );
  });

  test("never makes it throw, and gives what can be stored as it is, whatever it looks like", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(null, true, -1, 1.5, 2 ** 60, "", "x", 12),
        fc.dictionary(fc.constantFrom(...names), tie("any"), { maxKeys: 8 }),
        fc.array(tie("any"), { maxLength: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, value, (sent, pressed) => {
        for (const update of [
          sent,
          { message: sent },
          { callback_query: pressed },
          { message: { message_id: 1, chat: { id: 1 }, from: ann, ...(sent as object) } },
        ]) {
          const parsed = parse(update, self, now);
          assert.deepEqual(JSON.parse(JSON.stringify(parsed)), parsed);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

const names = [
  [
    "message",
    "message_id",
    "chat",
    "id",
    "type",
    "from",
    "text",
    "caption",
    "entities",
    "caption_entities",
    "offset",
    "length",
  ],
  [
    "photo",
    "file_id",
    "width",
    "height",
    "document",
    "voice",
    "reply_to_message",
    "message_thread_id",
    "is_topic_message",
  ],
  [
    "callback_query",
    "data",
    "sender_chat",
    "user",
    "title",
    "first_name",
    "sticker",
    "contact",
    "location",
    "media_group_id",
  ],
].flat();
