import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import type { ChatEvent, ChatMessage } from "../../../core/gateway/chat.ts";
import { eventOf, pressHandle, type Reading } from "./parse.ts";

const reading: Reading = {
  account: "10",
  botRoles: new Set(["99"]),
  place: (channel) => ({ "70": { room: "group", name: "Lab #general" } as const })[channel],
};
const ann = { id: "7", username: "ann", global_name: "Ann" };
const plain = { id: "4194304000", channel_id: "70", guild_id: "5", type: 0, author: ann, content: "hi" };

const said = (more: object): ChatEvent | undefined =>
  eventOf("MESSAGE_CREATE", { ...plain, ...more }, reading);
function message(more: object): ChatMessage {
  const event = said(more);
  assert.equal(event?.kind, "message");
  return event as ChatMessage;
}

describe("a message of Discord's", () => {
  test("in a channel of a server is for the bot when it names it, its role, or answers it", () => {
    assert.equal(message({}).isForBot, false);
    assert.equal(message({ mentions: [{ id: "10" }], content: "<@10> hi" }).isForBot, true);
    assert.equal(message({ mention_roles: ["99"], content: "<@&99> hi" }).isForBot, true);
    assert.equal(message({ mention_roles: ["98"], content: "<@&98> hi" }).isForBot, false);
    const answer = { type: 19, message_reference: { message_id: "3" } };
    assert.equal(message({ ...answer, referenced_message: { author: { id: "10" } } }).isForBot, true);
    assert.equal(message({ ...answer, referenced_message: { author: { id: "11" } } }).isForBot, false);
    assert.equal(message({ ...answer, referenced_message: null }).isForBot, false);
    assert.equal(message({ mention_everyone: true, content: "@everyone" }).isForBot, false);
  });

  test("brings along what somebody else said that it answers", () => {
    const answer = { type: 19, message_reference: { message_id: "3" } };
    const referenced_message = { content: "Owls.", author: { id: "11", username: "ben" } };
    const { quoted } = message({ ...answer, referenced_message });
    assert.deepEqual(quoted, { from: "ben", text: "Owls." });
    const ours = { ...referenced_message, author: { id: "10" } };
    assert.equal(message({ ...answer, referenced_message: ours }).quoted, undefined);
  });

  test("has its channel, its name, its answer and its time", () => {
    const { address, roomName, room, replyTo, at, order, messageId } = message({
      type: 19,
      message_reference: { message_id: "3" },
    });
    assert.deepEqual(
      { address, roomName, room, replyTo, at, order, messageId },
      {
        address: { surface: "discord", account: "10", chat: "70" },
        roomName: "Lab #general",
        room: "group",
        replyTo: "3",
        at: 1_420_070_400_000 + 1_000,
        order: "00000000004194304000",
        messageId: "4194304000",
      },
    );
  });

  test("without a server is a direct one, in which the bot is always meant", () => {
    const { room, isForBot } = message({ channel_id: "71", guild_id: undefined });
    assert.deepEqual({ room, isForBot }, { room: "direct", isForBot: true });
  });

  test("has the words as people read them, without the mention of the bot", () => {
    const mentions = [{ id: "10" }, { id: "8", username: "bob", global_name: "Bob" }];
    const words = (content: string): string => message({ content, mentions }).text;
    assert.equal(words("<@10> what is it"), "what is it");
    assert.equal(words("ask <@!10> about <@8> now"), "ask about @Bob now");
    assert.equal(words("<@10>"), "");
    assert.equal(words("<@&99> do it <@&98>"), "do it <@&98>");
    assert.equal(words("nice <:wave:123> <a:dance:4>"), "nice :wave: :dance:");
    assert.equal(words("line\n\n<@10> line"), "line\n\nline");
  });

  test("has the name that its channel knows", () => {
    assert.equal(message({ member: { nick: "Annie" } }).from.name, "Annie");
    assert.equal(message({ member: { nick: null } }).from.name, "Ann");
    assert.equal(message({ author: { id: "7", username: "ann", global_name: null } }).from.name, "ann");
  });

  test("says whether a bot or a webhook wrote it, and one of its own is none", () => {
    assert.equal(message({ author: { ...ann, bot: true } }).from.isBot, true);
    assert.equal(message({ webhook_id: "5" }).from.isBot, true);
    assert.equal(message({}).from.isBot, false);
    assert.equal(said({ author: { id: "10", username: "talaria", bot: true } })?.kind, "other");
  });

  test("has its files: pictures, voice messages, others", () => {
    const url = "https://cdn.discordapp.com/attachments/1/2/a";
    const attachments = [
      { id: "1", filename: "a.png", content_type: "image/png", size: 3, url },
      { id: "2", filename: "b.pdf", content_type: "application/pdf", size: 4, url },
      { id: "3", filename: "c", url },
    ];
    assert.deepEqual(
      message({ attachments }).files.map(({ kind, name, bytes, mediaType }) => [
        kind,
        name,
        bytes,
        mediaType,
      ]),
      [
        ["image", "a.png", 3, "image/png"],
        ["file", "b.pdf", 4, "application/pdf"],
        ["file", "c", undefined, undefined],
      ],
    );
    const voice = message({
      flags: 1 << 13,
      attachments: [{ id: "4", filename: "v.ogg", content_type: "audio/ogg", url }],
    });
    assert.equal(voice.files[0]?.kind, "voice");
  });

  test("that was passed on has the words and files of that one, and answers nothing", () => {
    const event = message({
      content: "",
      message_reference: { type: 1, message_id: "3" },
      message_snapshots: [
        {
          message: {
            content: "the news",
            attachments: [{ id: "1", filename: "n.txt", url: "https://x.example" }],
          },
        },
      ],
    });
    assert.equal(event.text, "Forwarded message:\nthe news");
    assert.equal(event.replyTo, undefined);
    assert.equal(event.files.length, 1);
  });

  test("of a sticker has its name", () => {
    assert.equal(message({ content: "", sticker_items: [{ name: "Wave" }] }).text, "(sticker: Wave)");
  });

  test("of Discord itself (somebody joined, a pin, the start of a thread) is none", () => {
    for (const type of [6, 7, 8, 18, 21, 999]) assert.equal(said({ type })?.kind, "other");
  });
});

describe("another event of Discord's", () => {
  test("about an edit or a deletion is counted, and about anything else it is nothing", () => {
    for (const type of ["MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK"]) {
      assert.equal(eventOf(type, plain, reading)?.kind, "other");
    }
    for (const type of ["TYPING_START", "GUILD_CREATE", "PRESENCE_UPDATE", "SOMETHING_NEW"]) {
      assert.equal(eventOf(type, plain, reading), undefined);
    }
  });

  const interaction = {
    id: "4194304000",
    application_id: "10",
    type: 3,
    token: "key",
    channel_id: "70",
    guild_id: "5",
    member: { user: ann, nick: "Annie" },
    message: { id: "3" },
    data: { custom_id: "apr_1:yes", component_type: 2 },
  };

  test("about a button is a press, with what is needed to acknowledge it", () => {
    const event = eventOf("INTERACTION_CREATE", interaction, reading);
    assert.deepEqual(event, {
      kind: "press",
      address: { surface: "discord", account: "10", chat: "70" },
      messageId: "3",
      press: "4194304000/10/key",
      data: "apr_1:yes",
      from: { id: "7", name: "Annie", isBot: false },
      room: "group",
      at: 1_420_070_400_000 + 1_000,
    });
    assert.deepEqual(pressHandle("4194304000/10/key"), { id: "4194304000", application: "10", key: "key" });
  });

  test("about another interaction is only counted", () => {
    const kinds = [
      { type: 2 },
      { type: 5 },
      { data: { component_type: 3, custom_id: "x" } },
      { token: "a/b" },
    ];
    for (const more of kinds) {
      assert.equal(eventOf("INTERACTION_CREATE", { ...interaction, ...more }, reading)?.kind, "other");
    }
  });
});

test("nothing that Discord could send is a fault of ours", () => {
  const types = fc.constantFrom("MESSAGE_CREATE", "INTERACTION_CREATE", "MESSAGE_UPDATE", "X");
  const bent = fc.tuple(
    fc.constantFrom(...Object.keys(plain), "member", "mentions", "attachments", "flags", "data"),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(
      types,
      fc.oneof(
        fc.jsonValue(),
        bent.map(([key, value]) => ({ ...plain, [key]: value })),
      ),
      (type, data) => {
        eventOf(type, data, reading);
      },
    ),
    { numRuns: 2_000 },
  );
});
