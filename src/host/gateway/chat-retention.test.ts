import assert from "node:assert/strict";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import type { OutboxState } from "../../core/gateway/tables.ts";
import { message } from "../../store/suite/gateway-world.suite.ts";
import { done, startTurn } from "../../store/suite/world.suite.ts";
import { closing } from "../closing.ts";
import { forgetChats } from "./chat-retention.ts";

const [minuteMs, dayMs] = [60_000, 86_400_000];
const executing = { replaced: new AbortController().signal, look: () => undefined };

async function world(t: TestContext) {
  const home = await testFolder(t);
  const clock = fakeClock();
  const store = await openTestStore(join(home, "talaria.db"), { clock });
  t.after(() => store[Symbol.asyncDispose]());
  const folder = join(home, "gateway", "outgoing");
  const lines: string[] = [];
  const deps = { store, clock, loaded: { config: { home } }, log: (line: string) => void lines.push(line) };
  const copy = async (id: string): Promise<string> => {
    await mkdir(join(folder, id), { recursive: true });
    await writeFile(join(folder, id, "a.txt"), id);
    return join(folder, id, "a.txt");
  };
  /** A file that was sent from a turn of a session of its own, and what became of it. */
  const sent = async (name: string, ...states: readonly OutboxState[]) => {
    const { session, turn, lease } = await startTurn(store);
    const id = `obx_${name}`;
    const file = { path: await copy(id), name: "a.txt", mediaType: "text/plain", bytes: 3 };
    const to = { surface: "telegram", account: "bot", chat: name } as const;
    const byCall = { id, session, epoch: lease.epoch };
    await store.outbox.add({ ...to, turn, body: { kind: "file", file }, byCall }, clock.now());
    await store.turns.end(lease, turn, done, clock.now(), { replies: [], tell: false });
    for (const state of states)
      await store.outbox.move(id, ["pending", "sending"], state, { at: clock.now(), platformId: "1" });
    return { id, session };
  };
  /** An executor that stays so long, and ends what it is at. */
  const staysFor = async (ms: number, also = {}): Promise<void> => {
    await using ending = closing();
    forgetChats({ ...deps, executing, ...also }, ending);
    await clock.advance(ms);
  };
  const copies = async () => (await readdir(folder)).toSorted();
  return { store, clock, deps, folder, lines, copy, sent, copies, staysFor };
}

test("copies of files go when what became of them is 30 days old, and words with them", async (t) => {
  const { store, clock, sent, copies, lines, staysFor } = await world(t);
  await sent("sent", "sending", "sent");
  await sent("dead", "dead");
  await sent("waiting");
  await sent("unclear", "sending", "ambiguous");
  const { row } = await store.received.add(
    message("1", { quoted: { from: "Eve", text: "Owls." } }),
    clock.now(),
  );
  await store.received.done([row.id], "ignored");
  await clock.advance(29 * dayMs);
  await sent("young", "sending", "sent");
  await staysFor(11 * minuteMs);
  assert.deepEqual(await copies(), ["obx_dead", "obx_sent", "obx_unclear", "obx_waiting", "obx_young"]);
  await clock.advance(dayMs);
  await staysFor(11 * minuteMs);
  assert.deepEqual(await copies(), ["obx_unclear", "obx_waiting", "obx_young"]);
  assert.deepEqual((await store.outbox.get("obx_sent"))?.body, { kind: "part", part: null });
  assert.equal((await store.outbox.get("obx_young"))?.body.kind, "file");
  assert.equal((await store.received.get(row.id))?.message.text, "");
  assert.equal((await store.received.get(row.id))?.message.quoted, undefined);
  assert.deepEqual(lines, []);
});

test("copies go with the session that was deleted, and a day after a crash that left them", async (t) => {
  const { store, clock, folder, copy, sent, copies, staysFor } = await world(t);
  const deleted = await sent("deleted", "sending", "sent");
  await sent("kept", "sending", "sent");
  await store.sessions.delete(deleted.session);
  for (const [name, ageMs] of [
    ["obx_old", 2 * dayMs],
    ["obx_new", 0],
    ["else", 90 * dayMs],
  ] as const) {
    await copy(name);
    const at = (clock.now() - ageMs) / 1000;
    await utimes(join(folder, name), at, at);
  }
  await staysFor(9 * minuteMs);
  assert.equal((await copies()).length, 5, "a start has enough to do");
  await staysFor(11 * minuteMs);
  assert.deepEqual(await copies(), ["else", "obx_kept", "obx_new"]);
});

test("only an executor forgets, and what keeps it from that is logged", async (t) => {
  const { clock, deps, lines, staysFor } = await world(t);
  await using ending = closing();
  forgetChats(deps, ending);
  assert.equal(clock.pending(), 0);
  const outbox = { forgetBodies: () => Promise.reject(new Error("no disk")) } as never;
  await staysFor(11 * minuteMs, { store: { ...deps.store, outbox } });
  assert.deepEqual(lines, ["old words of chats were not removed: Error: no disk"]);
});
