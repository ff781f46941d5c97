import assert from "node:assert/strict";
import { after, test } from "node:test";
import { badProgram, goodProgram } from "../../../test/fakes/mcp-server/programs.ts";
import { inFence, left, longWaits, mcpWorld, until } from "./mcp-world.suite.ts";

after(async () => assert.deepEqual(await left(), [], "no process is left"));

const answers = { dish: "soup", many: "2", now: "yes", note: "" };

test("a question of a server reaches the person as a form that names it, and the answers go back in its types", async () => {
  await using world = await mcpWorld({ good: goodProgram }, { answers: async () => answers });
  await world.ready();
  const { output } = await world.call("mcp__good__order");
  assert.deepEqual(JSON.parse(inFence(output)), {
    action: "accept",
    content: { dish: "soup", many: 2, now: true },
  });
  assert.deepEqual(world.forms, [
    {
      title: "The MCP server good asks: What shall it be?",
      fields: [
        { name: "dish", label: "dish", options: ["soup", "salad"] },
        { name: "many", label: "How many" },
        { name: "now", label: "now", options: ["yes", "no"] },
        { name: "note", label: "note (may stay empty)" },
      ],
    },
  ]);
});

test("an answer that does not fit is asked for once more, then the question is given up", async () => {
  const given = [{ ...answers, many: "two" }, answers];
  await using world = await mcpWorld(
    { good: goodProgram },
    { answers: async () => given.shift() ?? { ...answers, many: "1.5" } },
  );
  await world.ready();
  assert.match((await world.call("mcp__good__order")).output, /"action":"accept"/);
  assert.match(world.forms[1]?.title ?? "", /\n"How many" needs a whole number\.$/);
  const { output } = await world.call("mcp__good__order");
  assert.equal(inFence(output), '{"action":"cancel"}');
  assert.match(output, /\[good asked a question, and the answer did not fit it\.\]$/);
});

test("a server that asks for a password or wants an address opened is declined, and nobody is bothered", async () => {
  const servers = { good: goodProgram, asks: badProgram("asks"), samples: badProgram("samples") };
  await using world = await mcpWorld(servers, { answers: async () => ({ password: "hunter2" }) });
  await world.ready();
  const login = await world.call("mcp__good__login");
  assert.equal(inFence(login.output), '{"action":"decline"}');
  assert.match(
    login.output,
    /\[good asked for something that looks like a secret \(password\)\. It was declined/,
  );
  const url = await world.call("mcp__asks__work");
  assert.doesNotMatch(inFence(url.output), /"action":"accept"/);
  assert.match(inFence((await world.call("mcp__samples__work")).output), /"code":-32601/);
  assert.deepEqual(world.forms, []);
});

test("nobody there, a server that may not ask, and calls of two conversations at once: no answer is given", async () => {
  const open = Promise.withResolvers<typeof answers>();
  const clock = longWaits();
  const servers = { good: { ...goodProgram, timeout: 10 }, mute: { ...goodProgram, elicitation: false } };
  let isOpen = false;
  await using world = await mcpWorld(servers, {
    clock,
    answers: async () => (isOpen ? open.promise : undefined),
  });
  await world.ready();
  const none = await world.call("mcp__good__order");
  assert.equal(inFence(none.output), '{"action":"decline"}');
  assert.match(none.output, /\[good asked a question, and it was not answered\.\]$/);
  const mute = await world.call("mcp__mute__order");
  assert.equal(mute.ok, false);
  assert.equal(world.forms.length, 1);

  isOpen = true;
  const first = world.call("mcp__good__order", {}, { session: "ses_0000000001" });
  await until(() => world.forms.length === 2);
  await clock.advance(60_000); // the person may think longer than a call may take
  const second = await world.call("mcp__good__order", {}, { session: "ses_0000000002" });
  assert.equal(inFence(second.output), '{"action":"decline"}');
  assert.match(second.output, /nobody could say for which of its calls/);
  open.resolve(answers);
  assert.match((await first).output, /"action":"accept"/);
});
