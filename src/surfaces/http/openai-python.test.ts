import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import { systemClock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { setVariables } from "../../lib/process/variables.ts";
import { modelWorld } from "./model-world.suite.ts";

const client = join(import.meta.dirname, "../../../test/fixtures/http/openai_client.py");
const story = "Once upon a time there was a pair of winged sandals.";

test("OpenAI's client for Python holds conversations, and whoever it leaves goes on", async (t) => {
  if ((await python(t, ["-c", "import openai"])).code !== 0)
    return t.skip("Python has no package openai here: pip install openai");
  const told = { when: "story", reply: [{ text: story, chunks: 6 }, { usage: { input: 50, output: 12 } }] };
  const world = await modelWorld(
    t,
    Array.from({ length: 20 }, () => told),
  );
  const key = await world.key("operate");
  const { code, stdout, stderr } = await python(t, [client, `${world.origin}/v1`, story], key);
  assert.equal(code, 0, stderr);
  assert.equal(stdout.trim().split("\n").length, 13, stdout);
  await world.host.drain();
  const owner = world.host.as(localOwner("cli"));
  for (const { id } of await owner.call("sessions.list", { limit: 50 }))
    for (const { state } of await owner.call("sessions.turns", { session: id })) assert.equal(state, "done");
  return undefined;
});

const python = (t: TestContext, args: readonly string[], key = "") =>
  runCommand({
    command: "python3",
    args: [...args],
    cwd: "/",
    env: {
      ...setVariables(process.env, (name) => /^(?:PATH|PYTHONPATH)$/.test(name)),
      TALARIA_TEST_KEY: key,
    },
    clock: systemClock,
    signal: t.signal,
    timeoutMs: 120_000,
  }).catch((error: unknown) => ({ code: 1, stdout: "", stderr: String(error) }));
