import assert from "node:assert/strict";
import { test } from "node:test";
import { hangs, says, talariaOn } from "./endpoint.ts";
import type { Started, Talaria } from "./talaria.ts";

test("a session that is busy in another process refuses, names the pid, and stores nothing", async () => {
  await using it = await talariaOn([hangs(), says("answered")]);
  const { first, session } = await busyTurn(it);

  const refused = await it.run(["run", "--session", session, "second"]);
  assert.equal(refused.code, 3);
  assert.equal(refused.stdout, "");
  assert.match(refused.stderr, new RegExp(`is busy in another process \\(pid ${first.pid} on .+\\)`));
  assert.match(refused.stderr, /Nothing was sent\.\n {9}Wait until/);

  first.signal("SIGSTOP");
  const stopped = await it.run(["run", "--json", "--session", session, "third"]);
  first.signal("SIGCONT");
  assert.equal(stopped.code, 3, "a process that stands still still owns its session");
  assert.partialDeepStrictEqual(stopped.lines, [{ type: "error", code: "busy" }]);

  assert.deepEqual(await said(it, session), ["user first"]);
  assert.equal(it.model.total, 1);
  first.signal("SIGINT");
  assert.equal((await first.finished).code, 130);
  assert.equal((await it.run(["run", "--session", session, "fourth"])).stdout, "answered\n");
  assert.deepEqual(await said(it, session), [
    "user first",
    "assistant Let me think.",
    "user fourth",
    "assistant answered",
  ]);
});

test("another session of the same home is not held up", async () => {
  await using it = await talariaOn([hangs(), says("answered")]);
  await busyTurn(it);
  const other = await it.run(["run", "hello"]);
  assert.deepEqual([other.code, other.stdout, other.stderr], [0, "answered\n", ""]);
});

test("a busy session cannot be deleted", async () => {
  await using it = await talariaOn([hangs()]);
  const { first, session } = await busyTurn(it);
  const { code, stderr } = await it.run(["sessions", "delete", session, "--yes"]);
  assert.equal(code, 3);
  assert.ok(stderr.includes(`pid ${first.pid}`), stderr);
  assert.deepEqual(await said(it, session), ["user first"]);
});

test("a killed process is followed at once; the cut-off turn is told once and nothing is doubled", async () => {
  await using it = await talariaOn([hangs(), says("answered"), says("answered again")]);
  const { first, session } = await busyTurn(it);
  first.signal("SIGKILL");
  assert.equal((await first.finished).signal, "SIGKILL");

  const second = await it.run(["run", "--session", session, "second"]);
  assert.deepEqual([second.code, second.stdout], [0, "answered\n"]);
  assert.equal(second.stderr.match(/The last turn was cut off/g)?.length, 1, second.stderr);
  const third = await it.run(["run", "--session", session, "third"]);
  assert.deepEqual([third.code, third.stderr], [0, ""], "it was told already");

  assert.deepEqual(await said(it, session), [
    "user first",
    "user second",
    "assistant answered",
    "user third",
    "assistant answered again",
  ]);
  const shown = await it.run(["sessions", "show", "--json", session]);
  const { turns } = shown.lines[0] as unknown as { turns: readonly { state: string }[] };
  assert.deepEqual(
    turns.map(({ state }) => state),
    ["interrupted", "done", "done"],
  );
  assert.equal(it.model.total, 3, "the cut-off turn was not run again");
});

/** A turn of another process that the model keeps waiting. */
async function busyTurn(it: Talaria): Promise<{ readonly first: Started; readonly session: string }> {
  const first = await it.start(["run", "--json", "first"]);
  const [, session = ""] = await first.shows(/"session":"(ses_\w+)","turn":"\w+","type":"delta"/);
  return { first, session };
}

async function said(it: Talaria, session: string): Promise<readonly string[]> {
  const { stdout } = await it.run(["sessions", "show", session]);
  return (stdout.match(/^(user|assistant) .*/gm) ?? []).map((line) => line.replace(/\s+/, " "));
}
