import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Readiness } from "../../core/host.ts";
import { call, fakeHost, listed, noSession, say } from "./fake-host.suite.ts";

const here = call.session;
const demo = { provider: "demo", model: "demo", models: [] };
const notThere: Readiness = {
  ok: false,
  fault: { code: "config", message: "There is no codex.", next: "npm i -g @openai/codex" },
};

describe("/model", () => {
  test("shows the model and where it comes from, and offers the others", async () => {
    const { text, choose } = await say("/model");
    assert.equal(text, "The model is big (mine), the default.\nmine has: big, small.");
    assert.deepEqual(choose?.options, [
      { value: "big", label: "big", detail: "now" },
      { value: "small", label: "small" },
    ]);
    const chosen = fakeHost({ sessions: [listed(here, { model: "small" })] });
    assert.match((await say("/model", chosen)).text, /is small \(mine\), chosen in this session/);
    assert.match(
      (await say("/model", chosen, { ...call, choices: { model: "x" } })).text,
      /x .*for the next message/,
    );
    const unnamed = fakeHost({ status: { models: [] } });
    assert.deepEqual(await say("/model", unnamed), {
      text: "The model is big (mine), the default. /model NAME chooses another one.",
    });
  });

  test("stays with the session, or goes with the first message", async () => {
    const host = fakeHost();
    assert.deepEqual(await say("/model small", host), {
      text: "From the next turn on this session uses small.",
    });
    assert.deepEqual(host.calls, ['sessions.choose {"session":"ses_here000001","change":{"model":"small"}}']);
    assert.deepEqual((await say("/model small", fakeHost(), noSession)).choices, { model: "small" });
  });

  test("is not taken back by what was to go with the next message", async () => {
    const pending = { ...call, choices: { model: "other" } };
    assert.deepEqual((await say("/model small", fakeHost(), pending)).choices, { model: "small" });
  });

  test("takes any name of a provider whose models the settings do not name", async () => {
    const host = fakeHost({ status: { models: [] } });
    await say("/model Some/New-Model", host);
    assert.deepEqual(host.calls, [
      'sessions.choose {"session":"ses_here000001","change":{"model":"Some/New-Model"}}',
    ]);
  });

  for (const [name, status, line, answer] of [
    ["what is so already", {}, "/model big", /big is the model already\. Nothing was changed/],
    [
      "a model the provider does not have",
      {},
      "/model huge",
      /mine has no model huge\. There are: big, small\.\n.*providers\.mine\.models/,
    ],
    ["another model of the demo", demo, "/model huge", /demo has only its own model/],
    ["the model the demo has", demo, "/model demo", /demo is the model already/],
    ["a name with blanks", {}, "/model a b", /it contains spaces/],
  ] as const) {
    test(`refuses ${name}`, async () => {
      for (const from of [call, noSession]) {
        const host = fakeHost({ status });
        const reply = await say(line, host, from);
        assert.match(reply.text, answer);
        assert.deepEqual([reply.choices, host.calls], [undefined, []]);
      }
    });
  }
});

describe("/reasoning", () => {
  test("shows the level and offers the others", async () => {
    const { text, choose } = await say("/reasoning");
    assert.match(text, /^Nobody chose it/);
    assert.deepEqual(
      choose?.options.map(({ value }) => value),
      ["none", "minimal", "low", "medium", "high", "xhigh"],
    );
    const chosen = fakeHost({ sessions: [listed(here, { effort: "low" })] });
    assert.match((await say("/effort", chosen)).text, /^It is low, chosen in this session/);
  });

  test("stays with the session, or goes with the first message", async () => {
    const host = fakeHost();
    assert.match((await say("/reasoning HIGH", host)).text, /reasoning effort high/);
    assert.deepEqual(host.calls, ['sessions.choose {"session":"ses_here000001","change":{"effort":"high"}}']);
    assert.deepEqual((await say("/reasoning none", fakeHost(), noSession)).choices, { effort: "none" });
  });

  test("refuses an unknown level, what is so already, and a model that does not think", async () => {
    const host = fakeHost({ sessions: [listed(here, { effort: "low" })] });
    assert.match(
      (await say("/reasoning ultra", host)).text,
      /not a reasoning level.*none, minimal, low, medium, high, xhigh/,
    );
    assert.match((await say("/reasoning low", host)).text, /low already\. Nothing was changed/);
    const simple = fakeHost({ status: demo });
    assert.match((await say("/reasoning high", simple)).text, /does not think/);
    assert.deepEqual([...host.calls, ...simple.calls], []);
  });
});

describe("/runtime", () => {
  test("shows what runs this session, and offers the other", async () => {
    const { text, choose } = await say("/runtime");
    assert.match(text, /^This session runs on loop, the default\./);
    assert.deepEqual(
      choose?.options.map(({ value }) => value),
      ["loop", "codex"],
    );
  });

  test("switches this session alone, from its next turn on", async () => {
    const host = fakeHost();
    const { text, choices } = await say("/runtime Codex", host);
    assert.match(
      text,
      /^From the next turn on this session runs on codex\..*carried over.*cold.*\ncodex-cli 0\.166\.0/,
    );
    assert.equal(choices, undefined);
    assert.deepEqual(host.calls, [
      'runtime.readiness {"runtime":"codex"}',
      'sessions.choose {"session":"ses_here000001","change":{"runtime":"codex"}}',
    ]);
    const back = fakeHost({ sessions: [listed(here, { runtime: "codex" })] });
    assert.match((await say("/runtime loop", back)).text, /runs on loop/);
  });

  test("goes with the first message when there is no session yet", async () => {
    const { text, choices } = await say("/runtime codex", fakeHost(), noSession);
    assert.deepEqual(choices, { runtime: "codex" });
    assert.match(text, /your next message begins runs on codex/);
  });

  test("passes a warning on, and says that the loop is not recorded", async () => {
    const warned = fakeHost({ ready: { ok: true, detail: "codex 9", warning: "newer than tested" } });
    assert.match((await say("/runtime codex", warned)).text, /\nWarning: newer than tested$/);
    const back = fakeHost({ sessions: [listed(here, { runtime: "codex" })] });
    const recording = { ...call, choices: { record: true } };
    assert.match((await say("/runtime loop", back, recording)).text, /only turns on codex are recorded/);
  });

  test("changes nothing when it cannot run there, is so already, or does not exist", async () => {
    const host = fakeHost({ ready: notThere });
    assert.equal(
      (await say("/runtime codex", host)).text,
      "There is no codex. Nothing was changed.\n→ npm i -g @openai/codex",
    );
    assert.deepEqual(host.calls, ['runtime.readiness {"runtime":"codex"}']);
    const idle = fakeHost();
    assert.match((await say("/runtime loop", idle)).text, /on loop already\. Nothing was changed/);
    assert.match((await say("/runtime pi", idle)).text, /no runtime "pi"\. Choose one of: loop, codex/);
    assert.deepEqual(idle.calls, []);
  });

  test("goes back to the loop also when the loop lacks something, and says what", async () => {
    const bound = fakeHost({ ready: notThere, sessions: [listed(here, { runtime: "codex" })] });
    const { text } = await say("/runtime loop", bound);
    assert.match(
      text,
      /^From the next turn on[^]*\nBut it cannot run turns now: There is no codex\.\n→ npm i/,
    );
    assert.equal(bound.calls[1], `sessions.choose {"session":"${here}","change":{"runtime":"loop"}}`);
  });
});
