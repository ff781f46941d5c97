import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { call, fakeHost, noSession, say, spent } from "./fake-host.suite.ts";

describe("/tools", () => {
  test("lists what can be used, and why the rest cannot", async () => {
    const host = fakeHost({
      over: {
        tools: async () => [
          { name: "read_file", about: "Reads a file.", effect: "none", runtimes: ["loop"] },
          {
            name: "session_search",
            about: "Finds what was said.",
            effect: "none",
            runtimes: ["loop", "codex"],
          },
          {
            name: "browser",
            about: "Looks.",
            effect: "external",
            runtimes: ["loop"],
            unavailable: "no browser here",
          },
        ],
      },
    });
    assert.deepEqual((await say("/tools", host)).text.split("\n"), [
      "tool            effect  runtimes     about",
      "read_file       none    loop         Reads a file.",
      "session_search  none    loop, codex  Finds what was said.",
      "Not usable here:",
      "  browser: no browser here",
      "Codex brings its own tools for commands and files.",
    ]);
    assert.equal((await say("/tools")).text, "There are no tools.");
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
      over: { diff: async () => ({ text: "\n", note: "This is no git repository." }) },
    });
    assert.equal((await say("/diff", host)).text, "This is no git repository.");
    const nothing = fakeHost({ over: { diff: async () => ({ text: "" }) } });
    assert.equal((await say("/diff", nothing)).text, "Nothing was changed.");
    const rude = fakeHost({ over: { diff: async () => ({ text: "+a\u0007\tb\n", note: "One is large." }) } });
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
      usage: async ({ days }) => ({
        total: days === undefined ? spent : { ...spent, rows: 2, unpriced: 1 },
        days: [{ name: "2026-01-01", ...spent }],
        models: [{ name: "mine/big", ...spent }],
        causes: [{ name: "turn", ...spent }],
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
  });

  test("says so before the first message, and refuses what is no number", async () => {
    assert.match((await say("/usage", host, noSession)).text, /^No session yet\. \/usage 30/);
    assert.equal((await say("/usage week", host)).text, "/usage takes a number of days.");
  });
});
