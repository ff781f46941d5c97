import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import type { Occurrence } from "../../core/work/work.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { call, cardsWorld, says } from "./cards-world.suite.ts";

test("a schedule on the real codex runs the command that was allowed beforehand, and nothing else", async (t) => {
  const { run, made } = await outside(t, ["granted", "other", "granted"], ["granted"]);
  assert.deepEqual(made, ["granted"]);
  assert.equal(run.state, "refused");
  assert.match(run.reason ?? "", /nobody was there to ask: .*other/);
});

test("a schedule on the real codex that does what was allowed has run", async (t) => {
  const { run, made } = await outside(t, ["granted"], ["granted"]);
  assert.deepEqual(made, ["granted"]);
  assert.equal(run.state, "ran", run.reason);
});

test("a schedule on the real codex that was allowed nothing is refused, and says so in its row", async (t) => {
  const { run, made } = await outside(t, ["granted"], []);
  assert.deepEqual(made, []);
  assert.partialDeepStrictEqual(run, { state: "refused", delivery: "pending" });
});

/** A run whose model wants to make these files, where the sandbox does not let it. */
async function outside(
  t: TestContext,
  wanted: readonly string[],
  allowed: readonly string[],
): Promise<{ readonly run: Occurrence; readonly made: readonly string[] }> {
  // Codex lets whatever is among temporary files be written.
  const made = await tempFolder(join(import.meta.dirname, "../../../node_modules/.cache"));
  t.after(() => made[Symbol.asyncDispose]());
  const place = made.path;
  const command = (name: string): string => `/usr/bin/touch ${join(place, name)}`;
  const leaving = { sandbox_permissions: "require_escalated", justification: "May I?" };
  const steps = wanted.map((name) => call("exec_command", { cmd: command(name), ...leaving }));
  const it = await cardsWorld(t, [...steps, says("Done.")], "", { tieOf });
  {
    await using host = await it.open();
    const client = host.as(localOwner("cli"));
    const allow = allowed.map(command);
    const terms = { cwd: it.repository, runtime: "codex", allow };
    await client.call("cron.add", { when: "every 2h", text: "Make it.", name: "it", ...terms });
    await client.call("cron.run", { id: "it" });
    await it.model.waitForRequest(wanted.length + 1);
    await host.drain();
  }
  await using host = await it.open(false);
  const [run] = await host.as(localOwner("cli")).call("cron.runs", { limit: 5 });
  const files = [...new Set(wanted)].filter((name) => existsSync(join(place, name)));
  return { run: run ?? assert.fail("there is no row"), made: files };
}

// What is among files of the tests can be changed by anybody, so nothing could be allowed there.
async function tieOf() {
  return { bound: { touch: "as it is" } };
}
