import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { asId } from "../../../src/core/ids.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { editorOn, newThread } from "../acp/thread.ts";
import { onDisk } from "../on-disk.ts";
import { type CodexTalaria, pidOf, processesOf, runs, talariaOnCodex } from "./codex-talaria.ts";
import { whenChanged } from "./watching.ts";

const goOn = { when: "^go on$", reply: [{ text: "Here again." }] };
const command = "touch begun; sleep 602";
const program = `text(await tools.exec_command({ cmd: "${command}", yield_time_ms: 30000 }));`;

/** Everything ends at once: codex is not left to write down how. */
async function powerCut(it: CodexTalaria, talaria: RegExp): Promise<void> {
  const [codex, ours] = [await pidOf(it, /codex app-server/), await pidOf(it, talaria)];
  for (const pid of [codex, ours]) process.kill(pid, "SIGSTOP");
  for (const pid of [ours, codex]) process.kill(pid, "SIGKILL");
}

describe("a command of codex that has begun when the power fails", { concurrency: 2 }, () => {
  for (const [model, call] of [
    ["gpt-5.5", runs(command)],
    ["gpt-6.1-sol", { custom: { tool: "exec", input: program } }],
  ] as const)
    test(`is in the session afterwards, once, with an unknown outcome (${model})`, async () => {
      await using it = await talariaOnCodex([{ when: "^work$", reply: [call] }, goOn]);
      const child = await it.startTurn(["--model", model, "work"]);
      await child.shows(/"type":"begin".*touch begun/);
      await whenChanged(it.cwd, async () => (await readdir(it.cwd)).includes("begun"));
      await powerCut(it, /main\.\w+ run/);
      await child.finished;
      const next = await it.turn(["--continue", "go on"]);
      assert.deepEqual([next.code, next.ended.text], [0, "Here again."]);
      assert.deepEqual(await processesOf(it), []);
      const [session] = await onDisk(it.home);
      const [user, made, result, ...rest] = session?.said ?? [];
      assert.deepEqual(
        [user, made, rest],
        ["user work", "assistant ", ["user go on", "assistant Here again."]],
      );
      assert.match(result ?? "", /^tool \[interrupted, outcome unknown\]/);
      assert.match(
        next.notices("turn_recovered").join("\n"),
        / Nobody can say how this ended: exec_command touch begun; sleep 602\.$/,
      );
      const asked = JSON.stringify(it.model.requests.at(-1)?.body["input"]);
      assert.match(asked, /last words and results.*touch begun.*interrupted, outcome unknown/);
    });

  test("has not begun while it waits for a person", async () => {
    await using it = await talariaOnCodex([
      { when: "^work$", reply: [runs("rm -f keep.txt")] },
      { when: "^work$", reply: [{ text: "Then not." }] },
    ]);
    const settings = join(it.home, "config.yaml");
    const auto = await readFile(settings, "utf8");
    await writeFile(settings, auto.replace("openai_runtime: auto", "openai_runtime: codex_app_server"));
    await writeFile(join(it.cwd, "keep.txt"), "");
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    const prompt = thread.prompt("work");
    const { answer } = await editor.asked();
    await using store = await openSqliteStore(join(it.home, "talaria.db"));
    const [turn] = await store.turns.listOpen();
    const open = await store.calls.open(turn?.id ?? asId<"trn">(""));
    assert.partialDeepStrictEqual(open, [{ tool: "exec_command", mayHaveRun: false }]);
    answer("deny");
    assert.deepEqual(await prompt, { stopReason: "end_turn" });
    const [item] = await store.turns.items(turn?.id ?? asId<"trn">(""));
    assert.equal(item?.id, open[0]?.id, "it is the item that codex told of later");
    assert.deepEqual(await store.calls.open(turn?.id ?? asId<"trn">("")), []);
  });
});
