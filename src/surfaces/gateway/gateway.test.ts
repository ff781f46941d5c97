import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chatApp } from "../../../test/fakes/chat-app.ts";
import { asTyped, commandIn } from "./command-line.ts";
import { calls, gatewayWorld, says } from "./gateway-world.suite.ts";

describe("a conversation in a chat", () => {
  test("is answered once, and goes on in one session", async (t) => {
    const { app, host } = await gatewayWorld(t, { steps: [says("Hello to you."), says("Still here.")] });
    await app.say("hi");
    await app.shows("c1", (all) => all.length === 1);
    await app.say("again");
    await app.shows("c1", (all) => all.length === 2);
    assert.deepEqual(app.texts(), ["Hello to you.", "Still here."]);
    const chats = await host().gateway.chats.list(10);
    assert.equal(chats.length, 1);
    assert.deepEqual(
      app.shown().map(({ replyTo }) => replyTo),
      ["1", "2"],
    );
  });

  test("takes a message that is delivered again and again once", async (t) => {
    const { app } = await gatewayWorld(t, { steps: [says("One."), says("Two.")] });
    const first = app.message({ text: "hi" });
    await Promise.all(Array.from({ length: 20 }, () => app.deliver(first)));
    await app.shows("c1", (all) => all.length === 1);
    await app.deliver(first);
    await app.say("next");
    await app.shows("c1", (all) => all.length === 2);
    assert.deepEqual(app.texts(), ["One.", "Two."]);
  });

  test("puts pieces of a message together, in the order of the platform", async (t) => {
    const { app, model } = await gatewayWorld(t, { steps: [says("Read.")] });
    await Promise.all(
      ["3", "1", "2"].map((messageId) => app.deliver(app.message({ messageId, text: `part ${messageId}` }))),
    );
    await app.shows("c1", (all) => all.length === 1);
    assert.match(JSON.stringify(model.requests.at(-1)), /part 1\\+n\\+npart 2\\+n\\+npart 3/);
  });

  test("has the words that it answers, told apart as text from outside", async (t) => {
    const { app, model } = await gatewayWorld(t, { steps: [says("Seen.")] });
    await app.say("what of this?", { quoted: { from: "Eve", text: "The owner likes owls." } });
    await app.shows("c1", (all) => all.length === 1);
    const asked = JSON.stringify(model.requests.at(-1));
    assert.match(
      asked,
      /what of this\?\\n\\nWhat stands between .* came from the message of Eve that this one answers/,
    );
    assert.match(asked, /begin of outside text [0-9a-f]{16} -----\\nThe owner likes owls\./);
  });

  test("says once of what could not be read or fetched that it could not", async (t) => {
    const { app, model } = await gatewayWorld(t, { steps: [says("Never.")] });
    await app.say("", { unreadable: "polls" });
    await app.shows("c1", (all) => all.length === 1);
    await app.say("", { files: [{ handle: "lost", kind: "file", name: "lost.txt" }] });
    await app.shows("c1", (all) => all.length === 2);
    assert.deepEqual(app.texts(), [
      "I can't read polls. Please write what you want to tell me.",
      "The file lost.txt could not be fetched.",
    ]);
    assert.equal(model.requests.length, 0);
  });

  test("with a stranger is a code for the owner, and nothing else", async (t) => {
    const { app, model } = await gatewayWorld(t, { steps: [says("Never.")] });
    await app.say("let me in", { from: "9", chat: "c9" });
    const [shown] = await app.shows("c9", (all) => all.length === 1);
    assert.match(shown?.text ?? "", /talaria gateway pair [A-Z2-9]{8}/);
    assert.equal(model.requests.length, 0);
  });

  test("with a stranger in a group is silence", async (t) => {
    const { app, model } = await gatewayWorld(t, { steps: [says("Here.")] });
    await app.say("hello bot", { from: "9", chat: "g1", room: "group" });
    await app.say("hi");
    await app.shows("c1", (all) => all.length === 1);
    assert.deepEqual(app.texts("g1"), []);
    assert.equal(model.requests.length, 1);
  });
});

describe("an approval in a chat", () => {
  test("shows the whole action with buttons, is answered once, and says what became of it", async (t) => {
    const steps = [calls("terminal", { command: "touch /etc/owl", sandbox: "off" }), says("Done with it.")];
    const { app } = await gatewayWorld(t, { steps });
    await app.say("do it");
    const [asked] = await app.shows("c1", (all) => all.some(({ buttons }) => buttons.length > 0));
    const question = app.shown().find(({ buttons }) => buttons.length > 0) ?? asked;
    assert.match(question?.text ?? "", /touch \/etc\/owl/);
    const deny = question?.buttons.find(({ label }) => label === "Deny");
    assert.ok(deny !== undefined && Buffer.byteLength(deny.data) <= 64);
    assert.ok(!question?.buttons.some(({ data }) => data.includes("always")));
    await app.press(deny.data, { press: "first" });
    await app.press(deny.data, { press: "second" });
    await app.shows("c1", (all) => all.some(({ text }) => text === "Done with it."));
    await app.acknowledges((all) => all.length === 2);
    assert.deepEqual(app.acknowledged[0]?.text, "Done.");
    assert.match(app.acknowledged[1]?.text ?? "", /answered before|no longer open/);
    await app.shows("c1", (all) => all.every(({ buttons }) => buttons.length === 0));
    const closed = app.shown().find(({ id }) => id === question?.id);
    assert.match(closed?.text ?? "", /Denied by/);
    assert.doesNotMatch(closed?.text ?? "", /\/approve/);
    assert.equal(closed?.before.length, 1);
  });
});

describe("commands in a chat", () => {
  test("are named as they are typed there", async (t) => {
    const { app } = await gatewayWorld(t, { apps: [chatApp("slack")] });
    await app.say("!help stop");
    const [help] = await app.shows("c1", (all) => all.length > 0);
    assert.match(help?.text ?? "", /^```\n!stop/);
    assert.equal(
      asTyped("slack", "`/stop` ends /tmp/stop and /stop/it, (/new)."),
      "`!stop` ends /tmp/stop and /stop/it, (!new).",
    );
  });

  test("that stop stop whatever stands behind them", () => {
    for (const line of ["/stop", "/stop now, please", "!stop it", "/abort@bot all"])
      assert.match(commandIn(line) ?? "", /^\/(?:stop|abort)$/);
  });

  test("answer with columns that stay columns, and with nothing that is taken for markdown", async (t) => {
    const { app } = await gatewayWorld(t, {});
    await app.say("/status");
    const [status] = await app.shows("c1", (all) => all.length > 0);
    assert.match(status?.text ?? "", /^```\ntalaria {4}test\n[\s\S]*\n```$/);
  });
});
