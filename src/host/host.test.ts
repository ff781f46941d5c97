import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { testFolder } from "../../test/temp-folder.ts";
import { type Principal, localOwner } from "../core/principal.ts";
import type { ContextBill } from "../core/context-bill.ts";
import type { Host } from "../core/host.ts";
import { type SessionId, newId } from "../core/ids.ts";
import type { NewSession } from "../core/session.ts";
import { systemClock } from "../lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { openHost } from "./index.ts";
import { asOwner, send } from "../../test/owners-host.ts";

const says = (text: string): object => ({ reply: [{ text }] });
const calls = (tool: string, args: object): object => ({ reply: [{ call: { tool, args } }] });

describe("the host", { concurrency: 2 }, () => {
  test("says which models there are and how a screen is to behave", async (t) => {
    const it = await world(t, []);
    assert.partialDeepStrictEqual(await asOwner(it.host).call("host.status", {}), {
      provider: "mine",
      models: ["big", "small"],
      runtime: "loop",
      display: { busyInput: "steer", bell: true, reasoning: "fold" },
    });
  });

  test("gives new sessions the new default at once, and the others what they had", async (t) => {
    const it = await world(t, [says("One."), says("Two."), says("Three."), says("Four.")]);
    const before = await readFile(it.config, "utf8");
    const old = await it.say("first");
    await asOwner(it.host).call("runtime.setDefault", { runtime: "codex" });
    assert.equal((await asOwner(it.host).call("host.status", {})).runtime, "codex");
    await it.say("second", old);
    const chosen = await it.say("third", it.fresh({ runtime: "loop" }));
    assert.deepEqual(await it.runtimes(old), ["loop", "loop"]);
    assert.deepEqual(await it.runtimes(chosen), ["loop"]);
    assert.equal(
      (await asOwner(it.host).call("sessions.context", { session: old, cwd: it.cwd })).runtime,
      "loop",
    );
    assert.equal((await asOwner(it.host).call("sessions.context", { cwd: it.cwd })).runtime, "codex");
    await asOwner(it.host).call("runtime.setDefault", { runtime: "loop" });
    assert.equal(await readFile(it.config, "utf8"), before);
    assert.deepEqual(await it.runtimes(await it.say("fourth")), ["loop"]);
  });

  test("lists the tools with what they do and where they can be used", async (t) => {
    const tools = await asOwner((await world(t, [])).host).call("tools.list", {});
    const names = tools.map(({ name }) => name);
    assert.deepEqual(names, names.toSorted());
    const onCodex = tools.flatMap(({ name, runtimes }) => (runtimes.includes("codex") ? [name] : []));
    assert.ok(onCodex.includes("todo") && onCodex.includes("text_to_speech"));
    for (const name of ["terminal", "process", "read_file", "write_file", "patch", "search_files"])
      assert.ok(names.includes(name) && !onCodex.includes(name), name);
    assert.partialDeepStrictEqual(
      tools.find(({ name }) => name === "session_search"),
      { about: "Look into earlier conversations.", effect: "none", runtimes: ["loop", "codex"] },
    );
    for (const { about } of tools) assert.match(about, /^[A-Z].*[.!?]$/);
  });

  test("says of a message that was sent twice how its turn ended", async (t) => {
    const it = await world(t, [says("One.")]);
    const client = asOwner(it.host);
    const id = newId("ses", systemClock.now());
    const message = {
      key: { surface: "cli", account: "", chat: id, messageId: "1" },
      session: { id, cwd: it.cwd, surface: "cli", audience: "owner" },
      input: [{ type: "text", text: "hello" }],
      whenBusy: "queue",
      attended: "none",
    } as const;
    const { inbox } = await client.call("turns.send", message);
    const again = await client.call("turns.send", message);
    assert.deepEqual([again.state, again.inbox], ["duplicate", inbox]);
    assert.equal((await client.call("turns.wait", { inbox }))?.text, "One.");
  });

  test("counts what a model is given, part by part", async (t) => {
    const it = await world(t, [says("One."), says("Two.")]);
    await writeFile(join(it.cwd, "AGENTS.md"), "Use tabs.");
    const empty = await asOwner(it.host).call("sessions.context", { cwd: it.cwd });
    assert.deepEqual(
      empty.lines.map(({ name, detail, characters }) => [
        name,
        detail.replace(/^\d+ tools(, and \d+ that a search finds)?$/, "some tools"),
        characters > 0,
      ]),
      [
        ["how to work", "the words of the loop", true],
        ["persona", "built in; SOUL.md replaces it", true],
        ["instructions", "folder, repository, system, day", true],
        ["project", "AGENTS.md", true],
        ["tools", "some tools", true],
        ["conversation", "nothing has been said", false],
      ],
    );
    assert.deepEqual([empty.used, empty.window, empty.beyond], [undefined, 32_000, undefined]);
    const session = await it.say("12345678");
    const first = await asOwner(it.host).call("sessions.context", { session: session, cwd: it.cwd });
    assert.deepEqual(lineOf(first, "conversation"), {
      name: "conversation",
      detail: "2 messages, 1 turn",
      characters: 12,
      tokens: 3,
    });
    assert.ok((first.used ?? 0) > 0);
    await it.say("more", session);
    assert.equal(
      lineOf(
        await asOwner(it.host).call("sessions.context", { session: session, cwd: it.cwd }),
        "conversation",
      )?.characters,
      20,
    );
    await asOwner(it.host).call("turns.undo", { session: session, turns: 1 });
    assert.equal(
      lineOf(
        await asOwner(it.host).call("sessions.context", { session: session, cwd: it.cwd }),
        "conversation",
      )?.characters,
      12,
    );
    assert.equal(it.requests(), 2, "no model was asked");
  });

  test("looking at the context settles nothing: the next turn reads its files anew", async (t) => {
    const it = await world(t, [says("One.")]);
    const bill = async () =>
      lineOf(await asOwner(it.host).call("sessions.context", { cwd: it.cwd }), "persona");
    await writeFile(join(it.home, "SOUL.md"), "You are Hermes.");
    assert.partialDeepStrictEqual(await bill(), { detail: "SOUL.md", characters: 15 });
    await writeFile(join(it.home, "SOUL.md"), "You are Iris.");
    assert.partialDeepStrictEqual(await bill(), { detail: "SOUL.md", characters: 13 });
  });

  test("on codex it counts what codex is given by us, and says what it cannot see", async (t) => {
    const it = await world(t, []);
    await writeFile(join(it.cwd, "AGENTS.md"), "Use tabs.");
    const onLoop = lineOf(await asOwner(it.host).call("sessions.context", { cwd: it.cwd }), "project");
    assert.partialDeepStrictEqual(onLoop, { detail: "AGENTS.md", characters: 21 });
    await asOwner(it.host).call("runtime.setDefault", { runtime: "codex" });
    const bill = await asOwner(it.host).call("sessions.context", { cwd: it.cwd });
    assert.deepEqual(lineOf(bill, "project"), onLoop, "told alike on both");
    assert.match(lineOf(bill, "tools")?.detail ?? "", /^\d+ tools, beside codex's own/);
    assert.match(bill.beyond ?? "", /^Codex adds its own instructions/);
  });

  test("shows what the calls of a turn and of the session changed, and what it cannot see", async (t) => {
    const it = await world(t, [
      calls("write_file", { path: "a.txt", content: "one\n" }),
      says("Written."),
      calls("terminal", { command: "echo hi" }),
      says("Said."),
      says("Nothing."),
    ]);
    const session = await it.say("write");
    const diff = (what: "turn" | "session") => asOwner(it.host).call("diff.show", { what, session });
    assert.match((await diff("turn")).text, /^\+one$/m);
    assert.equal((await diff("turn")).note, undefined);
    await it.say("run", session);
    assert.deepEqual((await diff("turn")).text, "");
    assert.match((await diff("turn")).note ?? "", /^No call of this turn .* 1 command ran/);
    assert.match((await diff("session")).text, /^\+one$/m);
    assert.match((await diff("session")).note ?? "", /^1 command ran, and what it changed cannot be seen/);
    await it.say("rest", session);
    assert.match((await diff("turn")).note ?? "", /^No call of this turn has changed a file/);
    const nobody = newId("ses", systemClock.now());
    assert.match(
      (await asOwner(it.host).call("diff.show", { what: "turn", session: nobody })).note ?? "",
      /No turn has run/,
    );
  });

  test("masks secrets in what it shows of the folder and of the person's own commands", async (t) => {
    const it = await world(t, []);
    const command = "git init -q; echo key hunter2hunter2 > new.txt; cat new.txt; env | grep -c MINE_KEY";
    const said = await Array.fromAsync(asOwner(it.host).call("shell.run", { command, cwd: it.cwd }));
    const heard = said.flatMap((one) => ("text" in one ? [one.text] : [])).join("");
    const result = { exitCode: 1, output: "key [redacted]\n0\n", cut: false };
    assert.deepEqual([heard, said.at(-1)], [result.output, result]);
    assert.match(
      (await asOwner(it.host).call("diff.show", { what: "folder", cwd: it.cwd })).text,
      /^\+key \[redacted\]$/m,
    );
  });

  test("shows members and guests no session of the owner's, and says what they may have of their own", async (t) => {
    const it = await world(t, [says("One."), says("Two.")]);
    const guest: Principal = { surface: "telegram", id: "g", role: "guest", local: false };
    await it.host.gateway.people.allow({ surface: "telegram", id: "g", role: "guest" }, 1);
    const client = it.host.as(guest);
    const mine = await it.say("first");
    for (const call of [
      () => client.call("sessions.messages", { session: mine }),
      () => client.call("sessions.get", { session: mine.slice(0, 10) }),
      () => client.call("turns.stop", { session: mine }),
      () => client.call("tasks.list", {}),
      () => Array.fromAsync(client.call("sessions.follow", { session: mine }, AbortSignal.abort())),
    ])
      await assert.rejects(call(), { code: "not_found" });
    const { session, inbox } = await client.call("turns.send", {
      key: { account: "", chat: "c", messageId: "1" },
      session: { id: newId("ses", systemClock.now()) },
      input: [{ type: "text", text: "second" }],
      whenBusy: "refuse",
      attended: "none",
    });
    await client.call("turns.wait", { inbox });
    assert.equal((await client.call("sessions.messages", { session })).length, 2);
  });

  test("takes whoever types at this machine for its owner, and nobody else", async (t) => {
    const it = await world(t, []);
    const chat = { surface: "cli", cwd: it.cwd, choices: {}, attended: "none" } as const;
    const ask = async (caller: Principal) =>
      (await it.host.as(caller).call("chat.command", { line: "/doctor", chat })).text;
    assert.match(await ask(localOwner("cli")), /^ok +node: /);
    assert.match(await ask(localOwner("tui")), /^ok +node: /);
    assert.match(await ask({ ...localOwner("telegram"), role: "member" }), /owner/);
  });
});

const lineOf = ({ lines }: ContextBill, name: string) => lines.find((line) => line.name === name);

async function world(t: TestContext, steps: readonly object[]) {
  const folder = await testFolder(t);
  const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });
  t.after(() => model[Symbol.asyncDispose]());
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(cwd);
  const config = join(home, "config.yaml");
  const settings = `model: {provider: mine, default: big}
providers:
  mine: {api: "${model.url}", protocol: responses, key_env: MINE_KEY, models: [big, small], context_window: 32000}
display: {busy_input_mode: steer}
`;
  await writeFile(config, settings, { mode: 0o600 });
  await writeFile(join(home, ".env"), "MINE_KEY=hunter2hunter2\n", { mode: 0o600 });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const host: Host = await openHost({ env, homeDir: folder, cwd, version: "test" });
  t.after(() => host[Symbol.asyncDispose]());
  const fresh = (also: Partial<NewSession> = {}): NewSession => ({
    id: newId("ses", systemClock.now()),
    cwd,
    surface: "cli",
    audience: "owner",
    ...also,
  });
  let count = 0;
  return {
    host,
    home,
    cwd,
    config,
    fresh,
    requests: () => model.total,
    async say(text: string, session: SessionId | NewSession = fresh()): Promise<SessionId> {
      const key = { surface: "cli", account: "", chat: "", messageId: String((count += 1)) };
      const input = [{ type: "text", text }] as const;
      const sent = await send(host, { key, session, input, whenBusy: "refuse", attended: "none" });
      const ended = await sent.ended;
      assert.equal(ended?.outcome, "done", ended?.fault?.message);
      return sent.session;
    },
    runtimes: async (session: SessionId) =>
      (await asOwner(host).call("sessions.turns", { session: session })).map(({ runtime }) => runtime),
  };
}
