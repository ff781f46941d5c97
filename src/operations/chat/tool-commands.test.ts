import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Goal } from "../../core/goal.ts";
import type { InputOf } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import type { ListedTool } from "../../core/tooling.ts";
import { laterCompletions } from "./completions.ts";
import { call, failing, fakeHost, guest as aGuest, noSession, say, spent } from "./fake-host.suite.ts";

const listed = (name: string, toolset: string, more: Partial<ListedTool> = {}): ListedTool => ({
  name,
  toolset,
  about: `It is ${name}.`,
  effect: "none",
  runtimes: ["loop"],
  deferred: false,
  off: false,
  ...more,
});

const some: readonly ListedTool[] = [
  listed("browser_back", "browser", { deferred: true, effect: "external", runtimes: ["loop", "codex"] }),
  listed("browser_click", "browser", { off: true, unavailable: "no browser here" }),
  listed("read_file", "file"),
  listed("speak", "tts", { unavailable: "no voice here" }),
];

const switchTools = async ({ names, on }: InputOf<"tools.switch">) => ({
  changed: names.map((name) => `${name}:${on}`),
  file: "/home/ada/.talaria/config.yaml",
  ignoredByCodex: [] as readonly string[],
});

describe("/tools", () => {
  test("lists by set what is on, off and missing, and why", async () => {
    const host = fakeHost({ over: { "tools.list": async () => some.toReversed() } });
    assert.deepEqual((await say("/tools", host)).text.split("\n"), [
      "tool             state    effect    runtimes     about",
      "browser",
      "  browser_click  off      none      loop         It is browser_click.",
      "  browser_back   on       external  loop, codex  It is browser_back.",
      "file",
      "  read_file      on       none      loop         It is read_file.",
      "tts",
      "  speak          missing  none      loop         It is speak.",
      "Not usable here:",
      "  speak: no voice here",
      "Codex brings its own tools for commands and files; what you switch off is off there too.",
      "1 of them is not shown to the model up front: it finds it by searching.",
    ]);
    assert.equal((await say("/tools")).text, "There are no tools.");
  });

  test("says a reason once, with all that lack it", async () => {
    const blind = { unavailable: "the model sees no pictures" };
    const tools = [
      listed("look", "vision", blind),
      listed("speak", "tts"),
      listed("browse", "browser", blind),
    ];
    const { text } = await say("/tools", fakeHost({ over: { "tools.list": async () => tools } }));
    assert.deepEqual(text.match(/.*sees no pictures.*/g), ["  look, browse: the model sees no pictures"]);
  });

  test("switches them, and says where that is written", async () => {
    const host = fakeHost({ over: { "tools.switch": switchTools } });
    assert.deepEqual((await say("/tools OFF browser,  speak", host)).text.split("\n"), [
      "Switched off, from the next turn on: browser:false, speak:false.",
      "It is in /home/ada/.talaria/config.yaml.",
    ]);
    assert.match((await say("/tools on speak", host)).text, /^Switched on, .*: speak:true\./);
    assert.equal((await say("/tools on speak")).text, "Already on: speak. Nothing was changed.");
  });

  test("says where codex keeps its own of what was switched off, at once and in the list", async () => {
    const gap = "read_file is switched off, but codex reads files.";
    const over = {
      "tools.list": async () => [listed("read_file", "file", { off: true, codexGap: gap })],
      "tools.switch": async ({ names }: InputOf<"tools.switch">) => ({
        changed: names,
        file: "f",
        ignoredByCodex: [gap],
      }),
    };
    assert.equal((await say("/tools off read_file", fakeHost({ over }))).text.split("\n").at(-1), gap);
    assert.equal((await say("/tools", fakeHost({ over }))).text.split("\n").at(-1), gap);
  });

  test("says on codex that a new thread begins, if the thread knows the tool", async () => {
    const over = {
      "tools.list": async () => some,
      "tools.switch": async ({ names }: InputOf<"tools.switch">) => ({
        changed: names,
        file: "f",
        ignoredByCodex: [],
      }),
    };
    const onCodex = fakeHost({ over, status: { runtime: "codex" } });
    assert.match(
      (await say("/tools off browser_back", onCodex)).text,
      /next turn begins a new one, with what/,
    );
    assert.doesNotMatch((await say("/tools off read_file", onCodex)).text, /thread/);
    assert.doesNotMatch((await say("/tools off browser_back", fakeHost({ over }))).text, /thread/);
  });

  test("refuses other words, no names, a guest, and a name that is none", async () => {
    const host = fakeHost();
    assert.match((await say("/tools browser", host)).text, /takes nothing, or on or off/);
    assert.match((await say("/tools off", host)).text, /^Which\? \/tools off NAME/);
    const guest = { ...call, by: aGuest };
    assert.match((await say("/tools off todo", host, guest)).text, /^Only the owner/);
    assert.deepEqual(host.calls, []);
    const unknown = failing(new Refusal("usage", "There is no tool x.", "Did you mean y?"));
    const strict = fakeHost({ over: { "tools.switch": unknown } });
    assert.match((await say("/tools off x", strict)).text, /There is no tool x\.[^]*Did you mean y\?/);
  });

  test("completes the names that would change", async () => {
    const asked: string[] = [];
    const host = async () => {
      asked.push("host");
      return fakeHost({ over: { "tools.list": async () => some } });
    };
    const later = async (line: string): Promise<readonly string[]> =>
      (await laterCompletions(line, "tui", host)).map(({ value }) => value);
    assert.deepEqual(await later("/tools off "), [
      "browser",
      "browser_back",
      "file",
      "read_file",
      "speak",
      "tts",
    ]);
    assert.deepEqual(await later("/tools on b"), ["browser", "browser_click"]);
    assert.deepEqual(await later("/tools off file BROW"), ["browser", "browser_back"]);
    assert.deepEqual(await later("/tools off speak s"), []);
    assert.equal(asked.length, 4);
    for (const line of ["/tools", "/tools o", "/runtime loop ", "hello you there", "/nothing a b"])
      assert.deepEqual(await later(line), [], line);
    assert.equal(asked.length, 4);
    assert.deepEqual(await later("/tools maybe "), []);
  });
});

describe("/diff", () => {
  test("shows the folder, or what the turn or session changed", async () => {
    assert.equal((await say("/diff")).text, '{"what":"folder","cwd":"/work"}');
    assert.equal((await say("/diff TURN")).text, `{"what":"turn","session":"${call.session}"}`);
    assert.equal((await say("/diff session")).text, `{"what":"session","session":"${call.session}"}`);
  });

  test("says that nothing was changed, and what it does not show", async () => {
    const host = fakeHost({
      over: { "diff.show": async () => ({ text: "\n", note: "This is no git repository." }) },
    });
    assert.equal((await say("/diff", host)).text, "This is no git repository.");
    const nothing = fakeHost({ over: { "diff.show": async () => ({ text: "" }) } });
    assert.equal((await say("/diff", nothing)).text, "Nothing was changed.");
    const rude = fakeHost({
      over: { "diff.show": async () => ({ text: "+a\u0007\tb\n", note: "One is large." }) },
    });
    assert.equal((await say("/diff", rude)).text, "+a\uFFFD\tb\nOne is large.");
  });

  test("refuses other words, and a turn before there is one", async () => {
    assert.equal((await say("/diff all")).text, "/diff takes nothing, turn, or session.");
    assert.match((await say("/diff turn", fakeHost(), noSession)).text, /no session yet/);
  });
});

describe("/usage", () => {
  const host = fakeHost({
    over: {
      "usage.report": async ({ days }) => ({
        total: days === undefined ? spent : { ...spent, rows: 2, unpriced: 1, uncounted: 2 },
        days: [{ name: "2026-01-01", ...spent }],
        models: [{ name: "mine/big", ...spent }],
        causes: [{ name: "turn", ...spent }],
        roles: [{ name: "owner", ...spent }],
        budgets: [{ key: "budgets.day.usd", spent: 0.25, limit: 2 }],
      }),
    },
  });

  test("shows the session, or the last days", async () => {
    const { text } = await say("/usage", host);
    assert.match(
      text,
      /^model +input +cached +output +reasoning +USD\nmine\/big +1,200 +200 +30 +0 +0\.2500$/m,
    );
    assert.match(text, /budgets\.day\.usd: 0\.2500 of 2\.00 used$/);
    const week = (await say("/cost 7", host)).text;
    assert.match(week, /^all .* 0\.2500 \+ unknown$/m);
    assert.match(week, /unknown: no price is set for the model/);
    assert.match(week, /^at least: 2 requests were cut off before the model said/m);
    assert.doesNotMatch(text, /cut off/);
  });

  test("says so before the first message, and refuses what is no number", async () => {
    assert.match((await say("/usage", host, noSession)).text, /^No session yet\. \/usage 30/);
    assert.equal((await say("/usage week", host)).text, "/usage takes a number of days.");
  });
});

test("/goal budget says when money limits nothing, since no price of the model is known", async () => {
  const limited = { limit: { turns: 20, usd: 10, tokens: 1 }, state: "active" } as Goal;
  const said = async (line: string, priced: readonly string[]): Promise<string> =>
    (await say(line, fakeHost({ status: { priced }, over: { "goals.budget": async () => limited } }))).text;
  assert.match(
    await said("/goal budget $10", []),
    /10 USD in all\.\nWarning: no price of big at mine is known/,
  );
  assert.doesNotMatch(await said("/goal budget $10", ["big"]), /Warning/);
  assert.doesNotMatch(await said("/goal budget 40", []), /Warning/);
});
