import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { asOwner, send } from "../../test/owners-host.ts";
import { testFolder } from "../../test/temp-folder.ts";
import type { Client, InputOf } from "../core/calls.ts";
import type { GoalReport } from "../core/goal.ts";
import { type SessionId, newId } from "../core/ids.ts";
import { messageText } from "../core/messages.ts";
import { systemClock } from "../lib/clock.ts";
import { openHost } from "./index.ts";

const says = (text: string): object => ({ reply: [{ text }] });
const does = (command: string): object => ({ reply: [{ call: { tool: "terminal", args: { command } } }] });
const judges = (done: boolean, reason: string, evidence: readonly string[] = []): object =>
  says(JSON.stringify({ done, evidence, reason }));

describe("a goal", { concurrency: 2 }, () => {
  test("is reached when its check says so, whatever the model claims", async (t) => {
    const steps = [says("It is done."), says("Now it is."), does("touch reached"), says("Yes.")];
    const it = await world(t, steps);
    const goal = await it.pursue({ text: "Make the file", check: "test -e reached" });
    assert.equal(goal.state, "done");
    assert.deepEqual(
      goal.steps.map(({ by, verdict, exitCode }) => [by, verdict, exitCode]),
      [
        ["check", "go_on", 1],
        ["check", "go_on", 1],
        ["check", "done", 0],
      ],
    );
    const said = await it.words(goal.session);
    assert.equal(said[0], "Make the file");
    assert.match(said[1] ?? "", /^Go on with the goal of this session: Make the file\n[^]*exit 1/);
    assert.equal(it.requests(), steps.length);
  });

  test("is sent on when somebody claims it without results, and reached by results alone", async (t) => {
    const it = await world(t, [
      says("I have done it."),
      judges(true, "It was said so."),
      does("echo proof"),
      says("Done."),
      judges(true, "It was printed.", ["e1"]),
    ]);
    const goal = await it.pursue({ text: "Print a proof" });
    assert.deepEqual(
      goal.steps.map(({ verdict, text }) => [verdict, text]),
      [
        ["go_on", "Nothing that was done shows that it is reached."],
        ["done", "It was printed. (terminal: exit 0)"],
      ],
    );
  });

  test("is paused when its judge cannot be asked, or says the same three times", async (t) => {
    const mute = await world(t, [says("One."), says("That is no verdict.")]);
    const unread = await mute.pursue({ text: "Reach it" });
    assert.deepEqual([unread.state, unread.why], ["paused", "The judge gave no verdict that could be read."]);
    const same = [says("Still at it."), judges(false, "Nothing was run.")];
    const stuck = await world(t, [...same, ...same, ...same]);
    const goal = await stuck.pursue({ text: "Reach it" });
    assert.deepEqual([goal.state, goal.why], ["paused", "The judge said the same 3 times: Nothing was run."]);
    assert.equal(stuck.requests(), 6);
  });

  test("that succeeds for ever is stopped by its turns and by its tokens", async (t) => {
    const turns = Array.from({ length: 3 }, (_, at) => [
      says(`${at}`),
      judges(false, `Missing: ${at}`),
    ]).flat();
    const counted = await world(t, turns);
    const goal = await counted.pursue({ text: "Never enough", limit: { turns: 3 } });
    assert.match(goal.why ?? "", /^It has had 3 turns/);
    const dear = await world(t, [
      { reply: [{ text: "." }, { usage: { input: 900, output: 200 } }] },
      ...turns.slice(1),
    ]);
    const spent = await dear.pursue({ text: "Never enough", limit: { tokens: 1000 } });
    assert.match(spent.why ?? "", /^It has used 1,\d+ of its 1,000 tokens/);
    assert.equal(spent.steps.length, 1);
  });

  test("is paused while all work is", async (t) => {
    const it = await world(t, [says("One."), judges(false, "More.")]);
    await it.owner.call("work.pause", {});
    const goal = await it.pursue({ text: "Reach it" });
    assert.match(goal.why ?? "", /^All work that nobody types is paused/);
    assert.equal(it.requests(), 2);
  });

  test("is paused when the budget of work allows no further turn, and says which one", async (t) => {
    const steps = [says("One."), judges(false, "More."), says("Two."), judges(false, "Still more.")];
    const it = await world(t, steps, { also: "work: {budget: {origins: {goal: {turns: 1}}}}\n" });
    const goal = await it.pursue({ text: "Reach it" });
    assert.equal(goal.state, "paused");
    assert.match(goal.why ?? "", /^Work\.budget\.origins\.goal\.turns does not allow it: 1 of 1 turns/);
    assert.equal(it.requests(), 4);
    assert.match((await it.owner.call("why.explain", { id: goal.id })).why, /origins\.goal\.turns/);
  });

  test("goes on by itself once after a turn that was cut off, and is paused when the next one is, too", async (t) => {
    const hangs = [{ reply: [{ text: "Begun" }, { hang: true }] }];
    const it = await world(t, hangs);
    const { session } = await it.owner.call("goals.set", { session: it.fresh(), text: "Reach it" });
    void it.say(session, "Reach it").catch(() => {});
    while (it.requests() < 1) await new Promise(setImmediate);
    await it.reopen(hangs);
    while (it.requests() < 1) await new Promise(setImmediate);
    assert.match(
      (await it.words(session)).at(-1) ?? "",
      /cut off when Talaria ended\. See what of it took effect/,
    );
    await it.reopen([says("Never asked.")]);
    const goal = async () => await it.owner.call("goals.get", { session });
    while ((await goal())?.state === "active") await new Promise(setImmediate);
    assert.deepEqual([(await goal())?.state, it.requests()], ["paused", 0]);
    assert.match((await goal())?.why ?? "", /^Two turns in a row were cut off/);
  });

  test("goes on when it is resumed with more, and is told of once", async (t) => {
    const it = await world(t, [
      says("One."),
      judges(false, "Something."),
      says("Two."),
      judges(false, "Something else."),
    ]);
    const { session } = await it.pursue({ text: "Reach it", limit: { turns: 1 } });
    await it.owner.call("goals.budget", { session, limit: { turns: 2 } });
    const told = it.told(session);
    assert.equal((await it.owner.call("goals.resume", { session })).state, "active");
    await told;
    const goal = await it.owner.call("goals.get", { session });
    assert.deepEqual([goal?.state, goal?.steps.length, it.requests()], ["paused", 2, 4]);
  });

  test("of another process is gone on with by the executor that starts, once", async (t) => {
    const it = await world(t, [says("One."), judges(false, "More.")], { longLived: false });
    const goal = await it.owner.call("goals.set", {
      session: it.fresh(),
      text: "Reach it",
      limit: { turns: 2 },
    });
    await it.say(goal.session, "Reach it");
    assert.equal((await it.owner.call("goals.get", { session: goal.session }))?.steps.length, 0);
    await it.reopen([judges(false, "More."), says("Two."), judges(false, "Much more.")]);
    await it.told(goal.session);
    const report = await it.owner.call("goals.get", { session: goal.session });
    assert.deepEqual([report?.state, report?.steps.length], ["paused", 2]);
    assert.equal((await it.words(goal.session)).length, 2);
  });

  test("is for the owner, its check for the owner at this machine", async (t) => {
    const it = await world(t, []);
    const away = it.as({ surface: "web", id: "d1", role: "owner", local: false });
    await assert.rejects(away.call("goals.set", { session: it.fresh(), text: "x", check: "true" }), {
      code: "refused",
    });
    const { session } = await away.call("goals.set", { session: it.fresh(), text: "x" });
    await assert.rejects(it.owner.call("goals.set", { session, text: "y" }), { code: "busy" });
    assert.equal((await it.owner.call("goals.clear", { session })).state, "cleared");
    await assert.rejects(it.owner.call("goals.resume", { session }), { code: "not_found" });
  });

  test("that cannot be worked on is refused when it is set, and no session is begun for it", async (t) => {
    const it = await world(t, []);
    const session = it.fresh();
    const wrong: readonly (readonly [InputOf<"goals.set">, RegExp])[] = [
      [{ session, text: "" }, /^The goal is empty/],
      [{ session, text: " \n" }, /^The goal is empty/],
      [{ session, text: "x", check: " " }, /^The check is empty/],
      [{ session: { ...session, cwd: "/nowhere" }, text: "x" }, /^There is no folder \/nowhere\.$/],
      [{ session: { ...session, runtime: "pi" }, text: "x" }, /^There is no runtime "pi"\.$/],
      [{ session: { ...session, runtime: "script" }, text: "x" }, /^There is no runtime "script"\.$/],
    ];
    for (const [wanted, message] of wrong)
      await assert.rejects(it.owner.call("goals.set", wanted), { code: "usage", message });
    assert.deepEqual(await it.owner.call("sessions.list", { limit: 1 }), []);
    await it.owner.call("goals.set", { session, text: "x" });
    const add = it.owner.call("goals.add", { session: session.id, text: " " });
    await assert.rejects(add, { code: "usage", message: /^The goal is empty/ });
    const chat = {
      session: session.id,
      choices: {},
      attended: "none",
      surface: "cli",
      cwd: session.cwd,
    } as const;
    const typed = await it.owner.call("chat.command", { line: "/goal add", chat }).catch(String);
    assert.match(JSON.stringify(typed), /The goal is empty/);
  });
});

async function world(t: TestContext, steps: readonly object[], { longLived = true, also = "" } = {}) {
  const folder = await testFolder(t);
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(cwd);
  await writeFile(join(home, ".env"), "MINE_KEY=hunter2hunter2\n", { mode: 0o600 });
  const open = async (script: readonly object[], role: { longLived?: boolean; executor?: boolean }) => {
    const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps: script }) });
    t.after(() => model[Symbol.asyncDispose]());
    await writeFile(join(home, "config.yaml"), `${settings(model.url)}${also}`, { mode: 0o600 });
    const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
    const host = await openHost({ env, homeDir: folder, cwd, version: "test", ...role });
    t.after(() => host[Symbol.asyncDispose]());
    return { model, host };
  };
  let now = await open(steps, { longLived });
  let count = 0;
  /** Resolves when the person is told how the goal of this session has ended. */
  const told = (session: SessionId): Promise<void> =>
    new Promise((resolve) => {
      const leave = now.host.subscribe(session, (event) => {
        if (event.type !== "notice" || event.code !== "goal") return;
        leave();
        resolve();
      });
    });
  const fresh = () => ({ id: newId("ses", systemClock.now()), cwd });
  const say = async (session: SessionId, text: string): Promise<void> => {
    const key = { surface: "cli", account: "", chat: "", messageId: String((count += 1)) };
    const input = [{ type: "text", text }] as const;
    await (
      await send(now.host, { key, session, input, whenBusy: "refuse", attended: "none" })
    ).ended;
  };
  return {
    fresh,
    say,
    told,
    get owner(): Client {
      return asOwner(now.host);
    },
    as: (caller: Parameters<typeof now.host.as>[0]) => now.host.as(caller),
    requests: () => now.model.total,
    async reopen(script: readonly object[]) {
      await now.host[Symbol.asyncDispose]();
      now = await open(script, { executor: true, longLived: true });
    },
    async pursue(wanted: Omit<InputOf<"goals.set">, "session">): Promise<GoalReport> {
      const { session, text } = await asOwner(now.host).call("goals.set", { session: fresh(), ...wanted });
      const ending = told(session);
      await say(session, text);
      await ending;
      const goal = await asOwner(now.host).call("goals.get", { session });
      assert.ok(goal);
      return goal;
    },
    words: async (session: SessionId) =>
      (await asOwner(now.host).call("sessions.messages", { session }))
        .filter(({ message }) => message.role === "user")
        .map(({ message }) => messageText(message)),
  };
}

const settings = (url: string): string => `model: {provider: mine, default: big}
providers:
  mine: {api: "${url}", protocol: responses, key_env: MINE_KEY, models: [big], context_window: 32000}
auxiliary: {title_generation: {enabled: false}, background_review: {enabled: false}}
terminal: {security_mode: unrestricted}
approvals: {mode: "off"}
`;
