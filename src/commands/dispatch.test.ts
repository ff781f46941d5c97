import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Approvals, Sessions } from "../core/host.ts";
import { asId } from "../core/ids.ts";
import { type CommandHost, parseCommand } from "./command.ts";
import { dispatch } from "./dispatch.ts";
import { commands, findCommand } from "./table.ts";

const session = { id: asId<"ses">("ses_1"), cwd: "/w", surface: "cli", createdAt: 0, updatedAt: 0 };
const host: CommandHost = {
  sessions: { list: async () => [{ ...session, preview: "hello\nthere" }] } as unknown as Sessions,
  status: () => ({
    version: "1",
    home: "/h",
    profile: "default",
    model: "m",
    provider: "p",
    runtime: "loop",
  }),
  checks: async () => [
    { name: "store", ok: true, detail: "fine" },
    { name: "model", ok: false, detail: "no key", next: "set one" },
  ],
  approvals: {
    rules: async () => ["Everything asks."],
    grants: async () => [{ id: "grn_1", scope: "always", summary: "make test" }],
    list: async () => [{ id: "apr_1", question: { summary: "rm -f x" } }],
  } as unknown as Approvals,
};
const here = { surface: "cli", cwd: "/w", owner: true, busy: false, session: session.id };
const say = async (line: string, also: Partial<typeof here> = {}): Promise<string> =>
  (await dispatch(line, { ...here, ...also }, host)).text;

describe("a command line", () => {
  test("is one slash and a word; anything else is a message", () => {
    assert.deepEqual(parseCommand("/help new"), { name: "help", arg: "new" });
    assert.deepEqual(parseCommand("  /NEW "), { name: "new", arg: "" });
    for (const text of ["hello", "//comment", "/usr/bin is a folder", "/ help", "a /help", "/"]) {
      assert.equal(parseCommand(text), undefined, text);
    }
  });

  test("/approvals says what asks, what is allowed beforehand and what waits", async () => {
    assert.deepEqual((await say("/approvals")).split("\n"), [
      "Everything asks.",
      "Allowed beforehand:",
      "  grn_1  always  make test",
      "Waits for an answer:",
      "  apr_1  rm -f x",
    ]);
  });

  test("that is mistyped is answered with the nearest command, not sent to the model", async () => {
    assert.equal(
      await say("/sesions"),
      "There is no command /sesions. Did you mean /sessions? /help lists all.",
    );
    assert.match(await say("/zzz"), /no command \/zzz\. \/help lists them/);
  });

  test("with arguments that a command does not take is explained", async () => {
    assert.match(await say("/status now"), /takes no arguments/);
  });

  test("waits for the running turn where it has to", async () => {
    assert.match(await say("/new", { busy: true }), /has to wait: a turn is running/);
    assert.match(await say("/status", { busy: true }), /runtime/);
  });

  test("is refused where it is not offered, and to whom it is not for", async () => {
    assert.match(await say("/quit", { surface: "telegram" }), /not available on telegram/);
    assert.match(await say("/sessions", { owner: false }), /for the owner only/);
  });
});

describe("the commands", () => {
  test("have names and aliases that are all different", () => {
    const names = commands.flatMap((command) => [command.name, ...command.aliases]);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.equal(findCommand(name)?.name !== undefined, true, name);
  });

  test("are all in /help, where they are offered", async () => {
    const text = await say("/help");
    for (const { name, help } of commands)
      assert.match(text, new RegExp(`/${name}\\b.*${help.slice(0, 10)}`));
    assert.doesNotMatch(await say("/help", { surface: "telegram" }), /\/quit/);
    assert.match(await say("/help new"), /^\/new \(also \/reset, \/clear\)\nStart a new session/);
    assert.match(await say("/help nothing"), /no command \/nothing/);
  });

  test("/new goes on in a new session, /quit leaves", async () => {
    assert.equal((await dispatch("/new", here, host)).session, null);
    assert.equal((await dispatch("/exit", here, host)).quit, true);
  });

  test("/sessions marks the present one and shows how each began", async () => {
    assert.equal(await say("/sessions"), "* ses_1  1970-01-01T00:00  hello there");
  });

  test("/status and /doctor say what is, and what to do", async () => {
    assert.match(await say("/status"), /model {4}m \(p\)/);
    assert.equal(await say("/doctor"), "ok   store: fine\nFAIL model: no key\n     → set one");
  });
});
