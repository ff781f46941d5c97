import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { closedPort } from "../../../../test/closed-port.ts";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import type { Fault } from "../../../../test/fakes/slack/faults.ts";
import { testFolder } from "../../../../test/temp-folder.ts";
import type { SendResult } from "../../../core/gateway/chat.ts";
import { slackAdapter } from "./adapter.ts";
import { type World, never, slackWorld } from "./world.suite.ts";

const part = { body: "hello", plain: "hello" };

/** What one send comes to, and how often it is seen. */
async function sendOnce(world: World, fault: Fault): Promise<{ result: SendResult; shown: number }> {
  world.slack.room("D1");
  world.slack.faults.next("chat.postMessage", fault);
  const before = world.slack.shown("D1").length;
  const sending = world.adapter.send(world.to("D1"), { part, nonce: "n1" }, never);
  if (fault.kind === "hang") {
    await world.slack.until(() => world.slack.openCalls() > 0);
    await world.clock.advance(30_000);
  }
  return { result: await sending, shown: world.slack.shown("D1").length - before };
}

const faults: readonly (readonly [string, Fault, SendResult | RegExp, number])[] = [
  ["held", { kind: "rateLimited", seconds: 17 }, { heldMs: 17_000 }, 0],
  ["held without a time", { kind: "rateLimited" }, { heldMs: 10_000 }, 0],
  ["held in an answer of its own", { kind: "error", error: "ratelimited" }, { heldMs: 10_000 }, 0],
  ["dropped before it was done", { kind: "dropped" }, /^unknown: The connection to Slack broke off/, 0],
  [
    "accepted, then dropped",
    { kind: "acceptedThenDropped" },
    /^unknown: The connection to Slack broke off/,
    1,
  ],
  ["half an answer", { kind: "garbled" }, /^unknown: Slack's answer could not be read/, 1],
  [
    "a page of a proxy",
    { kind: "status", status: 200, body: "<html>" },
    /^unknown: Slack's answer could not/,
    0,
  ],
  ["a fault of Slack", { kind: "status", status: 503 }, /^unknown: .*HTTP 503/, 0],
  ["a fault that Slack tells", { kind: "error", error: "internal_error" }, /^unknown: .*internal_error/, 0],
  ["another address", { kind: "status", status: 404 }, /^refused: .*HTTP 404.*gateway\.slack\.api/, 0],
  ["no answer", { kind: "hang", done: false }, /^unknown: Slack did not answer within 30 s/, 0],
  [
    "no answer, though it is done",
    { kind: "hang", done: true },
    /^unknown: Slack did not answer within 30 s/,
    1,
  ],
  ["a channel that is gone", { kind: "error", error: "channel_not_found" }, /^refused: .*Invite the bot/, 0],
  ["not in the channel", { kind: "error", error: "not_in_channel" }, /^refused: .*\/invite/, 0],
  ["an archived channel", { kind: "error", error: "is_archived" }, /^refused: .*Unarchive/, 0],
  ["too long", { kind: "error", error: "msg_too_long" }, /^refused: .*length/, 0],
  ["a token that is over", { kind: "error", error: "invalid_auth" }, /^refused: .*bot token/, 0],
  [
    "a scope",
    { kind: "error", error: "missing_scope", more: { needed: "chat:write" } },
    /^refused: .*chat:write/,
    0,
  ],
  ["a word that is new", { kind: "error", error: "sky_is_falling" }, /^refused: .*sky_is_falling/, 0],
];

for (const [name, fault, expected, shown] of faults) {
  test(`B2.9, B2.10, B2.25: a send comes to exactly what became of it: ${name}`, async (t) => {
    const world = await slackWorld(t);
    const outcome = await sendOnce(world, fault);
    assert.equal(outcome.shown, shown);
    if (expected instanceof RegExp) assert.match(words(outcome.result), expected);
    else assert.deepEqual(outcome.result, expected);
    const posts = world.slack.calls.filter(({ method }) => method === "chat.postMessage");
    assert.equal(posts.length, 1, "it is not tried again behind the gateway's back");
  });
}

const words = (result: SendResult): string =>
  Object.entries(result)
    .map((entry) => entry.join(": "))
    .join();

test("B2.9: a change and an end are held as a send is", async (t) => {
  const { slack, adapter, to } = await slackWorld(t);
  slack.room("D1");
  const sent = await adapter.send(to("D1"), { part, nonce: "n1" }, never);
  assert.ok("sent" in sent);
  slack.faults.next("chat.update", { kind: "rateLimited", seconds: 3 });
  slack.faults.next("chat.delete", { kind: "rateLimited", seconds: 4 });
  assert.deepEqual(await adapter.edit(to("D1"), sent.sent, part, never), { heldMs: 3000 });
  assert.deepEqual(await adapter.remove(to("D1"), sent.sent, never), { heldMs: 4000 });
  assert.deepEqual(await adapter.edit(to("D1"), sent.sent, part, never), { sent: sent.sent });
});

test("what never left this machine may be sent again: nobody listens, no such name, stopped before", async (t) => {
  const { to } = await slackWorld(t);
  const apis = [`http://127.0.0.1:${await closedPort()}/api/`, "http://no-such-host.invalid/api/"];
  for (const api of apis) {
    await using adapter = slackAdapter({ botToken: "xoxb-1", api, clock: fakeClock(), log: () => {} });
    const result = await adapter.send(to("D1"), { part, nonce: "n1" }, never);
    assert.match(words(result), /^notSent: Slack was not reached/);
    const stopped = await adapter.send(to("D1"), { part, nonce: "n1" }, AbortSignal.abort());
    assert.match(words(stopped), /^notSent: It was stopped/);
  }
});

test("a send that is stopped on its way may have arrived", async (t) => {
  const { slack, adapter, to } = await slackWorld(t);
  slack.room("D1");
  slack.faults.next("chat.postMessage", { kind: "hang", done: true });
  const stop = new AbortController();
  const sending = adapter.send(to("D1"), { part, nonce: "n1" }, stop.signal);
  await slack.until(() => slack.openCalls() > 0);
  stop.abort();
  assert.match(words(await sending), /^unknown: It was stopped on its way/);
});

test("B2.10: whether a message was posted is found out by its nonce, in a chat and in a thread", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter, to } = world;
  const root = slack.say("C1", "U1", "<@U0BOT> hi");
  slack.room("D1");
  for (const place of [to("D1"), to("C1", root)]) {
    slack.faults.next("chat.postMessage", { kind: "acceptedThenDropped" });
    const sending = { part, nonce: `there-${place.chat}`, replyTo: root };
    assert.ok("unknown" in (await adapter.send(place, sending, never)));
    const found = await adapter.find?.(place, sending, never);
    const posted = slack
      .shown(place.chat)
      .find(({ metadata }) => metadata?.event_payload["nonce"] === sending.nonce);
    assert.ok(posted);
    assert.deepEqual(found, { sent: posted.ts });
    assert.deepEqual(await adapter.find?.(place, { part, nonce: "never" }, never), { absent: true });
    slack.faults.next("*", { kind: "status", status: 500 });
    assert.equal(await adapter.find?.(place, sending, never), undefined, "nobody can say now");
  }
});

test("a message is said not to be there only if all was seen among which it would be", async (t) => {
  const { slack, adapter, to } = await slackWorld(t);
  slack.sockets.lose(true);
  for (let index = 0; index < 1100; index += 1) slack.say("D1", "U1", `message ${index}`);
  assert.equal(await adapter.find?.(to("D1"), { part, nonce: "never" }, never), undefined);
  const asked = slack.say("D1", "U1", "the one that is answered");
  assert.deepEqual(await adapter.find?.(to("D1"), { part, nonce: "never", replyTo: asked }, never), {
    absent: true,
  });
});

test("a file is sent with its words into its thread, and has a receipt", async (t) => {
  const { slack, adapter, to } = await slackWorld(t);
  const path = join(await testFolder(t), "report.txt");
  await writeFile(path, "all of it");
  const file = { path, name: "report.txt", mediaType: "text/plain", bytes: 9 };
  const root = slack.say("C1", "U1", "<@U0BOT> hi");
  const result = await adapter.send(
    to("C1", root),
    { part: { body: "Here it is", plain: "", file }, nonce: "n1" },
    never,
  );
  const shown = slack.shown("C1").at(-1);
  assert.deepEqual(result, { sent: shown?.ts });
  assert.deepEqual(
    [shown?.text, shown?.thread, shown?.files.map(({ name, bytes }) => [name, bytes.toString()])],
    ["Here it is", root, [["report.txt", "all of it"]]],
  );
});

test("B2.25: a file is not sent without a receipt, and can be sent again as long as nobody has seen it", async (t) => {
  const { slack, adapter, clock, to } = await slackWorld(t);
  const path = join(await testFolder(t), "report.txt");
  await writeFile(path, "all of it");
  const file = { path, name: "report.txt", mediaType: "text/plain", bytes: 9 };
  slack.room("C1");
  const send = (nonce: string, changed: Partial<typeof file> = {}) =>
    adapter.send(to("C1"), { part: { body: "", plain: "", file: { ...file, ...changed } }, nonce }, never);
  assert.match(words(await send("n0", { path: `${path}-gone` })), /^refused: .*not there any more/);
  await writeFile(`${path}-empty`, "");
  assert.match(words(await send("n0", { path: `${path}-empty` })), /^refused: .*empty/);
  for (const method of ["files.getUploadURLExternal", "upload"]) {
    slack.faults.next(method, { kind: "dropped" });
    assert.match(words(await send("n1")), /^notSent/, method);
    slack.faults.next(method, { kind: "hang", done: true });
    const hung = send("n1");
    await slack.until(() => slack.openCalls() > 0 && slack.calls.at(-1)?.method === method);
    await clock.advance(31_000);
    assert.match(words(await hung), /^notSent/, method);
  }
  slack.faults.next("files.completeUploadExternal", { kind: "dropped" });
  assert.match(words(await send("n2")), /^unknown/);
  assert.deepEqual(await adapter.find?.(to("C1"), fileSending(file, "n2"), never), { absent: true });
  slack.faults.next("files.completeUploadExternal", { kind: "acceptedThenDropped" });
  assert.match(words(await send("n3")), /^unknown/);
  assert.deepEqual(await adapter.find?.(to("C1"), fileSending(file, "n3"), never), {
    sent: slack.shown("C1").at(-1)?.ts,
  });
  assert.equal(
    await adapter.find?.(to("C1"), fileSending(file, "n9"), never),
    undefined,
    "of another process",
  );
  assert.equal(slack.shown("C1").length, 1);
});

const fileSending = (
  file: { path: string; name: string; mediaType: string; bytes: number },
  nonce: string,
) => ({
  part: { body: "", plain: "", file },
  nonce,
});
