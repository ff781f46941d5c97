import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { closedPort } from "../../../../test/closed-port.ts";
import { type Fault, forum, group } from "../../../../test/fakes/telegram/telegram.ts";
import { onLoopback } from "../../../../test/loopback.ts";
import { testFolder } from "../../../../test/temp-folder.ts";
import { createServer } from "node:net";
import type { OutFile, Part, SendResult } from "../../../core/gateway/chat.ts";
import {
  adapterWorld,
  type AdapterWorld,
  ann,
  patient,
  sendingOf,
  toAnn,
  withAnn,
} from "./adapter-world.suite.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

async function world(t: TestContext): Promise<AdapterWorld> {
  const made = await adapterWorld(t);
  made.telegram.open(withAnn);
  return made;
}

const shown = ({ telegram }: AdapterWorld): readonly string[] =>
  telegram.shown(withAnn).map(({ text }) => text);

/** What was sent, with time passing meanwhile. */
async function outcome(made: AdapterWorld, sending: Promise<SendResult>): Promise<SendResult> {
  let result: SendResult | undefined;
  void sending.then((value) => (result = value));
  await made.passUntil(() => result !== undefined, 5_000);
  return result as SendResult;
}

async function fileOf(t: TestContext, bytes: Buffer, name: string, mediaType: string): Promise<OutFile> {
  const path = join(await testFolder(t), "copy");
  await writeFile(path, bytes);
  return { path, name, mediaType, bytes: bytes.length };
}

describe("sending to Telegram", () => {
  test("a message has its looks, its buttons and what it answers, and no preview", async (t) => {
    const made = await world(t);
    const asked = made.telegram.say(withAnn, ann, "hello");
    const { part } = made.adapter.renderQuestion("**Yes** or no? https://x.example", [
      [
        { label: "Yes", data: "y:1" },
        { label: "No", data: "n:1" },
      ],
    ]);
    const result = await made.adapter.send(
      toAnn,
      { part, nonce: "n", replyTo: String(asked.messageId) },
      patient(),
    );
    const [message] = made.telegram.shown(withAnn);
    assert.deepEqual(result, { sent: String(message?.messageId) });
    assert.deepEqual(message, {
      messageId: message?.messageId,
      text: "Yes or no? https://x.example",
      entities: [{ type: "bold", offset: 0, length: 3 }],
      buttons: [
        { label: "Yes", data: "y:1" },
        { label: "No", data: "n:1" },
      ],
      replyTo: asked.messageId,
      hasPreview: false,
      edits: 0,
    });
  });

  test("a message that answers one that is gone is sent all the same", async (t) => {
    const made = await world(t);
    const sending = { ...sendingOf(made.adapter, "late"), replyTo: "999" };
    assert.ok("sent" in (await made.adapter.send(toAnn, sending, patient())));
  });

  test("row 22: into a topic goes with its id, into General without one, and into a deleted one is refused", async (t) => {
    const made = await world(t);
    const team = forum(-1001, "Team", [33]);
    made.telegram.open(team);
    const to = { surface: "telegram", account: "4242", chat: "-1001" } as const;
    const say = (address: object): Promise<SendResult> =>
      made.adapter.send({ ...to, ...address }, sendingOf(made.adapter, "x"), patient());
    assert.ok("sent" in (await say({ thread: "33" })));
    assert.ok("sent" in (await say({})));
    assert.ok(
      "sent" in (await say({ thread: "1" })),
      "General has the number 1, and cannot be written to by it",
    );
    assert.deepEqual(await say({ thread: "34" }), { refused: "Bad Request: message thread not found" });
    assert.deepEqual(
      made.telegram.shown(team).map(({ thread }) => thread),
      [33, undefined, undefined],
    );
    await made.adapter.typing({ ...to, thread: "1" }, patient());
    assert.equal(made.telegram.calls.at(-1)?.args["message_thread_id"], undefined);
  });

  const faults: readonly (readonly [what: string, fault: Fault, expected: RegExp, isThere: boolean])[] = [
    ["row 9: 429 with a time", { kind: "rateLimited", seconds: 17 }, /^{"heldMs":17000}$/, false],
    [
      "row 9: 429 without a time",
      { kind: "error", code: 429, description: "Too Many Requests" },
      /^{"heldMs":5000}$/,
      false,
    ],
    ["row 9: 429 of a proxy", { kind: "status", status: 429 }, /^{"heldMs":5000}$/, false],
    ["row 10: done, and the answer lost", { kind: "acceptedThenDropped" }, /"unknown"/, true],
    ["row 10: the connection lost", { kind: "dropped" }, /"unknown"/, false],
    ["row 10: half an answer", { kind: "garbled" }, /"unknown"/, true],
    ["row 10: a page of a proxy", { kind: "status", status: 502 }, /"unknown"/, false],
    ["row 10: 500", { kind: "error", code: 500, description: "Internal Server Error" }, /"unknown"/, false],
    [
      "blocked",
      { kind: "error", code: 403, description: "Forbidden: bot was blocked by the user" },
      /{"refused":"Forbidden: bot was blocked by the user"}/,
      false,
    ],
    [
      "no such chat",
      { kind: "error", code: 400, description: "Bad Request: chat not found" },
      /{"refused":"Bad Request: chat not found"}/,
      false,
    ],
    [
      "a wrong token",
      { kind: "error", code: 401, description: "Unauthorized" },
      /"notSent":".*BotFather/,
      false,
    ],
  ];
  for (const [what, fault, expected, isThere] of faults) {
    for (const method of ["sendMessage", "sendDocument", "editMessageText", "deleteMessage"] as const) {
      test(`${what}: ${method} says exactly what became of it`, async (t) => {
        const made = await world(t);
        const first = await made.adapter.send(toAnn, sendingOf(made.adapter, "first"), patient());
        assert.ok("sent" in first);
        const file = await fileOf(t, Buffer.from("x"), "a.txt", "text/plain");
        made.telegram.faults.next(method, fault);
        const { part } = sendingOf(made.adapter, "second");
        const result = await {
          sendMessage: () => made.adapter.send(toAnn, { part, nonce: "n" }, patient()),
          sendDocument: () => made.adapter.send(toAnn, { part: { ...part, file }, nonce: "n" }, patient()),
          editMessageText: () => made.adapter.edit(toAnn, first.sent, part, patient()),
          deleteMessage: () => made.adapter.remove(toAnn, first.sent, patient()),
        }[method]();
        assert.match(JSON.stringify(result), expected);
        const isDone = method === "deleteMessage" ? shown(made).length === 0 : shown(made).includes("second");
        assert.equal(isDone, isThere);
        assert.equal(
          made.telegram.calls.filter((call) => call.method === method).length,
          method === "sendMessage" ? 2 : 1,
        );
      });
    }
  }

  test("row 10: where nobody listens, and what is not encrypted as it should be, nothing was sent", async (t) => {
    const nobody = await adapterWorld(t, { api: `http://127.0.0.1:${await closedPort()}` });
    assert.match(
      JSON.stringify(await nobody.adapter.send(toAnn, sendingOf(nobody.adapter, "x"), patient())),
      /"notSent":".*ECONNREFUSED/,
    );
    const { telegram } = await world(t);
    const insecure = await adapterWorld(t, { api: telegram.url.replace("http:", "https:") });
    assert.match(
      JSON.stringify(await insecure.adapter.send(toAnn, sendingOf(insecure.adapter, "x"), patient())),
      /"notSent"/,
    );
  });

  test("row 10: a connection that does not come about in time has sent nothing", async (t) => {
    // Encryption is begun, and never answered.
    await using silent = await onLoopback(
      createServer((socket) => void socket.on("error", () => {}).resume()),
    );
    const made = await adapterWorld(t, { api: `https://127.0.0.1:${silent.port}` });
    const result = await outcome(made, made.adapter.send(toAnn, sendingOf(made.adapter, "x"), patient()));
    assert.match(JSON.stringify(result), /"notSent"/);
  });

  test("row 25: a send that is never answered ends in time, and says that it may have arrived", async (t) => {
    const made = await world(t);
    for (const done of [true, false]) {
      made.telegram.faults.next("sendMessage", { kind: "hang", done });
      const result = await outcome(made, made.adapter.send(toAnn, sendingOf(made.adapter, "x"), patient()));
      assert.match(JSON.stringify(result), /"unknown"/);
    }
    assert.ok(made.clock.monotonic() <= 90_000, `${made.clock.monotonic()} ms`);
    assert.ok("sent" in (await made.adapter.send(toAnn, sendingOf(made.adapter, "y"), patient())));
  });

  test("row 25: typing and acknowledging that are never answered end by themselves, and say nothing", async (t) => {
    const made = await world(t);
    made.telegram.faults.decide(() => ({ kind: "hang", done: false }));
    let ended = 0;
    void made.adapter.typing(toAnn, patient()).then(() => (ended += 1));
    void made.adapter.acknowledge("press", "done", patient()).then(() => (ended += 1));
    await made.passUntil(() => ended === 2, 5_000);
  });

  test("row 25: what is stopped on its way may have arrived, and before its way it has not", async (t) => {
    const made = await world(t);
    made.telegram.faults.next("sendMessage", { kind: "hang", done: true });
    const stop = new AbortController();
    const sending = made.adapter.send(toAnn, sendingOf(made.adapter, "x"), stop.signal);
    await made.telegram.until(() => shown(made).length === 1);
    stop.abort();
    assert.match(JSON.stringify(await sending), /"unknown"/);
    assert.match(
      JSON.stringify(await made.adapter.send(toAnn, sendingOf(made.adapter, "x"), stop.signal)),
      /"notSent"/,
    );
  });

  test("looks that Telegram does not like are left out, and the words are sent once", async (t) => {
    const made = await world(t);
    const part: Part = {
      body: { text: "hi", entities: [{ type: "bold", offset: 0, length: 99 }] },
      plain: "hi",
    };
    const sent = await made.adapter.send(toAnn, { part, nonce: "n" }, patient());
    assert.ok("sent" in sent);
    assert.deepEqual(
      made.telegram.shown(withAnn).map(({ text, entities }) => ({ text, entities })),
      [{ text: "hi", entities: [] }],
    );
    const other: Part = {
      body: { text: "ho", entities: [{ type: "sparkling", offset: 0, length: 1 }] },
      plain: "ho",
    };
    assert.deepEqual(await made.adapter.edit(toAnn, sent.sent, other, patient()), sent);
    assert.deepEqual(shown(made), ["ho"]);
  });

  test("an edit that changes nothing counts as sent, one of what is gone is refused, and buttons go when there are none", async (t) => {
    const made = await world(t);
    const { part } = made.adapter.renderQuestion("Really?", [[{ label: "Yes", data: "y" }]]);
    const sent = await made.adapter.send(toAnn, { part, nonce: "n" }, patient());
    assert.ok("sent" in sent);
    assert.deepEqual(await made.adapter.edit(toAnn, sent.sent, part, patient()), sent);
    assert.deepEqual(
      await made.adapter.edit(toAnn, sent.sent, { body: part.body, plain: "" }, patient()),
      sent,
    );
    assert.deepEqual(
      made.telegram.shown(withAnn).map(({ buttons }) => buttons),
      [[]],
    );
    assert.deepEqual(await made.adapter.remove(toAnn, sent.sent, patient()), sent);
    assert.deepEqual(await made.adapter.remove(toAnn, sent.sent, patient()), sent, "it is gone already");
    assert.match(JSON.stringify(await made.adapter.edit(toAnn, sent.sent, part, patient())), /"refused"/);
  });

  test("a group that has become a supergroup is written to under its new id", async (t) => {
    const made = await world(t);
    const [before, after] = [group(-5, "Team"), group(-1005, "Team")];
    made.telegram.open(before);
    made.telegram.move(before, after);
    assert.ok(
      "sent" in (await made.adapter.send({ ...toAnn, chat: "-5" }, sendingOf(made.adapter, "x"), patient())),
    );
    assert.deepEqual(
      made.telegram.shown(after).map(({ text }) => text),
      ["x"],
    );
  });

  test("B3: a picture is shown as one up to 10 MB, a bigger one and everything else is a document up to 50 MB", async (t) => {
    const made = await world(t);
    const big = Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)]);
    const files = [
      await fileOf(t, png, "a.png", "image/png"),
      await fileOf(t, big, "b.png", "image/png"),
      await fileOf(t, Buffer.from("no picture"), "c.png", "image/png"),
      await fileOf(t, Buffer.from("GIF89a"), "d.gif", "image/gif"),
      await fileOf(t, Buffer.from("text"), 'we"ird; näme.txt', "text/plain"),
    ];
    for (const file of files) {
      const { part } = sendingOf(made.adapter, "**below**");
      const sent = await made.adapter.send(toAnn, { part: { ...part, file }, nonce: "n" }, patient());
      assert.ok("sent" in sent, JSON.stringify(sent));
    }
    const sent = made.telegram
      .shown(withAnn)
      .map(({ text, entities, file }) => [file?.kind, file?.name, file?.bytes.length, text, entities.length]);
    assert.deepEqual(sent, [
      ["photo", "a.png", png.length, "below", 1],
      ["document", "b.png", big.length, "below", 1],
      ["document", "c.png", 10, "below", 1],
      ["document", "d.gif", 6, "below", 1],
      ["document", "we_ird_ näme.txt", 4, "below", 1],
    ]);
  });

  test("B3: a file that is too big, empty or gone is refused with the reason, and nothing is sent", async (t) => {
    const made = await world(t);
    const send = (file: OutFile): Promise<SendResult> =>
      made.adapter.send(toAnn, { part: { body: "", plain: "", file }, nonce: "n" }, patient());
    const huge = await fileOf(t, Buffer.alloc(50 * 1024 * 1024 + 1), "huge.bin", "application/octet-stream");
    assert.match(JSON.stringify(await send(huge)), /"refused":"The file huge.bin is larger than the 50 MB/);
    assert.match(
      JSON.stringify(await send(await fileOf(t, Buffer.alloc(0), "e.txt", "text/plain"))),
      /"refused":".*empty/,
    );
    assert.match(
      JSON.stringify(await send({ ...huge, path: `${huge.path}-gone` })),
      /"refused":".*no longer there/,
    );
    assert.deepEqual(made.telegram.deeds(withAnn), []);
  });

  test("words that are too long to stand below a file are cut", async (t) => {
    const made = await world(t);
    const file = await fileOf(t, Buffer.from("x"), "a.txt", "text/plain");
    const { part } = sendingOf(made.adapter, "word ".repeat(500));
    assert.ok("sent" in (await made.adapter.send(toAnn, { part: { ...part, file }, nonce: "n" }, patient())));
    assert.ok((shown(made)[0]?.length ?? 0) > 1000);
  });

  test("whoever has pressed a button is told something short", async (t) => {
    const made = await world(t);
    const sent = await made.adapter.send(toAnn, sendingOf(made.adapter, "x"), patient());
    assert.ok("sent" in sent);
    const press = made.telegram.press(withAnn, ann, Number(sent.sent), "y");
    await made.adapter.acknowledge(press, "word ".repeat(100), patient());
    assert.equal(made.telegram.answered(press)?.length, 200);
    await made.adapter.acknowledge(press, "twice", patient());
  });

  test("a file that somebody has sent is fetched, up to a size, and what goes wrong is said", async (t) => {
    const made = await world(t);
    await made.start();
    const bytes = Buffer.alloc(100_000, 7);
    made.telegram.say(withAnn, ann, "", { document: { bytes, name: "a.bin" } });
    await made.until(() => made.events.length === 1);
    const [event] = made.events;
    const file = event?.kind === "message" ? event.files[0] : undefined;
    assert.ok(file);
    const fetched = await made.adapter.fetchFile(file, 200_000, patient());
    assert.ok(fetched instanceof Uint8Array && bytes.equals(fetched));
    const failed = async (change: object, most = 200_000): Promise<string> =>
      JSON.stringify(await made.adapter.fetchFile({ ...file, ...change }, most, patient()));
    assert.match(await failed({}, 50_000), /"failed":"The file a.bin is larger/);
    const { bytes: _size, ...unsized } = file;
    assert.match(JSON.stringify(await made.adapter.fetchFile(unsized, 50_000, patient())), /larger/);
    assert.match(await failed({ handle: "nope" }), /"failed":"The file a.bin could not be fetched/);
    made.telegram.faults.next("download", { kind: "dropped" });
    assert.match(await failed({}), /"failed"/);
  });
});
