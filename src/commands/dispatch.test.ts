import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Approvals, Refusal, type Sessions } from "../core/host.ts";
import { asId } from "../core/ids.ts";
import { type CommandHost, parseCommand } from "./command.ts";
import { dispatch } from "./dispatch.ts";
import { commands, findCommand } from "./table.ts";

const session = { id: asId<"ses">("ses_1"), cwd: "/w", surface: "cli", createdAt: 0, updatedAt: 0 };
const spent = { rows: 1, input: 1200, cached: 200, output: 30, reasoning: 0, cost: 0.25, unpriced: 0 };
const host: CommandHost = {
  usage: async ({ days }) => ({
    total: days === undefined ? spent : { ...spent, rows: 2, unpriced: 1 },
    days: [{ name: "2026-01-01", ...spent }],
    models: [{ name: "mine/big", ...spent }],
    causes: [{ name: "turn", ...spent }],
    budgets: [{ key: "budgets.day.usd", spent: 0.25, limit: 2 }],
  }),
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
  compress: async (_session, asked) => {
    if (asked.do === "undo") throw new Refusal("busy", "It is busy.", "Wait.");
    return JSON.stringify(asked);
  },
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

  test("/compress takes a focus, pins and undo, waits for no turn, and says why it was refused", async () => {
    assert.equal(await say("/compress"), '{"do":"compress"}');
    assert.equal(await say("/compress the login bug"), '{"do":"compress","focus":"the login bug"}');
    assert.equal(await say("/compress pin  never\tpush"), '{"do":"pin","text":"never push"}');
    assert.equal(await say("/compress pin"), '{"do":"pins"}');
    assert.equal(await say("/compress unpin 2"), '{"do":"unpin","number":2}');
    assert.equal(await say("/compress undo"), "It is busy. Wait.");
    assert.match(await say("/compress", { busy: true }), /has to wait: a turn is running/);
    const { session: _none, ...nowhere } = here;
    assert.match((await dispatch("/compress", nowhere, host)).text, /no session has begun/);
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

  test("/usage shows the session, or the last days", async () => {
    const text = await say("/usage");
    assert.match(
      text,
      /^model +input +cached +output +reasoning +USD\nmine\/big +1,200 +200 +30 +0 +0\.2500$/m,
    );
    assert.match(text, /budgets\.day\.usd: 0\.2500 of 2\.00 used$/);
    assert.match(await say("/usage 7"), /^all .* 0\.2500 \+ unknown$/m);
    assert.match(await say("/usage 7"), /unknown: no price is set for the model/);
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
