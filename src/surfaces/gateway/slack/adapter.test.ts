import assert from "node:assert/strict";
import { test } from "node:test";
import { never, slackWorld } from "./world.suite.ts";

test("what somebody says is handed over with who they are, and acknowledged only when it is stored", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  slack.person("U1", "Ann");
  const storing = Promise.withResolvers<void>();
  world.onTake(() => storing.promise);
  const ts = slack.say("D1", "U1", "hello &lt;you&gt;");
  await world.until(() => world.handed.length === 1);
  assert.equal(slack.sockets.counts.acked, 0, "not before it is stored");
  storing.resolve();
  await slack.settled();
  assert.equal(slack.sockets.counts.acked, 1);
  assert.deepEqual(world.messages(), [
    {
      kind: "message",
      address: { surface: "slack", account: "T0FAKE-U0BOT", chat: "D1" },
      messageId: ts,
      order: ts.padStart(19, "0"),
      at: Math.floor(Number(ts) * 1000),
      from: { id: "U1", name: "Ann", isBot: false },
      room: "direct",
      text: "hello <you>",
      isForBot: true,
      files: [],
    },
  ]);
});

test("what could not be stored is not acknowledged, and is stored when Slack brings it again", async (t) => {
  const world = await slackWorld(t);
  world.onTake(() => {
    world.onTake(() => {});
    throw new Error("disk full");
  });
  world.slack.say("D1", "U1", "hello");
  await world.until(() => world.handed.length === 1);
  await world.slack.until(() => world.slack.openCalls() === 0);
  assert.equal(world.slack.sockets.counts.acked, 0);
  world.slack.sockets.redeliver();
  await world.stored(1);
  await world.slack.settled();
  assert.deepEqual([world.texts(), world.slack.sockets.counts.acked], [["hello"], 1]);
});

test("whoever types a slash command of the app is told what to write instead", async (t) => {
  const world = await slackWorld(t);
  const type = async (command: string, text: string): Promise<string> => {
    const payload = { command, text, channel_id: "C1", user_id: "U1", trigger_id: "1.2.3" };
    world.slack.sockets.deliver({ envelope_id: `${command} ${text}`, type: "slash_commands", payload });
    await world.slack.settled();
    const reply = world.slack.sockets.replies.at(-1) as { response_type: string; text: string };
    assert.equal(reply.response_type, "ephemeral");
    return reply.text;
  };
  assert.match(await type("/talaria", "stop"), /^\/talaria did nothing: .* Send me `!stop` as a message/);
  assert.match(await type("/stop", ""), /Send me `!stop` as/);
  assert.match(await type("/talaria", "/model big"), /Send me `!model big` as/);
  assert.match(await type("/ask", "who <!here> is"), /Send me “who &lt;!here&gt; is” as/);
  assert.match(await type("/ask", ""), /`!help` lists/);
  assert.deepEqual(world.messages(), []);
});

test("what could not be stored is fetched, if Slack does not bring it again", async (t) => {
  const world = await slackWorld(t, { fake: { ackMs: 1 } });
  world.onTake((event) => {
    if (event.kind === "message" && event.text === "one") throw new Error("disk full");
  });
  world.slack.say("D1", "U1", "one");
  await world.slack.until(() => world.slack.sockets.counts.unacknowledged === 0);
  world.slack.say("D1", "U1", "two");
  await world.stored(1);
  world.onTake(() => {});
  await world.clock.advance(20_000);
  await world.stored(2);
  assert.deepEqual(world.texts(), ["two", "one"]);
});

test("an answer, its change and its end are seen in the chat", async (t) => {
  const { slack, adapter, to } = await slackWorld(t);
  slack.room("C1");
  const root = slack.say("C1", "U1", "<@U0BOT> hi");
  const [part] = adapter.render("**done**, see [it](https://example.com/?a=1&b=2)");
  assert.ok(part);
  const sent = await adapter.send(to("C1", root), { part, nonce: "n1" }, never);
  assert.ok("sent" in sent);
  const seen = () => slack.shown("C1").filter(({ isBot }) => isBot);
  assert.deepEqual(
    seen().map(({ text, thread, metadata }) => ({ text, thread, metadata })),
    [
      {
        text: "*done*, see <https://example.com/?a=1&amp;b=2|it>",
        thread: root,
        metadata: { event_type: "talaria_part", event_payload: { nonce: "n1" } },
      },
    ],
  );
  assert.deepEqual(slack.calls.at(-1)?.args["unfurl_links"], "false");
  const [other] = adapter.render("something else");
  assert.deepEqual(await adapter.edit(to("C1", root), sent.sent, other!, never), { sent: sent.sent });
  assert.deepEqual(
    seen().map(({ text }) => text),
    ["something else"],
  );
  assert.deepEqual(await adapter.remove(to("C1", root), sent.sent, never), { sent: sent.sent });
  assert.deepEqual(seen(), []);
  assert.deepEqual(
    await adapter.remove(to("C1", root), sent.sent, never),
    { sent: sent.sent },
    "it is gone already",
  );
});

test("a question shows buttons, a press is handed over, told to whoever pressed, and the buttons go with an edit", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter, to } = world;
  slack.person("U1", "Ann");
  slack.room("C1");
  const root = slack.say("C1", "U1", "<@U0BOT> do it");
  const buttons = [[{ label: "Yes", data: "apr_1:y" }], [{ label: "No", data: "apr_1:n" }]];
  const { part, isCut } = adapter.renderQuestion("May I run `rm -r /tmp/x`?", buttons);
  assert.equal(isCut, false);
  const sent = await adapter.send(to("C1", root), { part, nonce: "n1" }, never);
  assert.ok("sent" in sent);
  assert.deepEqual(slack.shown("C1").at(-1)?.buttons, buttons.flat());
  slack.press("C1", sent.sent, "U1", "apr_1:n");
  await world.until(() => world.presses().length === 1);
  const [press] = world.presses();
  assert.ok(press);
  assert.deepEqual(
    { ...press, press: "", at: 0 },
    {
      kind: "press",
      address: to("C1", root),
      messageId: sent.sent,
      press: "",
      data: "apr_1:n",
      from: { id: "U1", name: "Ann", isBot: false },
      room: "group",
      at: 0,
    },
  );
  await adapter.acknowledge(press.press, "Noted: <no>.", never);
  assert.deepEqual(slack.ephemerals, [
    { channel: "C1", user: "U1", text: "Noted: &lt;no&gt;.", thread: root },
  ]);
  const { buttons: _gone, ...without } = part;
  assert.deepEqual(await adapter.edit(to("C1", root), sent.sent, without, never), { sent: sent.sent });
  assert.deepEqual(slack.shown("C1").at(-1)?.buttons, []);
  assert.equal(slack.shown("C1").at(-1)?.text, "May I run `rm -r /tmp/x`?");
});

test("a mention opens a thread of its own, and who goes on in that thread need not name the bot again", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  const root = slack.say("C1", "U1", "<@U0BOT> which one?");
  await world.stored(1);
  slack.say("C1", "U1", "the second", { thread: root });
  slack.say("C1", "U2", "lunch?");
  await world.stored(3);
  assert.deepEqual(
    world
      .messages()
      .map(({ text, address, isForBot, replyTo, roomName }) => [
        text,
        address.thread,
        isForBot,
        replyTo,
        roomName,
      ]),
    [
      ["which one?", root, true, undefined, "room-c1"],
      ["the second", root, true, root, "room-c1"],
      ["lunch?", undefined, false, undefined, "room-c1"],
    ],
  );
});

test("a thread is known as one of ours after a restart, and others' threads are not", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  slack.sockets.lose(true);
  const ours = slack.say("C1", "U1", "<@U0BOT> which one?");
  const theirs = slack.say("C1", "U1", "lunch?");
  slack.sockets.lose(false);
  slack.say("C1", "U1", "the second", { thread: ours });
  slack.say("C1", "U2", "yes", { thread: theirs });
  slack.say("C1", "U2", "at noon", { thread: theirs });
  await world.stored(3);
  assert.deepEqual(
    world.messages().map(({ text, isForBot }) => [text, isForBot]),
    [
      ["the second", true],
      ["yes", false],
      ["at noon", false],
    ],
  );
  assert.equal(
    slack.calls.filter(({ method }) => method === "conversations.replies").length,
    2,
    "each thread is asked for once",
  );
});

test("when it cannot be found out whom a reply is for, it is not taken for somebody else's: Slack brings it again", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  slack.sockets.lose(true);
  const ours = slack.say("C1", "U1", "<@U0BOT> which one?");
  slack.sockets.lose(false);
  slack.faults.next("conversations.replies", { kind: "status", status: 500 });
  slack.say("C1", "U1", "the second", { thread: ours });
  await slack.until(
    () => slack.calls.some(({ method }) => method === "conversations.replies") && slack.openCalls() === 0,
  );
  assert.deepEqual([world.texts(), slack.sockets.counts.acked], [[], 0]);
  slack.sockets.redeliver();
  await world.stored(1);
  assert.deepEqual(
    world.messages().map(({ text, isForBot }) => [text, isForBot]),
    [["the second", true]],
  );
});

test("files come with a message, and their bytes are fetched up to a limit", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter } = world;
  const bytes = Buffer.from("picture");
  slack.say("D1", "U1", "look", {
    files: [
      { name: "a.png", mimetype: "image/png", bytes },
      { name: "note", mimetype: "video/webm", subtype: "slack_audio", bytes },
      { name: "x.pdf", mimetype: "application/pdf", bytes },
    ],
  });
  await world.stored(1);
  const [message] = world.messages();
  assert.deepEqual(
    message?.files.map(({ kind, name, mediaType, bytes: size }) => [kind, name, mediaType, size]),
    [
      ["image", "a.png", "image/png", 7],
      ["voice", "note", "video/webm", 7],
      ["file", "x.pdf", "application/pdf", 7],
    ],
  );
  const [file] = message!.files;
  assert.deepEqual(await adapter.fetchFile(file!, 100, never), bytes);
  assert.deepEqual(await adapter.fetchFile(file!, 6, never), { failed: "a.png is larger than 0 MiB." });
  assert.deepEqual(
    slack.calls.filter(({ method }) => method === "files.info"),
    [],
    "the message had said where it is",
  );
  slack.faults.next("files", { kind: "status", status: 404 });
  assert.deepEqual(await adapter.fetchFile(file!, 100, never), bytes, "Slack says where it is now");
  slack.faults.next("files", { kind: "status", status: 404 });
  slack.faults.next("files.info", { kind: "error", error: "unknown_method" });
  assert.deepEqual(await adapter.fetchFile(file!, 100, never), {
    failed: "a.png could not be fetched. Slack answered with HTTP 404.",
  });
  const [unaddressed = ""] = file!.handle.split(" ");
  assert.deepEqual(await adapter.fetchFile({ ...file!, handle: unaddressed }, 100, never), bytes);
  slack.faults.next("files", { kind: "dropped" });
  assert.ok("failed" in (await adapter.fetchFile(file!, 100, never)));
});

test("names that Slack does not tell in time do not hold a message up", async (t) => {
  const world = await slackWorld(t);
  world.slack.faults.next("users.info", { kind: "hang", done: false });
  world.slack.say("D1", "U7", "hello");
  await world.slack.until(() => world.slack.calls.some(({ method }) => method === "users.info"));
  await world.clock.advance(2000);
  await world.stored(1);
  assert.deepEqual(world.messages()[0]?.from, { id: "U7", name: "U7", isBot: false });
});
