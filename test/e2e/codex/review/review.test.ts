import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { RecordedRequest } from "../../../fakes/request-log.ts";
import { noTerminal } from "../../pseudo-terminal.ts";
import { runs, talariaOnCodex } from "../codex-talaria.ts";
import { heard } from "../heard.ts";
import {
  answers,
  chat,
  loginOnly,
  review,
  reviews,
  rollouts,
  rows,
  settle,
  untilReviewed,
} from "./review-chat.ts";

const kept = "I always indent with tabs, never with spaces";
const turns = (count: number, first = 1): readonly string[] =>
  Array.from({ length: count }, (_, at) => `turn ${at + first}`);
const commands = (count: number): readonly object[] => Array.from({ length: count }, () => runs("true"));
const onlySkills = "memory: { nudge_interval: 0 }\n";

describe("reviews, on the real codex", { concurrency: 2 }, () => {
  test("with a login alone, the tenth turn is reviewed on a fork that leaves nothing, and later sessions know it", async (t) => {
    await using it = await talariaOnCodex({
      steps: [
        ...turns(9).map((said) => answers(said)),
        answers(kept, { text: `Answer to ${kept}.` }),
        review({ call: { tool: "memory", args: { action: "add", target: "user", content: kept } } }),
        review({ text: "Kept one thing." }),
        answers("turn 11"),
      ],
      otherwise: [{ text: "Hello." }],
    });
    await loginOnly(it);
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    for (const said of turns(9)) await talk.say(said);
    assert.equal(it.model.total, 9);
    await talk.say(kept);
    assert.deepEqual(await untilReviewed(it, 1), [{ kind: "memory", state: "done", after: kept }]);
    assert.match(await readFile(join(it.home, "memories/USER.md"), "utf8"), /always indent with tabs/);

    // It had the whole conversation before it, in the thread's own cache, and could do nothing else.
    const [last, asked] = it.model.requests.slice(9, 11);
    assert.deepEqual(heard(asked).slice(0, 3), ["user turn 1", "assistant Answer to turn 1.", "user turn 2"]);
    assert.equal(asked?.body["prompt_cache_key"], last?.body["prompt_cache_key"]);
    assert.match(JSON.stringify(asked?.body), /sandbox_mode` is `read-only/);
    assert.ok(it.model.requests.every(isOfCodex), "no model was asked past codex");
    assert.equal((await rollouts(it)).length, 1);

    await talk.say("turn 11", /Learned: [^]*Answer to turn 11\./);
    await talk.quit();
    assert.ok(!JSON.stringify(it.model.requests[12]?.body).includes("not the person"));
    const said = rows(it, "SELECT content FROM message WHERE role = 'user' ORDER BY seq");
    assert.deepEqual(
      said.map(({ content }) => content),
      [...turns(9), kept, "turn 11"],
      "each message of the person once, and no other",
    );
    const costs = rows(it, "SELECT runtime, provider, input FROM usage WHERE cause = 'background_review'");
    assert.deepEqual(
      costs.map(({ runtime, provider }) => [runtime, provider]),
      [["codex", "openai-codex"]],
    );
    assert.ok(Number(costs[0]?.["input"]) > 0);

    await it.turn(["hello"]);
    assert.ok(JSON.stringify(it.model.requests.at(-1)?.body).includes(kept), "on codex");
    await settle(
      it,
      `model: { provider: mine }\nproviders: { mine: { api: "${it.model.url}", models: [m] } }\n`,
    );
    await it.run(["run", "--runtime", "loop", "hello"]);
    assert.ok(!isOfCodex(it.model.requests.at(-1)));
    assert.ok(JSON.stringify(it.model.requests.at(-1)?.body).includes(kept), "on the loop");
  });

  test("ten commands make a review of skills due and it counts anew after it; nine do not", async (t) => {
    await using it = await talariaOnCodex([
      answers("nine", ...commands(9)),
      answers("nine"),
      answers("one more", runs("true")),
      answers("one more"),
      review(),
      answers("nine again", ...commands(9)),
      answers("nine again"),
      answers("the tenth", runs("true")),
      answers("the tenth"),
      review(),
      answers("ten at once", ...commands(10)),
      answers("ten at once"),
      review(),
    ]);
    await loginOnly(it, onlySkills);
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    await talk.say("nine");
    await talk.say("one more");
    await untilReviewed(it, 1);
    await talk.say("nine again");
    await talk.say("the tenth");
    await untilReviewed(it, 2);
    await talk.say("ten at once");
    const found = await untilReviewed(it, 3);
    await talk.quit();
    assert.deepEqual(
      found,
      ["one more", "the tenth", "ten at once"].map((after) => ({ kind: "skills", state: "done", after })),
    );
  });

  test("a turn that failed or was stopped is never reviewed; what it made due waits for the next good one", async (t) => {
    await using it = await talariaOnCodex([
      answers("fails", ...commands(10)),
      answers("fails", { http: { status: 401, body: { error: { message: "no" } } } }),
      answers("stops", ...commands(10)),
      answers("stops", { text: "Let me" }, { hang: true }),
      answers("good"),
      review(),
    ]);
    await loginOnly(it, onlySkills);
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    await talk.say("fails", /401[^]*\n› $/);
    await talk.say("stops", /Let me/);
    await talk.terminal.write("\u0003");
    await talk.terminal.shows(/Let me[^]*\n› $/);
    assert.deepEqual(reviews(it), []);
    await talk.say("good");
    assert.deepEqual(await untilReviewed(it, 1), [{ kind: "skills", state: "done", after: "good" }]);
    await talk.quit();
    assert.deepEqual(
      rows(it, "SELECT state FROM turn ORDER BY seq").map(({ state }) => state),
      ["failed", "interrupted", "done"],
    );
  });

  test("a turn that used memory itself starts the count anew", async (t) => {
    const adds = { action: "add", target: "user", content: kept };
    await using it = await talariaOnCodex([
      answers("turn 1"),
      answers(kept, { call: { tool: "memory", args: adds, namespace: "talaria" } }),
      answers(kept, { text: `Answer to ${kept}.` }),
      ...turns(3, 3).map((said) => answers(said)),
      review(),
    ]);
    await loginOnly(it, "memory: { nudge_interval: 3 }\n");
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    for (const said of ["turn 1", kept, ...turns(3, 3)]) await talk.say(said);
    const found = await untilReviewed(it, 1);
    await talk.quit();
    assert.deepEqual(found, [{ kind: "memory", state: "done", after: "turn 5" }]);
  });

  test("a fork reaches memory and skills alone: it cannot write, run or ask anything else of ours", async (t) => {
    const patch = "*** Begin Patch\n*** Add File: patched.txt\n+x\n*** End Patch\n";
    await using it = await talariaOnCodex([
      answers("ten", ...commands(10)),
      answers("ten"),
      review(
        runs("touch made.txt"),
        runs('cat "$HOME/home/config.yaml"'),
        { custom: { tool: "apply_patch", input: patch } },
        {
          call: {
            tool: "todo",
            args: { todos: [{ id: "1", content: "x", status: "pending" }] },
            namespace: "talaria",
          },
        },
        { call: { tool: "clarify", args: { question: "May I?" }, namespace: "talaria" } },
        { call: { tool: "skills_list", args: {}, namespace: "talaria" } },
      ),
      review(),
      answers("fine"),
    ]);
    await loginOnly(it, onlySkills);
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    await talk.say("ten");
    assert.deepEqual(
      (await untilReviewed(it, 1)).map(({ state }) => state),
      ["done"],
    );
    await talk.say("fine");
    await talk.quit();
    const results = heard(it.model.requests[3]).filter((line) => line.startsWith("result"));
    assert.equal(results.length, 16);
    assert.match(results.join("\n"), /config\.yaml: Permission denied/);
    assert.doesNotMatch(results.join("\n"), /openai_runtime/, "nor does it read our settings");
    assert.deepEqual(results.filter((line) => /There is no tool (?:todo|clarify) here/.test(line)).length, 2);
    assert.ok(!existsSync(join(it.cwd, "made.txt")) && !existsSync(join(it.cwd, "patched.txt")));
    assert.deepEqual(rows(it, "SELECT 1 FROM todo"), []);
    assert.deepEqual(rows(it, "SELECT 1 FROM approval UNION SELECT 1 FROM inquiry"), []);
  });

  test("where the settings name a route that speaks responses, a session on codex is reviewed there", async (t) => {
    await using it = await talariaOnCodex([
      answers("ten", ...commands(10)),
      answers("ten"),
      review({ call: { tool: "?skills_list" } }),
      review(),
    ]);
    await settle(
      it,
      `${onlySkills}model: { provider: mine, default: gpt-5.5, openai_runtime: codex_app_server }
providers: { mine: { api: "${it.model.url}", protocol: responses, key_env: MINE_KEY } }
`,
    );
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    await talk.say("ten");
    await untilReviewed(it, 1);
    await talk.quit();
    assert.deepEqual(it.model.requests.map(isOfCodex), [true, true, false, false]);
    const [asked] = it.model.requests.slice(2);
    assert.deepEqual(toolsOf(asked), ["memory", "skill_manage", "skill_view", "skills_list"]);
    assert.ok(heard(asked).includes("user ten"));
    assert.deepEqual(
      rows(it, "SELECT runtime, provider FROM usage WHERE cause = 'background_review'").map((row) => ({
        ...row,
      })),
      [{ runtime: "loop", provider: "mine" }],
    );
  });

  test("where the settings name a route that speaks chat for reviews, a session on codex is reviewed there", async (t) => {
    await using it = await talariaOnCodex([answers("ten", ...commands(10)), answers("ten"), review()]);
    await settle(
      it,
      `${onlySkills}model: { provider: mine, default: gpt-5.5, openai_runtime: codex_app_server }
providers:
  mine: { api: "${it.model.url}", protocol: responses, key_env: MINE_KEY }
  talk: { api: "${it.model.url}", protocol: chat, models: [chatty], key_env: MINE_KEY }
`,
      ", background_review: { provider: talk }",
    );
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    await talk.say("ten");
    await untilReviewed(it, 1);
    await talk.quit();
    assert.deepEqual(it.model.requests.map(isOfCodex), [true, true, false]);
    assert.deepEqual(
      rows(it, "SELECT runtime, provider, model FROM usage WHERE cause = 'background_review'").map((row) => ({
        ...row,
      })),
      [{ runtime: "loop", provider: "talk", model: "chatty" }],
    );
  });

  test("a session on the loop is reviewed by its own model; in the mode `propose` all that it wants waits", async (t) => {
    await using it = await talariaOnCodex([
      ...turns(2).map((said) => answers(said)),
      answers(kept, { text: `Answer to ${kept}.` }),
      review({ call: { tool: "memory", args: { action: "add", target: "user", content: kept } } }),
      review({ text: "Kept one thing." }),
      answers("turn 4"),
    ]);
    await settle(
      it,
      `memory: { nudge_interval: 3 }
learning: { mode: propose }
model: { provider: mine, default: big }
providers: { mine: { api: "${it.model.url}", protocol: responses, key_env: MINE_KEY } }
`,
    );
    const talk = await chat(it);
    if (talk === undefined) return t.skip(noTerminal);
    for (const said of [...turns(2), kept]) await talk.say(said);
    assert.deepEqual(await untilReviewed(it, 1), [{ kind: "memory", state: "done", after: kept }]);
    await talk.say("turn 4", /Proposed, and waits for you: [^]*Answer to turn 4\./);
    await talk.quit();
    const [last, asked] = it.model.requests.slice(2, 4);
    assert.deepEqual(heard(asked).slice(0, 5), heard(last), "the same conversation");
    assert.equal(asked?.body["model"], "big");
    const own = String(asked?.body["instructions"]);
    assert.match(own, /^You are Talaria/);
    assert.ok(String(last?.body["instructions"]).endsWith(own), "and the same words, but for how to work");
    assert.deepEqual(toolsOf(asked), ["memory", "skill_manage", "skill_view", "skills_list"]);
    assert.ok(!existsSync(join(it.home, "memories/USER.md")));
    assert.deepEqual(
      rows(it, "SELECT author, state FROM revision").map((row) => ({ ...row })),
      [{ author: "review", state: "proposed" }],
    );
  });

  test("a one-shot run waits for no review and leaves it to a program that stays", async () => {
    await using it = await talariaOnCodex([answers("ten", ...commands(10)), answers("ten")]);
    await loginOnly(it, onlySkills);
    assert.equal((await it.run(["run", "ten"])).stdout, "Answer to ten.\n");
    assert.equal(it.model.total, 2);
    assert.deepEqual(reviews(it), []);
  });
});

const isOfCodex = (request: RecordedRequest | undefined): boolean =>
  /codex|talaria/i.test(String(request?.headers["originator"] ?? ""));

const toolsOf = (request: RecordedRequest | undefined): readonly string[] =>
  ((request?.body["tools"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name).toSorted();
