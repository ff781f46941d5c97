import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type CodexTalaria, runs, talariaOnCodex } from "../codex/codex-talaria.ts";
import { heard } from "../codex/heard.ts";
import { says } from "../endpoint.ts";
import { capture } from "./capture.ts";
import { noPty } from "./pty.ts";
import { type Chat, chatOn, seenForASecond } from "./tui.ts";

async function leave(screen: Chat): Promise<void> {
  screen.press("ctrl+d");
  assert.deepEqual(await screen.ends(), { code: 0 });
}

/** Codex's own settings, with these features on. */
async function withFeature({ codexHome }: CodexTalaria, name: string): Promise<void> {
  const file = join(codexHome, "config.toml");
  const settings = (await readFile(file, "utf8")).replace("[features]\n", `[features]\n${name} = true\n`);
  await writeFile(file, `suppress_unstable_features_warning = true\n${settings}`);
}

describe("codex on the screen", { skip: noPty, concurrency: 2 }, () => {
  test("a conversation goes on with codex in its middle, and back, and each knows what was said", async () => {
    await using it = await talariaOnCodex(["Hello Ada.", "Ada it is.", "Still Ada."].map(says));
    await using screen = await chatOn(it);
    screen.say("I am Ada");
    await screen.shows(/› I am Ada\n\nHello Ada\.\n· /);
    screen.say("/runtime codex");
    await screen.shows(
      /From the next turn on this session runs on codex[^]*\ngpt-5\.5 · codex \d+\.\d+\.\d+.*$/,
    );
    screen.say("who am I?");
    await screen.shows(/› who am I\?\n[^]*\n\nAda it is\.\n· .*\n─/);
    await capture("runtime-switch", screen);
    assert.deepEqual(heard(it.model.requests[1]), [
      "user I am Ada",
      "assistant Hello Ada.",
      "user who am I?",
    ]);
    screen.say("/CODEX-RUNTIME off");
    await screen.shows(/This conversation runs on loop from its next turn\n?[^]*\ngpt-5\.5 · loop.*$/);
    screen.say("and now?");
    await screen.shows(/› and now\?\n\nStill Ada\.\n· /);
    assert.equal(heard(it.model.requests[2]).at(-2), "assistant Ada it is.");
    screen.say("/codex-runtime on");
    await screen.shows(/The default is codex now[^]*\ngpt-5\.5 · codex \d.*$/, "all");
    assert.match(await readFile(join(it.home, "config.yaml"), "utf8"), /codex_app_server/);
    screen.say("/codex-runtime sideways");
    await screen.shows(/"sideways" is not a choice\. Codex: codex_app_server, on,/);
    await leave(screen);
  });

  test("the banner names the runtime of the session that is gone on with, not that of new ones", async () => {
    await using it = await talariaOnCodex([says("Hello Ada.")]);
    await it.turn(["I am Ada"]);
    await using screen = await chatOn(it, ["--continue"]);
    await screen.shows(/Runtime: codex app-server[^]*Hello Ada\.[^]*\ngpt-5\.5 · codex \d.*$/, "all");
    await leave(screen);
    await using fresh = await chatOn(it);
    await fresh.shows(/Runtime: loop/, "all");
    await leave(fresh);
  });

  test("a command of codex's is asked about, runs when allowed, and shows what it printed", async () => {
    const command = "wc -l < notes.txt && rm -f draft.txt";
    await using it = await talariaOnCodex([
      {
        reply: [{ text: "I count the lines, then I remove the draft.", phase: "commentary" }, runs(command)],
      },
      says("Your notes have **3 lines**, and the draft is gone."),
      { reply: [runs("rm -f notes.txt")] },
    ]);
    await writeFile(join(it.cwd, "notes.txt"), "one\ntwo\nthree\n");
    await writeFile(join(it.cwd, "draft.txt"), "");
    await using screen = await chatOn(it);
    screen.say("/codex-runtime on");
    await screen.shows(/\ngpt-5\.5 · codex \d.*$/);
    screen.say("count my notes and remove the draft");
    await screen.shows(/╭ May this be done\?\n[^]*rm -f draft\.txt[^]*│ runtime: codex\n[^]*╰ /);
    await seenForASecond(screen);
    await capture("approval", screen);
    screen.type("1");
    screen.press("enter");
    await screen.shows(
      /I count the lines, .*\n\n· allowed once by you\n✓ exec_command {2}wc .*\n {2}3\n\nYour notes have 3 lines, .*\n· .*\n─/,
    );
    await capture("codex-command", screen);
    assert.deepEqual(await readdir(it.cwd), ["notes.txt"]);
    screen.say("the notes too");
    await screen.shows(/╭ May this be done\?[^]*rm -f notes\.txt/);
    screen.press("ctrl+c");
    await screen.shows(/· interrupted; what was finished is kept[^]*\n─+\n\n─+\n/);
    assert.deepEqual(await readdir(it.cwd), ["notes.txt"]);
    await leave(screen);
  });

  test("an inquiry of codex's is answered from its list", async () => {
    const options = ["Blue", "Green"].map((label) => ({ label, description: `as ${label}` }));
    const questions = [{ id: "q1", header: "Colour", question: "Which colour?", options }];
    await using it = await talariaOnCodex([
      { reply: [{ call: { tool: "request_user_input", args: { questions } } }] },
      says("Then that."),
    ]);
    await withFeature(it, "default_mode_request_user_input");
    await using screen = await chatOn(it);
    screen.say("/runtime codex");
    await screen.shows(/\ngpt-5\.5 · codex \d.*$/);
    screen.say("ask me");
    await screen.shows(/╭ A question\n[^]*│ Which colour\?\n│ {3}1 Blue.*\n│ {3}2 Green.*\n╰ /);
    await seenForASecond(screen);
    screen.type("2");
    await screen.shows("│ ▸ 2 Green");
    screen.press("enter");
    await screen.shows(/\n\nThen that\.\n· /);
    assert.doesNotMatch(screen.text(), /A question/);
    assert.deepEqual(heard(it.model.requests.at(-1)).at(-1), `result ${answered({ q1: ["Green"] })}`);
    await leave(screen);
  });
});

/** What codex tells the model, as a text in its request. */
const answered = (given: Readonly<Record<string, readonly string[]>>): string =>
  JSON.stringify(
    JSON.stringify({
      answers: Object.fromEntries(Object.entries(given).map(([id, answers]) => [id, { answers }])),
    }),
  );
