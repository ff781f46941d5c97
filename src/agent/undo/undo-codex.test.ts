import assert from "node:assert/strict";
import { test } from "node:test";
import { tempFolder } from "../../../test/temp-folder.ts";
import { pinnedCodex } from "../../../test/codex-schema/pinned-codex.ts";
import { demoScript } from "../../../test/fakes/demo-replies.ts";
import { codexHome } from "../../../test/fakes/real-codex-home.ts";
import { input, testHome, watch } from "../../../test/fakes/test-agent.ts";
import { newId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import { suiteRuntime } from "../../runtimes/codex/codex.suite.ts";
import { launchOptions } from "../../runtimes/codex/process/launch.ts";

test("on codex, the real one, the model hears no more of a turn that was taken back, and again of one that came back", async () => {
  await using codex = await codexHome();
  await using folder = await tempFolder();
  const replies = ["First-answer.", "Second-answer.", "Third-answer.", "Fourth-answer."];
  const script = demoScript(replies.map((says) => ({ says })));
  await using model = await startDemoModel({ clock: systemClock, script });
  const launch = launchOptions({
    binary: pinnedCodex(),
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent", TMPDIR: "/tmp" },
    route: { name: "scripted", url: model.url, headers: {} },
    retries: { request: 0, stream: 0 },
    isolated: { codexHome: codex.path },
  });
  await using runtime = suiteRuntime(launch, "gpt-5.5");
  await using home = await testHome();
  const agent = await home.open(runtime, { runtimes: { codex: runtime }, defaultRuntime: "codex" });
  const session = { id: newId("ses", 1), cwd: folder.path, surface: "cli", audience: "owner" as const };
  const seen = watch(agent, session.id);
  const says = async (words: string): Promise<string> => {
    const ended = await (await agent.send(input(words, { session }))).ended;
    assert.equal(ended?.outcome, "done", JSON.stringify(ended));
    return JSON.stringify(model.requests.at(-1)?.body["input"]);
  };
  const seeded = () =>
    seen.events.filter((event) => event.type === "notice" && event.code === "thread_seeded").length;

  await says("first-question");
  assert.match(await says("second-question"), /first-question.*First-answer.*second-question/);
  await agent.undo(session.id, 1);
  assert.equal(seeded(), 0);
  const third = await says("third-question");
  assert.match(third, /first-question.*First-answer.*third-question/);
  assert.doesNotMatch(third, /second-question|Second-answer/);
  assert.equal(seeded(), 1, "the person is told that it goes on in a new thread");
  await agent.undo(session.id, 1);
  await agent.redo(session.id);
  const fourth = await says("fourth-question");
  assert.match(fourth, /first-question.*First-answer.*third-question.*Third-answer.*fourth-question/);
  assert.doesNotMatch(fourth, /second-question|Second-answer/);
  assert.equal(seeded(), 2);
});
