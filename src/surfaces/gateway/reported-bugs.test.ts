import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chatApp } from "../../../test/fakes/chat-app.ts";
import { calls, gatewayWorld, says } from "./gateway-world.suite.ts";

const slowly = (word: string): object => ({
  when: word,
  reply: [{ slow: { ms: 30 } }, { text: `Done ${word}.` }],
});
const hangs = { reply: [{ text: "Begun" }, { hang: true }] };
/** With streaming, what is written so far stands before it. */
const isStatus = (text: string): boolean => text.includes("⏳");

/** What people have reported of other gateways. The adapters' own are tested with them. */
describe("reported of other gateways", () => {
  test("8: what is shown on the way and the answer do not both stay", async (t) => {
    const { app } = await gatewayWorld(t, {
      settings: "  stream: true",
      steps: [{ reply: [{ slow: { ms: 400 } }, { text: "The answer." }] }],
    });
    await app.say("hi");
    await app.shows("c1", (all) => all.some(({ text }) => isStatus(text)));
    await app.shows("c1", (all) => all.length === 1 && all[0]?.text === "The answer.");
  });

  test("9: a flood limit on the way leaves one whole answer", async (t) => {
    const { app } = await gatewayWorld(t, {
      steps: [{ reply: [{ slow: { ms: 400 } }, { text: `${"a".repeat(400)}${"b".repeat(400)}` }] }],
    });
    let count = 0;
    app.goesWrong((call) => (call !== "typing" && (count += 1) % 2 === 1 ? { heldMs: 50 } : undefined));
    await app.say("hi");
    await app.shows("c1", (all) => all.filter(({ text }) => !isStatus(text)).length === 2);
    assert.deepEqual(
      app.texts().filter((text) => !isStatus(text)),
      ["a".repeat(400), "b".repeat(400)],
    );
  });

  test("13: a restart loses nothing that waited", async (t) => {
    const world = await gatewayWorld(t, {
      steps: [{ when: "first", reply: [{ hang: true }] }, says("Second done.", "second")],
    });
    const { app } = world;
    await app.say("first");
    await until(() => world.model.requests.length === 1);
    await app.say("second");
    await app.shows("c1", (all) => all.some(({ text }) => text.startsWith("Queued")));
    await world.stop();
    await world.start();
    await app.shows("c1", (all) => all.some(({ text }) => text === "Second done."));
    const texts = app.texts();
    assert.equal(texts.filter((text) => /interrupted/.test(text)).length, 1);
    assert.equal(texts.filter((text) => text === "Second done.").length, 1);
    assert.ok(texts.findIndex((text) => /interrupted/.test(text)) < texts.indexOf("Second done."));
  });

  test("13: a message that came while the bot was away is answered", async (t) => {
    const world = await gatewayWorld(t, { steps: [says("There you are.")] });
    await world.stop();
    await world.app.say("anybody?");
    await world.start();
    await world.app.shows("c1", (all) => all.length === 1);
    assert.deepEqual(world.app.texts(), ["There you are."]);
  });

  test("15: a message that comes at a restart is answered after what goes on, and never beside it", async (t) => {
    const world = await gatewayWorld(t, {
      steps: [{ when: "first", reply: [{ hang: true }] }, slowly("second"), slowly("third")],
    });
    const { app } = world;
    await app.say("first");
    await until(() => world.model.requests.length === 1);
    await app.say("second");
    await app.shows("c1", (all) => all.some(({ text }) => text.startsWith("Queued")));
    await world.stop();
    await Promise.all([world.start(), app.say("third")]);
    await app.shows("c1", (all) => all.some(({ text }) => text === "Done third."));
    const answers = app.texts().filter((text) => text.startsWith("Done"));
    assert.deepEqual(answers, ["Done second.", "Done third."]);
    assert.match(
      JSON.stringify(world.model.requests[2]?.body),
      /Done second/,
      "it knew the answer before it",
    );
    assert.equal(world.model.requests.length, 3);
  });

  test("17: /stop ends what runs and what waits, is never text, and is never answered late", async (t) => {
    const { app, model, host } = await gatewayWorld(t, {
      steps: [{ ...hangs, when: "long" }, says("Fresh.", "fresh")],
    });
    await app.say("long work");
    await until(() => model.requests.length === 1);
    await app.say("and this");
    await app.shows("c1", (all) => all.some(({ text }) => text.startsWith("Queued")));
    await app.say("/stop");
    await app.shows("c1", (all) => all.some(({ text }) => /interrupted/.test(text)));
    await app.say("fresh start");
    await app.shows("c1", (all) => all.some(({ text }) => text === "Fresh."));
    assert.ok(!JSON.stringify(model.requests).includes("/stop"));
    const ends = app.texts().filter((text) => /interrupted|Stopped|Set aside/.test(text));
    assert.equal(ends.length, 2, "of the turn once, and what was set aside");
    assert.ok(
      ends.every((text) => !text.includes("Stopped")),
      ends.join(),
    );
    assert.deepEqual(await host().gateway.received.open("telegram", app.account), []);
  });

  test("17: /stop takes back what was typed a moment before", async (t) => {
    const { app, model, host } = await gatewayWorld(t, { steps: [says("Never.")] });
    await until(app.isConnected);
    await app.say("do not do this");
    await app.say("/stop");
    await until(async () => (await host().gateway.received.open("telegram", app.account)).length === 0);
    assert.equal(model.requests.length, 0);
  });

  for (const [busy, word] of [
    ["queue", /^Queued/],
    ["steer", /^Passed on|^Queued|can't tell/],
    ["interrupt", /interrupted/],
  ] as const)
    test(`18: a message while a turn runs is acknowledged (${busy})`, async (t) => {
      const steps = [{ ...hangs, when: "long" }, says("After.", "next")];
      const { app, model } = await gatewayWorld(t, { settings: `  busy: ${busy}`, steps });
      await app.say("long work");
      await until(() => model.requests.length === 1);
      await app.say("next please");
      await app.shows("c1", (all) => all.some(({ text }) => word.test(text)));
    });

  test("19: a button that is pressed after a restart says that it is too late, and its message loses it", async (t) => {
    const steps = [calls("terminal", { command: "touch /etc/owl", sandbox: "off" }), says("Not done.")];
    const world = await gatewayWorld(t, { steps });
    const { app } = world;
    await app.say("do it");
    const asked = await app.shows("c1", (all) => all.some(({ buttons }) => buttons.length > 0));
    const data =
      asked.flatMap(({ buttons }) => buttons).find(({ label }) => label === "Allow once")?.data ?? "";
    await world.stop();
    await world.start();
    await app.shows("c1", (all) => all.every(({ buttons }) => buttons.length === 0));
    await app.press(data, { press: "late" });
    await app.acknowledges((all) => all.length === 1);
    assert.match(app.acknowledged[0]?.text ?? "", /before|no longer open/);
  });

  test("19: whoever may not answer is told so, and nothing is done", async (t) => {
    const steps = [calls("terminal", { command: "touch /etc/owl", sandbox: "off" }), says("Refused.")];
    const { app, allow } = await gatewayWorld(t, { steps });
    await allow("2", "member");
    await app.say("do it");
    const asked = await app.shows("c1", (all) => all.some(({ buttons }) => buttons.length > 0));
    const data = asked.flatMap(({ buttons }) => buttons)[0]?.data ?? "";
    await app.press(data, { from: "2", press: "member" });
    await app.press(data, { from: "9", press: "stranger" });
    await app.acknowledges((all) => all.length === 2);
    assert.match(app.acknowledged.map(({ text }) => text).join("|"), /may not.*\|.*may not|may not/);
    assert.ok(
      app.shown().some(({ buttons }) => buttons.length > 0),
      "the question is still open",
    );
  });

  test("20: a question that is longer than a message comes with all of it in a file", async (t) => {
    const command = `touch /etc/owl ${"x".repeat(3000)}`;
    const { app } = await gatewayWorld(t, {
      steps: [calls("terminal", { command, sandbox: "off" }), says("No.")],
    });
    await app.say("do it");
    await app.shows(
      "c1",
      (all) => all.some(({ buttons }) => buttons.length > 0) && all.some(({ file }) => file !== undefined),
    );
  });

  test("21: what a member's turn wants is asked of the owner, in the owner's chat", async (t) => {
    const steps = [
      says("Hello owner."),
      calls("terminal", { command: "touch /etc/owl", sandbox: "off" }),
      says("Could not."),
    ];
    const { app, allow } = await gatewayWorld(t, { steps });
    await allow("2", "member");
    await app.say("hi");
    await app.shows("c1", (all) => all.length === 1);
    await app.say("do it", { from: "2", chat: "c2" });
    const asked = await app.shows("c1", (all) => all.some(({ buttons }) => buttons.length > 0));
    assert.match(asked.at(-1)?.text ?? "", /Person 2/);
    assert.ok(app.shown("c2").every(({ buttons }) => buttons.length === 0));
    assert.ok(app.texts("c2").some((text) => /owner's approval/.test(text)));
  });

  test("22, 23: answers go where they were asked for, whoever writes meanwhile", async (t) => {
    const steps = ["one", "two", "three"].map((word) => ({
      when: `topic ${word}`,
      reply: [{ slow: { ms: 30 } }, { text: `about ${word}` }],
    }));
    const { app, allow } = await gatewayWorld(t, { steps });
    await allow("2", "member");
    await app.say("topic one", { chat: "g1", thread: "7", room: "group" });
    await app.say("topic two", { chat: "g1", thread: "8", room: "group", from: "2" });
    await app.say("topic three", { chat: "c1" });
    await app.shows("g1/7", (all) => all.some(({ text }) => text === "about one"));
    await app.shows("g1/8", (all) => all.some(({ text }) => text === "about two"));
    await app.shows("c1", (all) => all.some(({ text }) => text === "about three"));
    for (const [chat, word] of [
      ["g1/7", "one"],
      ["g1/8", "two"],
      ["c1", "three"],
    ] as const)
      assert.deepEqual(
        app.texts(chat).filter((text) => !isStatus(text)),
        [`about ${word}`],
      );
  });

  test("24: a person always gets an answer, also one that looks like a control word", async (t) => {
    const { app } = await gatewayWorld(t, { steps: [says("[SILENT]")] });
    await app.say("hi");
    await app.shows("c1", (all) => all.length === 1);
    assert.deepEqual(app.texts(), ["[SILENT]"]);
  });

  test("25: typing ends with the turn, also when the platform never answers a typing call", async (t) => {
    const { app } = await gatewayWorld(t, { steps: [says("Done.")] });
    app.goesWrong((call) => (call === "typing" ? "hang" : undefined));
    await app.say("hi");
    await app.shows("c1", (all) => all.some(({ text }) => text === "Done."));
    const typed = app.typed();
    assert.ok(typed <= 2, `${typed} typing calls`);
  });

  test("a dead bot is told to the owner on another platform", async (t) => {
    const [telegram, slack] = [chatApp("telegram"), chatApp("slack")];
    const { host } = await gatewayWorld(t, { apps: [telegram, slack], steps: [says("Hi.")] });
    await slack.say("hi");
    await slack.shows("c1", (all) => all.length === 1);
    assert.ok((await host().gateway.people.list()).some(({ direct }) => direct?.surface === "slack"));
  });
});

async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise(setImmediate);
}
