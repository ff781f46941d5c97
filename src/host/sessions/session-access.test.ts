import assert from "node:assert/strict";
import { test } from "node:test";
import { aborted, done, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { input, sessionOf, testHome, watch } from "../../../test/fakes/test-agent.ts";
import { Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import { inProcess } from "../../operations/in-process.ts";
import { sessionAccess } from "./session-access.ts";

/** A session of two turns, the second of which was taken back, as surfaces see it. */
async function place() {
  const home = await testHome();
  const agent = await home.open(scriptedRuntime((turn) => says("An answer.", turn)));
  const first = input("keep this");
  const session = sessionOf(first);
  await (
    await agent.send(first)
  ).ended;
  await (
    await agent.send(input("a mistake", { session, surface: "tui" }))
  ).ended;
  await agent.undo(session, 1);
  const sessions = inProcess(
    sessionAccess(home.disk, agent.owner, () => false, home.clock),
    localOwner("cli"),
  );
  return { home, agent, session, sessions, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

test("an export for models leaves out what was taken back, and one for people says so", async () => {
  await using it = await place();
  const lines = [
    ...(await Array.fromAsync(it.sessions.call("sessions.export", { session: it.session, format: "jsonl" }))),
  ].join("");
  assert.match(lines, /keep this/);
  assert.doesNotMatch(lines, /a mistake/);
  const text = [
    ...(await Array.fromAsync(it.sessions.call("sessions.export", { session: it.session, format: "md" }))),
  ].join("");
  assert.match(text, /## You · [^\n]* UTC \(taken back\)\n\na mistake/);
  assert.match(text, /## You · [^\n]* UTC\n\nkeep this/);
  assert.equal((await it.sessions.call("sessions.search", { text: "mistake", limit: 5 })).length, 1);
});

test("a title is one line of 1 to 200 characters that no screen obeys", async () => {
  await using it = await place();
  const title = async () => (await it.sessions.call("sessions.get", { session: it.session })).title;
  await it.sessions.call("sessions.rename", {
    session: it.session,
    title: "  Red\u001B[31m\nboats \u202Ehere 👨‍👩‍👧 ",
  });
  assert.equal(await title(), "Red [31m boats here 👨‍👩‍👧");
  await it.sessions.call("sessions.rename", { session: it.session, title: "😀".repeat(200) });
  for (const wrong of ["", " \n\u0007", "x".repeat(201)]) {
    await assert.rejects(
      it.sessions.call("sessions.rename", { session: it.session, title: wrong }),
      (error) => error instanceof Refusal && error.code === "usage",
    );
  }
  assert.equal(await title(), "😀".repeat(200));
  await assert.rejects(
    it.sessions.call("sessions.rename", { session: asId<"ses">("ses_none"), title: "T" }),
    (error) => error instanceof Refusal && error.code === "not_found",
  );
});

test("items, what waits and what was typed can be looked at", async () => {
  await using it = await place();
  const [turn] = await it.sessions.call("sessions.turns", { session: it.session });
  assert.deepEqual(
    (await it.sessions.call("sessions.items", { turn: turn!.id })).map(
      (item) => item.kind === "text" && item.text,
    ),
    ["An answer."],
  );
  assert.deepEqual(await it.sessions.call("prompts.list", { limit: 5 }), ["a mistake", "keep this"]);
  await (
    await it.agent.send(input("from a chat", { surface: "chat" }))
  ).ended;
  await (
    await it.agent.send(input("keep this"))
  ).ended;
  assert.deepEqual(await it.sessions.call("prompts.list", { limit: 5 }), ["keep this", "a mistake"]);

  const go = Promise.withResolvers<void>();
  const slow = scriptedRuntime(async function* (_turn, { signal }) {
    await Promise.race([go.promise, aborted(signal)]);
    yield done("");
  });
  const busy = await it.home.open(slow, { pid: 7 });
  const running = input("running");
  const session = sessionOf(running);
  const one = await busy.send(running);
  const two = await busy.send(input("next", { session }));
  assert.deepEqual(
    (await it.sessions.call("inputs.waiting", { session: session })).map(({ input: parts }) => parts),
    [[{ type: "text", text: "next" }]],
  );
  go.resolve();
  await Promise.all([one.ended, two.ended]);
  assert.deepEqual(await it.sessions.call("inputs.waiting", { session: session }), []);
});

test("calls that have no result yet are shown as what they are, and as cut off when their process is gone", async () => {
  await using home = await testHome();
  const agent = await home.open(
    scriptedRuntime(async function* (_turn, { signal }) {
      yield { type: "status", state: "tool" };
      await aborted(signal);
      yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
    }),
  );
  const first = input("go");
  const session = sessionOf(first);
  const running = watch(agent, session).next("status");
  await agent.send(first);
  const { turn } = await running;
  const head = { id: asId<"itm">("one"), callId: "c", tool: "touch", args: {} };
  await home.disk.calls.begin({ ...head, session, turn, epoch: 1 }, 5);

  const shown = async (isGone: boolean, isSelf: boolean) => {
    const owner = isSelf ? agent.owner : { ...agent.owner, pid: 7 };
    const handlers = sessionAccess(home.disk, owner, () => isGone, home.clock);
    const rows = await inProcess(handlers, localOwner("cli")).call("sessions.messages", { session });
    return rows.map(({ seq, message }) => `${seq} ${message.role} ${String(message.content).slice(0, 30)}`);
  };
  assert.deepEqual(await shown(false, true), ["1 user go"]);
  assert.deepEqual(await shown(false, false), ["1 user go", "2 assistant ", "3 tool [runs now]"]);
  const gone = ["1 user go", "2 assistant ", "3 tool [interrupted, outcome unknown]"];
  assert.deepEqual(await shown(true, false), gone);
});
