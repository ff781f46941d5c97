import assert from "node:assert/strict";
import { test } from "node:test";
import { says } from "../endpoint.ts";
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
