import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import type { ChatFile, OutFile } from "../../../core/gateway/chat.ts";
import { always, sending, startBot, type TestBot } from "./bot.suite.ts";

const bytes = new TextEncoder().encode("picture");

async function sentIn(bot: TestBot): Promise<ChatFile> {
  const ann = bot.discord.person("Ann");
  const chat = bot.discord.direct(ann);
  bot.discord.say(chat, ann, "look", { files: [{ name: "a.png", type: "image/png", bytes }] });
  await bot.heard(1);
  const [file] = bot.messages()[0]?.files ?? [];
  assert.ok(file !== undefined);
  return file;
}

const made = async (folder: string, size: number): Promise<OutFile> => {
  const path = join(folder, "report.txt");
  await writeFile(path, Buffer.alloc(size, "x"));
  return { path, name: "report.txt", mediaType: "text/plain", bytes: size };
};

describe("a file that came", () => {
  test("is fetched", async () => {
    await using bot = await startBot();
    const file = await sentIn(bot);
    assert.deepEqual(
      { kind: file.kind, name: file.name, mediaType: file.mediaType, bytes: file.bytes },
      { kind: "image", name: "a.png", mediaType: "image/png", bytes: bytes.length },
    );
    assert.deepEqual(await bot.adapter.fetchFile(file, 100, always), bytes);
  });

  test("is fetched when its address works no longer: the message knows a new one", async () => {
    await using bot = await startBot();
    const file = await sentIn(bot);
    bot.discord.expireFiles();
    assert.deepEqual(await bot.adapter.fetchFile(file, 100, always), bytes);
  });

  test("and is gone, too large, or on another server, is not fetched, which is said", async () => {
    await using bot = await startBot();
    const file = await sentIn(bot);
    const failed = async (one: ChatFile, most = 100): Promise<string> => {
      const result = await bot.adapter.fetchFile(one, most, always);
      assert.ok("failed" in result);
      return result.failed;
    };
    assert.match(await failed(file, 3), /larger than 3 bytes/);
    for (const url of [
      "http://169.254.169.254/latest",
      "file:///etc/passwd",
      "https://cdn.discordapp.com.evil.example/a",
      "nothing",
    ]) {
      assert.match(await failed({ ...file, handle: `1/2/3 ${url}` }), /not on a server of Discord's/);
    }
    bot.discord.erase(bot.messages()[0]?.address.chat ?? "", bot.messages()[0]?.messageId ?? "");
    bot.discord.expireFiles();
    assert.match(await failed(file), /not to be had/);
  });

  test("a voice message is known as one", async () => {
    await using bot = await startBot();
    const ann = bot.discord.person("Ann");
    const file = { name: "voice-message.ogg", type: "audio/ogg", bytes };
    bot.discord.say(bot.discord.direct(ann), ann, "", { voice: true, files: [file] });
    await bot.heard(1);
    assert.equal(bot.messages()[0]?.files[0]?.kind, "voice");
  });
});

describe("a file of ours", () => {
  test("goes with its message, as large as Discord takes it, once for its nonce", async () => {
    await using bot = await startBot();
    await using folder = await tempFolder();
    const chat = bot.discord.direct(bot.discord.person("Ann"));
    const file = await made(folder.path, 10 * 1024 * 1024);
    const one = sending("here", { part: { file } });
    const first = await bot.adapter.send(bot.address(chat), one, always);
    assert.deepEqual(await bot.adapter.send(bot.address(chat), one, always), first);
    const [shown, ...more] = bot.discord.shown(chat);
    assert.deepEqual(more, []);
    assert.deepEqual(
      shown?.files.map((each) => [each.name, each.bytes.length]),
      [["report.txt", 10 * 1024 * 1024]],
    );
    assert.deepEqual(first, { sent: shown?.id });
  });

  test("may be all of a message", async () => {
    await using bot = await startBot();
    await using folder = await tempFolder();
    const chat = bot.discord.direct(bot.discord.person("Ann"));
    const part = { body: { content: "" }, plain: "", file: await made(folder.path, 5) };
    assert.ok("sent" in (await bot.adapter.send(bot.address(chat), sending("", { part }), always)));
  });

  test("that is too large, or not there any more, is refused before anything is sent", async () => {
    await using bot = await startBot();
    await using folder = await tempFolder();
    const chat = bot.discord.direct(bot.discord.person("Ann"));
    const large = await made(folder.path, 10 * 1024 * 1024 + 1);
    const calls = bot.discord.calls.length;
    for (const [file, words] of [
      [large, /takes 10 MB/],
      [{ ...large, path: join(folder.path, "none") }, /cannot be read/],
    ] as const) {
      const result = await bot.adapter.send(bot.address(chat), sending("here", { part: { file } }), always);
      assert.match((result as { readonly refused: string }).refused, words);
    }
    assert.equal(bot.discord.calls.length, calls);
  });

  test("B2 row 25: is sent only when Discord lists it", async () => {
    await using bot = await startBot();
    await using folder = await tempFolder();
    const chat = bot.discord.direct(bot.discord.person("Ann"));
    const file = await made(folder.path, 5);
    bot.discord.faults.on(/^POST/, { kind: "fileless" });
    const result = await bot.adapter.send(bot.address(chat), sending("here", { part: { file } }), always);
    assert.match((result as { readonly refused: string }).refused, /without its file/);
  });
});
