import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { asId } from "../ids.ts";
import type { StoredTurn } from "../session.ts";
import { clientOf } from "../../../test/fakes/client.ts";
import { turnStop } from "./turn-stop.ts";

const session = asId<"ses">("ses_0123456789");

/** Nothing of the session runs in this process. */
function stopping(state: StoredTurn["state"]) {
  const told: unknown[] = [];
  const client = clientOf({
    "turns.stop": async () => ({ interrupted: false, setAside: 0, ended: [] }),
    "sessions.turns": async () => [{ state } as StoredTurn],
  });
  return { told, ...turnStop(client, session, (why) => told.push(why)) };
}

test("a turn of another process cannot be stopped: that is told, and nobody waits for it any more", async () => {
  const it = stopping("open");
  it.sent();
  it.stop();
  assert.equal(await it.abandoned, null);
  assert.equal(it.told.length, 1);
  assert.match(String(it.told[0]), /runs in another process/);
});

test("a turn that has just ended is no turn of another process, and neither is one that had not begun", async () => {
  const ended = stopping("done");
  ended.sent();
  ended.stop();
  const early = stopping("open");
  early.stop();
  early.sent();
  await setImmediate();
  assert.deepEqual([ended.told, early.told], [[], []]);
});
