import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { heard } from "./codex/heard.ts";
import { processesOf } from "./codex/codex-talaria.ts";
import { whenChanged } from "./codex/watching.ts";
import { says, talariaOn } from "./endpoint.ts";
import { onDisk } from "./on-disk.ts";

const command = "echo sent >> letters; sleep 600";

test("a command that runs at kill -9 is shown, exported and told to the model, with an unknown outcome", async () => {
  await using it = await talariaOn([
    { reply: [{ call: { tool: "terminal", args: { command } } }] },
    says("I look."),
  ]);
  const child = await it.start(["run", "--approve", "all", "send the letter"]);
  await whenChanged(it.cwd, async () => (await readdir(it.cwd)).includes("letters"));
  child.signal("SIGKILL");
  await child.finished;

  // Looking is enough: no turn has to run first.
  const [left] = await onDisk(it.home);
  const shown = await it.run(["sessions", "show", left?.id ?? ""]);
  assert.match(shown.stdout, /echo sent >> letters/);
  assert.match(shown.stdout, /interrupted, outcome unknown/);
  const exported = await it.run(["sessions", "export", left?.id ?? ""]);
  assert.match(exported.stdout, /echo sent >> letters[^]*interrupted, outcome unknown/);

  const next = await it.run(["run", "--continue", "was it sent?"]);
  assert.equal(next.stdout, "I look.\n");
  assert.match(next.stderr, /Nobody can say how this ended: terminal echo sent >> letters; sleep 600\./);
  assert.deepEqual(
    heard(it.model.requests.at(-1)).map((line) => line.slice(0, 40)),
    [
      "user send the letter",
      "call terminal",
      'result "[interrupted, outcome unknown] T',
      "assistant [This turn was stopped before ",
      "user was it sent?",
    ],
  );
  assert.equal(await readFile(join(it.cwd, "letters"), "utf8"), "sent\n");
  assert.deepEqual(await processesOf(it), []);
});
