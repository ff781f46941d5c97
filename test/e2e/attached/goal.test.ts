import assert from "node:assert/strict";
import { test } from "node:test";
import { hangs, says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { serving } from "./serving.ts";
import { runs, talariaOnCodex } from "../codex/codex-talaria.ts";

test("a goal is worked on by the host on codex, until its check says that it is reached", async () => {
  await using it = await talariaOnCodex([
    says("It is done."),
    { reply: [runs("touch reached")] },
    says("Now it is."),
  ]);
  const host = await serving(it, it.env);
  const events = await it.start(["events", "--follow"]);
  const how = ["--runtime", "codex", "--check", "test -e reached", "--json"];
  const set = await it.run(["goal", "Make the file", ...how]);
  const { session } = JSON.parse(set.stdout) as { session: string };
  await events.shows(/Goal reached: Make the file/);
  events.signal("SIGINT");
  const status = await it.run(["goal", "status", "--session", session, "--json"]);
  const goal = JSON.parse(status.stdout) as { state: string; steps: { exitCode: number }[] };
  assert.deepEqual([goal.state, goal.steps.map(({ exitCode }) => exitCode)], ["done", [1, 0]]);
  host.signal("SIGTERM");
  await host.finished;
  const [kept] = await onDisk(it.home);
  assert.deepEqual(kept?.turns, ["done", "done"]);
});

for (const [signal, way] of [
  ["SIGKILL", "killed"],
  ["SIGTERM", "ended"],
] as const)
  test(`a goal on codex whose host was ${way} in the middle of a turn goes on with the next host, told what happened`, async () => {
    const second = Promise.withResolvers<void>();
    let requests = 0;
    await using it = await talariaOnCodex(
      [says("It is done."), hangs("Half of it."), { reply: [runs("touch reached")] }, says("Now it is.")],
      {
        onRequest: () => {
          if ((requests += 1) === 2) second.resolve();
        },
        unaccounted: "an answer that was cut off has no count",
      },
    );
    const first = await serving(it, it.env);
    const events = await it.start(["events", "--follow"]);
    const how = ["--runtime", "codex", "--check", "test -e reached", "--json"];
    const set = await it.run(["goal", "Make the file", ...how]);
    const { session } = JSON.parse(set.stdout) as { session: string };
    await second.promise;
    await events.shows(/Make the file/);
    first.signal(signal);
    await first.finished;
    const host = await serving(it, it.env);
    await events.shows(/The turn was cut off when Talaria ended/);
    await events.shows(/Goal reached: Make the file/);
    events.signal("SIGINT");
    const { stdout } = await it.run(["goal", "status", "--session", session, "--json"]);
    const { steps } = JSON.parse(stdout) as { steps: { exitCode?: number }[] };
    assert.deepEqual(
      steps.map(({ exitCode }) => exitCode),
      [1, undefined, 0],
    );
    assert.match(JSON.stringify(it.model.requests.at(-1)?.body), /See what of it took effect/);
    host.signal("SIGTERM");
    await host.finished;
    const [kept] = await onDisk(it.home);
    assert.deepEqual(kept?.turns, ["done", "interrupted", "done"]);
  });
