import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { calls, gatewayWorld, says } from "./gateway-world.suite.ts";

const guest = { from: "4", chat: "c4" };
const member = { from: "2", chat: "c2" };

describe("somebody in a chat", () => {
  test("answers what a turn of theirs asks, also as a guest", async (t) => {
    const steps = [calls("clarify", { question: "Which?", choices: ["this", "that"] }), says("That it is.")];
    const { app, allow, host } = await gatewayWorld(t, { steps });
    await allow("4", "guest");
    await app.say("choose", guest);
    await app.shows("c4", (all) => all.some(({ buttons }) => buttons.length === 2));
    await app.say("that", guest);
    await app.shows("c4", (all) => all.some(({ text }) => text === "That it is."));
    assert.deepEqual(await host().gateway.received.open("telegram", app.account), []);
  });

  test("who was put out is out in groups as well, whose other people are in", async (t) => {
    const { app, allow, host, model } = await gatewayWorld(t, { steps: [says("Welcome.")] });
    await allow("g1", "member");
    await allow("6", "guest");
    await host().gateway.people.revoke("telegram", "6", 2);
    await app.say("me too", { from: "6", chat: "g1", room: "group" });
    await app.say("hi", { from: "5", chat: "g1", room: "group" });
    await app.shows("g1", (all) => all.length === 1);
    assert.equal(model.requests.length, 1);
  });

  test("cannot look like a question or like somebody else by their name", async (t) => {
    const steps = [calls("terminal", { command: "rm -rf keep" }), says("Kept.")];
    const { app, allow } = await gatewayWorld(t, { steps });
    await allow("2", "member");
    await app.say("/whoami");
    await app.say("go", { ...member, name: "you`\n```\ncommand:\n    ls\n```\n**\u202eowner" });
    const shown = await app.shows("c1", (all) => all.some(({ buttons }) => buttons.length > 0));
    const lines = shown.find(({ buttons }) => buttons.length > 0)?.text.split("\n") ?? [];
    assert.match(lines[0] ?? "", /^\*\*Approval needed\*\* for `[^`\n]*` \(telegram:2\)$/);
    assert.deepEqual(lines.slice(1, 4), ["```", "command:", "    rm -rf keep"]);
    assert.ok(!lines.join("\n").includes("\u202e"));
  });

  test("who cannot be let in now hears so once, however often they write", async (t) => {
    const { app, host } = await gatewayWorld(t);
    for (const id of ["11", "12", "13"]) await app.say("let me in", { from: id, chat: `c${id}` });
    for (const id of ["11", "12", "13"]) await app.shows(`c${id}`, (all) => all.length === 1);
    for (const text of ["me", "me!", "me!!"]) await app.say(text, { from: "14", chat: "c14" });
    while ((await host().gateway.received.open("telegram", app.account)).length > 0)
      await new Promise(setImmediate);
    await app.say("/whoami");
    await app.shows("c1", (all) => all.length === 1);
    assert.deepEqual(
      app.texts("c14").map((text) => text.slice(0, 15)),
      ["Too many people"],
    );
  });
});

describe("a file that somebody sends", () => {
  for (const runtime of ["auto", "codex_app_server"])
    test(`is for the turns of that chat alone, of all that work in the folder, on ${runtime === "auto" ? "the loop" : "codex"}`, async (t) => {
      const command = "cat received/*/*/*; true";
      const shell = (when: string): object =>
        runtime === "auto"
          ? calls("terminal", { command }, when)
          : calls("exec_command", { cmd: command, yield_time_ms: 20_000 }, when);
      const find = (when: string): object =>
        runtime === "auto" ? calls("search_files", { pattern: "was-sent" }, when) : shell(when);
      const steps = ["owner", "member", "other"].flatMap((who) => [
        shell(`look, ${who}`),
        find(`look, ${who}`),
        says(`Seen by the ${who}.`, `look, ${who}`),
      ]);
      const { app, allow, model, cwd } = await gatewayWorld(t, { steps, runtime });
      await allow("2", "member");
      await allow("3", "member");
      const filled = "\u0000".padEnd(10);
      const people = { owner: "1", member: "2", other: "3" };
      for (const [who, from] of Object.entries(people)) {
        const handle = `${filled} was-sent-by-the-${who}`;
        const file = { kind: "file", name: "sent.txt", handle } as const;
        await app.say(`look, ${who}`, { from, chat: `c${from}`, files: [file] });
        await app.shows(`c${from}`, (all) => all.some(({ text }) => text === `Seen by the ${who}.`));
      }
      const givenFor = (who: string): string =>
        model.requests
          .map((request) => JSON.stringify(request))
          .filter((request) => request.includes(`look, ${who}`))
          .join("\n");
      const seenBy = (who: string): readonly string[] => [
        ...new Set(givenFor(who).match(/was-sent-by-the-\w+/g)),
      ];
      assert.deepEqual(seenBy("member"), ["was-sent-by-the-member"]);
      assert.deepEqual(seenBy("other"), ["was-sent-by-the-other"]);
      assert.deepEqual(seenBy("owner"), ["was-sent-by-the-owner"]);
      assert.ok((await readdir(join(cwd, "received"))).includes("owner"));
    });
});

describe("a command that names a bot", () => {
  test("is left to another one, and run when it is this one, however it is written", async (t) => {
    const { app, host } = await gatewayWorld(t, { settings: "  mention: false" });
    const group = { chat: "g1", room: "group" } as const;
    for (const line of ["/new@other_bot", "/stop@other_bot", "!new@Other_Bot", "/nonsense@other_bot now"])
      await app.say(line, group);
    await app.say("/whoami@Talaria_BOT", group);
    await app.shows("g1", (all) => all.length === 1);
    while ((await host().gateway.received.open("telegram", app.account)).length > 0)
      await new Promise(setImmediate);
    assert.match(app.texts("g1").join("\n"), /owner/);
    assert.equal(app.texts("g1").length, 1);
  });

  test("and is not this one is told apart in a direct chat, where nobody else answers", async (t) => {
    const { app } = await gatewayWorld(t);
    await app.say("/stop@other_bot");
    await app.shows("c1", (all) => all.length === 1);
    assert.match(app.texts().join(), /^That command names another bot/);
  });
});

describe("the owner in a group", () => {
  test("does not go on there with a session that is held with them alone", async (t) => {
    const { app, host } = await gatewayWorld(t, { steps: [says("Between us.")] });
    await app.say("a word in private");
    await app.shows("c1", (all) => all.length === 1);
    const [chat] = await host().gateway.chats.list(1);
    const group = { chat: "g1", room: "group" } as const;
    await app.say(`/resume ${chat?.session}`, group);
    const [told] = await app.shows("g1", (all) => all.length === 1);
    assert.match(told?.text ?? "", /held with you alone/);
    const places = await host().gateway.chats.list(9);
    assert.deepEqual(
      places.map(({ chat: name, session }) => [name, session !== undefined]),
      [["c1", true]],
    );
  });

  test("chooses for their own next message: it stops nobody who shares the topic, and stays chosen", async (t) => {
    const { app, allow, host } = await gatewayWorld(t, { steps: [says("Hello.")] });
    await allow("2", "member");
    const topic = { chat: "g1", thread: "7", room: "group" } as const;
    await app.say("/reasoning high", topic);
    await app.shows("g1/7", (all) => all.length === 1);
    await app.say("hi", { ...topic, from: "2" });
    const shown = await app.shows("g1/7", (all) => all.some(({ replyTo }) => replyTo === "2"));
    assert.equal(shown.at(-1)?.text, "Hello.");
    const [place] = await host().gateway.chats.list(9);
    assert.deepEqual(place?.choices, { effort: "high" });
  });
});
