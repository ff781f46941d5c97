import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { exported } from "./exported.ts";
import { says, talariaOn } from "../endpoint.ts";
import type { Result, Talaria } from "../talaria.ts";
import { endServing, normalised, serving } from "./serving.ts";

const looks = { call: { tool: "terminal", args: { command: "echo found it" } } };
const fails = { reply: [{ http: { status: 400, body: { error: { message: "no such thing" } } } }] };

/** What is typed, and the script of the model that answers. */
type Scene = {
  readonly script: readonly object[];
  readonly steps: readonly (
    | readonly string[]
    | { readonly typed: string; readonly words: readonly string[] }
  )[];
};

const scenes: Readonly<Record<string, Scene>> = {
  "one message": { script: [says("Yes.")], steps: [["run", "hello"]] },
  "every event as a line": { script: [says("Yes.")], steps: [["run", "--json", "hello"]] },
  "only the answer": { script: [says("Yes.")], steps: [["run", "-q", "hello"]] },
  "a message from a pipe": { script: [says("Yes.")], steps: [{ typed: "hello\n", words: ["run", "-"] }] },
  "a session that goes on": {
    script: [says("One."), says("Two.")],
    steps: [
      ["run", "first"],
      ["run", "--continue", "second"],
    ],
  },
  "a command in the sandbox": {
    script: [{ reply: [{ text: "I look." }, looks] }, says("Found.")],
    steps: [["run", "--json", "--approve", "none", "look"]],
  },
  "everything allowed beforehand": {
    script: [{ reply: [looks] }, says("Done.")],
    steps: [["run", "--approve", "all", "do it"]],
  },
  "a session that is not there": { script: [], steps: [["run", "--session", "ses_nothing", "hello"]] },
  "a runtime that is not there": { script: [], steps: [["run", "--runtime", "nonsense", "hello"]] },
  "a model that refuses": { script: [fails], steps: [["run", "--json", "hello"]] },
  "a chat of lines": {
    script: [says("One."), says("Two.")],
    steps: [{ typed: "first\n/title A name\nsecond\n/undo\n/history\n/nonsense\n/quit\n", words: [] }],
  },
  "a chat that goes on with a session": {
    script: [says("One."), says("Two.")],
    steps: [["run", "first"], { typed: "second\n/quit\n", words: ["--continue", "--plain"] }],
  },
};

describe("attached, a command does what it does alone", { concurrency: 2 }, () => {
  for (const [name, scene] of Object.entries(scenes))
    test(name, async () => {
      const alone = await played(scene, false);
      const attached = await played(scene, true);
      assert.deepEqual(attached.results, alone.results);
      assert.deepEqual(attached.sessions, alone.sessions);
      const turns = scene.script.length > 0 || name.startsWith("a session");
      assert.equal(attached.by.length > 0, turns, "it was attached");
    });
});

async function played(scene: Scene, isAttached: boolean) {
  await using it = await talariaOn(scene.script, { unaccounted: "the other suites look at it" });
  const host = isAttached ? await serving(it) : undefined;
  const results: unknown[] = [];
  for (const step of scene.steps) results.push(shown(await play(it, step), it));
  const by = host === undefined ? [] : await endServing(host);
  return { results, by, sessions: await exported(it) };
}

const play = (it: Talaria, step: Scene["steps"][number]): Promise<Result> =>
  "words" in step ? it.run(step.words, { input: step.typed }) : it.run(step);

const shown = ({ code, stdout, stderr }: Result, it: Talaria) => ({
  code,
  stdout: normalised(stdout, it),
  stderr: normalised(stderr, it),
});
