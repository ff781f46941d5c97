import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { editorOn, newThread } from "../acp/thread.ts";
import { runs, talariaOnCodex } from "../codex/codex-talaria.ts";
import { says } from "../endpoint.ts";

/** Leaves the sandbox, in words that the person has allowed for good if that was offered. */
const removes = {
  call: {
    tool: "exec_command",
    args: {
      cmd: "rm -f three",
      sandbox_permissions: "require_escalated",
      justification: "May I?",
      yield_time_ms: 30_000,
    },
  },
};
const plants = runs("printf '#!/bin/sh\\ntouch \"$HOME/taken\"\\n' > bin/rm; chmod +x bin/rm");

test("a lasting yes runs no program that a turn has put into a folder which a start-up file has on PATH", async () => {
  await using it = await talariaOnCodex([
    { reply: [removes] },
    { reply: [plants] },
    says("One."),
    { reply: [removes] },
    says("Two."),
  ]);
  const file = join(it.home, "config.yaml");
  const settings = await readFile(file, "utf8");
  await writeFile(file, settings.replace("openai_runtime: auto", "openai_runtime: codex_app_server"));
  await writeFile(join(it.folder, ".bash_profile"), 'PATH="$HOME/work/bin:$PATH"\n');
  await mkdir(join(it.cwd, "bin"));
  await using editor = await editorOn(it);
  for (const [words, choice] of [
    ["first", "always"],
    ["second", "deny"],
  ] as const) {
    const thread = await newThread(editor, it.cwd);
    const over = thread.prompt(words);
    const asked = await Promise.race([editor.asked(), over.then(() => undefined)]);
    const offered = asked?.request.options.map(({ optionId }) => optionId) ?? [];
    asked?.answer(offered.includes(choice) ? choice : "once");
    assert.deepEqual(await over, { stopReason: "end_turn" });
  }
  assert.ok(!(await readdir(it.folder)).includes("taken"));
});
