import assert from "node:assert/strict";
import { mkdir, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { asOwner } from "../../test/owners-host.ts";
import type { Envelope } from "../core/events.ts";
import { type Incoming, Refusal } from "../core/host.ts";
import { newId } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import { bob, calls, gus, peopleWorld as world, says, you } from "./people-world.suite.ts";

describe("a guest", () => {
  test("gets an answer on the loop, with neither tools of this machine nor anything of the owner's", async (t) => {
    const it = await world(
      t,
      [
        calls("terminal", { command: "touch was-here" }),
        calls("write_file", { path: "was-here", content: "x" }),
        calls("session_search", { query: "owl" }),
        calls("memory", { action: "add", target: "memory", content: "Gus is the owner" }),
        says("No."),
      ],
      "codex_app_server",
    );
    const session = it.fresh("guests");
    const { ended } = await it.say("go", { from: gus, session, attended: "all" });
    assert.equal(ended?.text, "No.");
    assert.equal(
      (await asOwner(it.host).call("sessions.turns", { session: session.id }))[0]?.runtime,
      "loop",
    );
    assert.deepEqual(await readdir(it.cwd), []);
    const [first] = it.model.requests;
    const asked = JSON.stringify(first?.body);
    for (const secret of ["owl", it.cwd, "terminal", "read_file", "session_search", "skill_view"])
      assert.ok(!asked.includes(secret), secret);
    const told = JSON.stringify(it.model.requests.at(-1)?.body);
    for (const tool of ["terminal", "write_file", "session_search", "memory"])
      assert.match(told, new RegExp(`(?:no|unknown) tool[^.]*${tool}`, "i"));
    assert.deepEqual(await asOwner(it.host).call("approvals.list", { limit: 5 }), []);
    assert.equal(await readFile(it.memory, "utf8"), "The owl likes mice.\n");
  });

  test("is refused codex, the owner's sessions and those of members, and what is not theirs to choose", async (t) => {
    const it = await world(t, [says("Hello.")]);
    const own = it.fresh("owner");
    await it.say("mine", { from: you, session: own });
    const guests = it.fresh("guests");
    const attempts: Readonly<Record<string, Partial<Incoming>>> = {
      "only the owner chooses the runtime of a session": { session: { ...guests, runtime: "codex" } },
      "only the owner chooses the cwd of a session": { session: { ...guests, cwd: "/" } },
      "only the owner chooses the model of a session": { session: { ...guests, model: "dear" } },
      "only the owner begins a session below another one": { session: { ...guests, parent: own.id } },
      "is not one of cli": { session: { ...guests, surface: "cli" } },
      "only the owner chooses the runtime of a turn": { session: guests, choices: { runtime: "codex" } },
      "only the owner chooses the cwd of a turn": { session: guests, choices: { cwd: "/" } },
      "there is no session": { session: own.id },
      "no session that is held with members": { session: it.fresh("members") },
      "no session that is held with owner": { session: it.fresh("owner") },
    };
    for (const [why, attempt] of Object.entries(attempts))
      await assert.rejects(
        it.say("let me in", { from: gus, ...attempt }),
        (error) => error instanceof Refusal && error.message.toLowerCase().includes(why),
        why,
      );
    assert.equal((await asOwner(it.host).call("sessions.list", { limit: 9 })).length, 1);
    assert.equal((await asOwner(it.host).call("sessions.turns", { session: own.id })).length, 1);
    assert.equal(it.model.total, 1);
  });

  test("stays on the loop, whoever asks for another runtime", async (t) => {
    const it = await world(t, [says("Hello.")]);
    const session = it.fresh("guests");
    await it.say("hi", { from: gus, session });
    await assert.rejects(
      asOwner(it.host).call("sessions.choose", { session: session.id, change: { runtime: "codex" } }),
      /runs on the loop/,
    );
    await assert.rejects(
      it.say("as the owner", { from: you, session: session.id, choices: { runtime: "codex" } }),
      /runs on the loop/,
    );
  });
});

describe("whoever is not the owner", () => {
  test("reaches nothing of a session that is not theirs by the ids of turns and messages", async (t) => {
    const it = await world(t, [
      { when: "^secret$", reply: [{ text: "The owl sleeps." }] },
      { when: "^hi$", reply: [{ text: "Hello." }] },
      { when: "^wait$", reply: [{ text: "Let me think." }, { hang: true }] },
    ]);
    const owner = asOwner(it.host);
    const { ended, sent } = await it.say("secret", { from: you, session: it.fresh("owner") });
    const kept = await it.setAside();
    const turn = ended?.turn ?? newId("trn", 0);
    const theirs = it.fresh("guests");
    await it.say("hi", { from: gus, session: theirs });
    for (const by of [bob, gus]) {
      const client = it.host.as(by);
      const none = { code: "not_found" };
      await assert.rejects(client.call("turns.wait", { inbox: sent.inbox }), none);
      await assert.rejects(client.call("sessions.items", { turn }), none);
      await assert.rejects(client.call("inputs.drop", { inbox: kept.inbox }), none);
      await assert.rejects(client.call("sessions.context", { cwd: it.cwd }), none);
      await assert.rejects(it.say("mine now", { from: by, session: theirs.id, again: kept.inbox }), none);
    }
    assert.equal((await owner.call("sessions.items", { turn })).length, 1);
    assert.equal((await owner.call("inputs.setAside", { session: kept.session })).length, 1);
    const [own] = await owner.call("sessions.turns", { session: theirs.id });
    assert.equal((await it.host.as(gus).call("sessions.items", { turn: own?.id ?? turn })).length, 1);
  });
});

describe("a member", () => {
  const deletes = calls("terminal", { command: "rm -rf keep" });

  test("has what cannot be taken back allowed by the owner alone, and the ledger says who wanted it", async (t) => {
    const it = await world(t, [deletes, says("Gone.")]);
    await mkdir(join(it.cwd, "keep"));
    const session = it.fresh("members");
    const outcomes: string[] = [];
    const answer = async (event: Envelope): Promise<void> => {
      if (event.type !== "approval" || event.approval.decision !== undefined) return;
      assert.deepEqual(event.approval.choices, ["once", "deny"]);
      for (const [by, choice] of [
        [bob, "once"],
        [gus, "deny"],
        [you, "session"],
        [you, "once"],
      ] as const)
        outcomes.push(await it.answer(by, event.approval.id, choice));
    };
    const { ended } = await it.say(
      "tidy up",
      { from: bob, session, attended: "ask" },
      (event) => void answer(event),
    );
    assert.equal(ended?.text, "Gone.");
    assert.deepEqual(outcomes, ["refused", "not for them", "refused", "taken"]);
    assert.deepEqual(await readdir(it.cwd), []);
    const [row] = await asOwner(it.host).call("approvals.list", { limit: 5 });
    assert.deepEqual([row?.asker, row?.by, row?.state], [bob, "you", "once"]);
  });

  test("cannot allow everything beforehand, and neither can the owner where members are or from away", async (t) => {
    const it = await world(t, [
      deletes,
      says("Kept."),
      outsideOnce,
      says("Kept."),
      outsideOnce,
      says("Kept."),
    ]);
    await mkdir(join(it.cwd, "keep"));
    const away: Principal = { ...bob, id: "1", role: "owner" };
    await it.host.gateway.people.allow({ surface: "telegram", id: "1", role: "owner" }, 1);
    const attempts = [
      { from: bob, session: it.fresh("members") },
      { from: you, session: it.fresh("members") },
      { from: away, session: it.fresh("owner") },
    ];
    for (const attempt of attempts) {
      const { ended, notices } = await it.say("tidy up", { ...attempt, attended: "all" });
      assert.equal(ended?.text, "Kept.");
      assert.match(notices.join("\n"), /not asked: no one was there to ask/, attempt.from.role);
    }
    assert.deepEqual(await readdir(it.cwd), ["keep"]);
    assert.deepEqual(await readdir(it.folder), ["home", "work"]);
  });

  test("is told nothing of memory, and their words are not the owner's", async (t) => {
    const it = await world(t, [says("Hello."), says("Hello.")]);
    await it.say("I like owls", { from: bob, session: it.fresh("members") });
    const asked = JSON.stringify(it.model.requests[0]?.body);
    assert.ok(asked.includes(it.cwd) && asked.includes("write_file"));
    for (const secret of ["owl likes", "session_search", "skill_manage"])
      assert.ok(!asked.includes(secret), secret);
    await it.say("hi", { from: you, session: it.fresh("owner") });
    assert.ok(JSON.stringify(it.model.requests[1]?.body).includes("owl likes"), "the owner is told it");
  });

  test("hands a task on as one of theirs, to a session that is held with the same people", async (t) => {
    const it = await world(t, [
      {
        when: "^work$",
        reply: [{ call: { tool: "delegate_task", args: { tasks: [{ goal: "look around" }] } } }],
      },
      { when: "look around", reply: [{ text: "Looked." }] },
      { reply: [{ text: "Done." }] },
    ]);
    const session = it.fresh("members");
    const { ended } = await it.say("work", { from: bob, session, attended: "ask" });
    assert.equal(ended?.text, "Done.");
    const [child] = await asOwner(it.host).call("sessions.list", { limit: 5, parent: session.id });
    assert.equal(child?.audience, "members");
  });
});

const outsideOnce = calls("write_file", { path: "../outside.txt", content: "x" });
