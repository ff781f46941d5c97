import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { asOwner } from "../../test/owners-host.ts";
import type { Envelope } from "../core/events.ts";
import { newId } from "../core/ids.ts";
import type { Caller, Principal } from "../core/principal.ts";
import { systemClock } from "../lib/clock.ts";
import { bob, calls, gus, peopleWorld as world, says, you } from "./people-world.suite.ts";

const script: Principal = {
  surface: "api",
  id: "settings:script",
  name: "a script",
  role: "program",
  local: false,
};

const firstOf = async (stream: AsyncIterable<unknown>): Promise<unknown> => {
  for await (const one of stream) return one;
  return undefined;
};

describe("whoever is not the owner", () => {
  test("reaches only sessions in which they have said something: to know an id is not enough", async (t) => {
    const it = await world(
      t,
      Array.from({ length: 15 }, () => says("Hello.")),
    );
    for (const from of [bob, gus, script]) {
      const audience = from.role === "guest" ? "guests" : "members";
      const [mine, theirs, owners] = [it.fresh(audience, from), it.fresh(audience, from), it.fresh("owner")];
      await it.say("hi", { from, session: mine });
      const { ended } = await it.say("hi", { from: { ...from, id: "another" }, session: theirs });
      await it.say("hi", { from: you, session: owners });
      const client = it.host.as(from);
      assert.equal((await client.call("sessions.messages", { session: mine.id })).length, 2);
      assert.equal((await client.call("sessions.get", { session: mine.id })).id, mine.id);
      const none = { code: "not_found" };
      for (const { id: session } of [theirs, owners]) {
        await assert.rejects(client.call("sessions.messages", { session }), none);
        await assert.rejects(client.call("sessions.get", { session: session.slice(0, -2) }), none);
        await assert.rejects(client.call("turns.stop", { session }), none);
        await assert.rejects(firstOf(client.call("sessions.follow", { session })), none);
        if (from === script)
          await assert.rejects(firstOf(client.call("events.follow", { of: { session } })), none);
        // Neither by speaking in it, nor by beginning one that is called the same.
        const chat = "not theirs";
        await assert.rejects(it.say("let me in", { from, session, chat }), none);
        await assert.rejects(it.say("let me in", { from, session: { ...mine, id: session }, chat }), none);
      }
      // In a group others have begun the session; a program cannot say that it is of theirs.
      const greets = it.say("me too", { from, session: theirs.id, account: "another" });
      if (from === script) await assert.rejects(greets, none);
      else assert.equal((await greets).ended?.outcome, "done");
      const turn = ended?.turn ?? newId("trn", 0);
      if (from === script) await assert.rejects(client.call("sessions.items", { turn }), none);
      if (from === script) await assert.rejects(firstOf(client.call("events.follow", { of: "all" })), none);
    }
  });

  test("cannot name a message as if it came from elsewhere, and a program not as another one's", async (t) => {
    const it = await world(
      t,
      Array.from({ length: 15 }, () => says("Hello.")),
    );
    const other = { ...script, id: "settings:other" };
    const say = async (from: Principal, surface?: string) =>
      it.host.as(from).call("turns.send", {
        key: { account: "", chat: "c", messageId: "1", ...(surface === undefined ? {} : { surface }) },
        session: { id: newId("ses", systemClock.now()) },
        input: [{ type: "text", text: "hi" }],
        whenBusy: "refuse",
        attended: "none",
      });
    for (const from of [bob, gus, script])
      await assert.rejects(say(from, "cli"), { code: "usage", message: /as if it came from cli/ });
    const states = [await say(script), await say(other, "api"), await say(script)].map(({ state }) => state);
    assert.deepEqual(states, ["running", "running", "duplicate"]);
  });

  test("stops, takes back and ends only what is theirs", async (t) => {
    const it = await world(t, [
      { when: "^wait", reply: [{ text: "Let me think." }, { hang: true }] },
      { reply: [{ text: "Hello." }] },
    ]);
    const session = it.fresh("members");
    const sue: Principal = { ...bob, id: "78", name: "Sue" };
    await it.say("hi", { from: sue, session });
    const waits = it.begin("wait", { from: bob, session: session.id });
    await waits.started;
    const queued = await it.queue("later", { from: bob, session: session.id });
    const client = it.host.as(sue);
    const refused = { code: "refused", message: /somebody else's/ };
    await assert.rejects(client.call("turns.stop", { session: session.id }), refused);
    await assert.rejects(client.call("processes.end", { session: session.id }), refused);
    const own = await it.queue("mine", { from: sue, session: session.id });
    const stopped = await client.call("turns.stop", { session: session.id });
    assert.deepEqual(stopped, { interrupted: false, setAside: 1, ended: [] });
    const aside = await asOwner(it.host).call("inputs.setAside", { session: session.id });
    assert.deepEqual(
      aside.map(({ id }) => id),
      [own.inbox],
    );
    await assert.rejects(it.host.as(bob).call("inputs.drop", { inbox: own.inbox }), { code: "not_found" });
    const byBob = await it.host.as(bob).call("turns.stop", { session: session.id });
    const { answered, ...rest } = byBob;
    assert.deepEqual(rest, { interrupted: true, setAside: 1, ended: [] });
    assert.equal(answered?.surface, "telegram", "its chat hears of the end");
    await Promise.all([waits.ended, queued.ended, own.ended]);
    await assert.rejects(client.call("turns.undo", { session: session.id, turns: 1 }), refused);
    await it.host.as(bob).call("turns.undo", { session: session.id, turns: 1 });
    await assert.rejects(client.call("turns.redo", { session: session.id }), refused);
    await it.host.as(bob).call("turns.redo", { session: session.id });
    await assert.rejects(it.host.as(bob).call("turns.undo", { session: session.id, turns: 2 }), refused);
  });

  test("is not told where the home is, and the person's own folder is not where their sessions work", async (t) => {
    const it = await world(
      t,
      Array.from({ length: 15 }, () => says("Hello.")),
    );
    const home = async (from: Principal) => (await it.host.as(from).call("host.status", {})).home;
    assert.equal(await home(you), join(it.folder, "home"));
    for (const from of [bob, gus, script, { ...you, local: false }])
      assert.equal(await home(from), undefined);
    const { session } = await it.host.as(script).call("turns.send", {
      key: { account: "", chat: "c", messageId: "1" },
      session: { id: newId("ses", systemClock.now()) },
      input: [{ type: "text", text: "hi" }],
      whenBusy: "refuse",
      attended: "none",
    });
    const made = await it.host.as(script).call("sessions.get", { session });
    assert.deepEqual([made.cwd, made.audience, made.surface], [it.cwd, "members", "api"]);
  });
});

describe("a program", () => {
  const deletes = calls("terminal", { command: "rm -rf keep" });

  test("answers what its own turns ask if its key says so, and nobody else's", async (t) => {
    const it = await world(t, [deletes, says("Gone.")]);
    await mkdir(join(it.cwd, "keep"));
    const approves = { ...script, scopes: ["operate", "approve"] } as const;
    const callers: readonly Caller[] = [
      { ...script, scopes: ["operate"] },
      script,
      { ...approves, id: "settings:other" },
      { ...approves, surface: "webhook" },
      approves,
    ];
    const outcomes: string[] = [];
    const answer = async (event: Envelope): Promise<void> => {
      if (event.type !== "approval" || event.approval.decision !== undefined) return;
      for (const by of callers) outcomes.push(await it.answer(by, event.approval.id, "once"));
    };
    const { ended } = await it.say(
      "tidy up",
      { from: script, session: it.fresh("members", script), attended: "ask" },
      (event) => void answer(event),
    );
    assert.equal(ended?.text, "Gone.");
    assert.deepEqual(outcomes, ["not for them", "not for them", "refused", "refused", "taken"]);
    const report = await asOwner(it.host).call("usage.report", {});
    assert.deepEqual(
      report.roles.map(({ name, rows }) => [name, rows]),
      [["program", 1]],
    );
  });

  test("chooses no more than a model that the settings name", async (t) => {
    const it = await world(t, [says("Hello."), says("Hello.")]);
    const attempts = [
      { choices: { cwd: "/" } },
      { choices: { runtime: "codex" } },
      { choices: { record: true } },
      { choices: { model: "dear" } },
      { session: { ...it.fresh("members", script), cwd: "/" } },
      { session: { ...it.fresh("members", script), model: "dear" } },
      { session: it.fresh("owner", script) },
    ];
    for (const attempt of attempts)
      await assert.rejects(
        it.say("hi", { from: script, session: it.fresh("members", script), ...attempt }),
        { code: "usage" },
        JSON.stringify(attempt),
      );
    const session = it.fresh("members", script);
    const { ended } = await it.say("hi", { from: script, session, choices: { model: "big", effort: "low" } });
    assert.equal(ended?.text, "Hello.");
  });
});
