import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import type { Envelope } from "../../core/events.ts";
import { newId } from "../../core/ids.ts";
import { openHost } from "../../host/index.ts";
import type { Store } from "../../store/store.ts";
import { type SocketClient, connectTo } from "./client.ts";
import { readServeFile } from "./place.ts";
import { protocolVersion, schemaVersion } from "./protocol.ts";
import { openSocket } from "./server.ts";

test("news of work that its reader was sent and has not shown when it is killed are told again", async (t) => {
  const it = await world(t);
  const killed = await it.connect();
  const { events, inbox } = await it.say(killed);
  await until(events, ({ type }) => type === "notice");
  await killed[Symbol.asyncDispose]();
  const next = await it.connect();
  await next.call("turns.wait", { inbox });
  assert.deepEqual(await it.told(next), ["It ran.", "It failed."]);
  assert.deepEqual(await it.told(next), [], "they were shown");
});

test("news of work whose last line was not shown are told again", async (t) => {
  const it = await world(t);
  const killed = await it.connect();
  const { events, inbox } = await it.say(killed);
  await until(events, ({ type }) => type === "notice");
  assert.partialDeepStrictEqual(await events.next(), { value: { text: "It failed." } });
  await killed[Symbol.asyncDispose]();
  const next = await it.connect();
  await next.call("turns.wait", { inbox });
  assert.deepEqual(await it.told(next), ["It ran.", "It failed."]);
});

test("news of work whose reader is gone before they are sent are told again", async (t) => {
  const it = await world(t);
  const killed = await it.connect();
  const { inbox } = await it.say(killed);
  await killed[Symbol.asyncDispose]();
  const next = await it.connect();
  await next.call("turns.wait", { inbox });
  assert.deepEqual(await it.told(next), ["It ran.", "It failed."]);
});

const status = (): never => assert.fail("nobody asks");

type Reading = AsyncIterator<Envelope>;

async function until(events: Reading, isIt: (event: Envelope) => boolean): Promise<void> {
  for (;;) {
    const { value, done } = await events.next();
    assert.notEqual(done, true);
    if (isIt(value as Envelope)) return;
  }
}

/** A host with a door, and two things that have become of work. */
async function world(t: TestContext) {
  const folder = await testFolder(t);
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(cwd);
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const stores: Store[] = [];
  const wrapStore = (store: Store): Store => (stores.push(store), store);
  const host = await openHost({ env, homeDir: folder, cwd, version: "test", seams: { wrapStore } });
  t.after(() => host[Symbol.asyncDispose]());
  for (const [instant, reason] of ["It ran.", "It failed."].entries())
    await stores[0]?.outcomes.note({
      id: newId("out", instant),
      kind: "alert",
      subject: "work",
      instant,
      state: "ran",
      reason,
      lateMs: 0,
      at: 1,
      settledAt: 1,
      target: "local",
      delivery: "pending",
    });
  const door = await openSocket({ host, env: {}, version: "test", status, log: () => {} });
  t.after(() => door[Symbol.asyncDispose]());
  const { token = "" } = (await readServeFile(host.about.run)) ?? {};
  const hello = { protocol: protocolVersion, schema: schemaVersion, token, surface: "cli", terminal: {} };
  const { signal } = new AbortController();
  const say = async (client: SocketClient) => {
    const session = { id: newId("ses", 1), cwd, surface: "cli", audience: "owner" } as const;
    const events = client.call("sessions.follow", { session: session.id })[Symbol.asyncIterator]();
    const key = { account: "", chat: "", messageId: session.id };
    const input = [{ type: "text", text: "hello" }] as const;
    const wish = { key, session, input, whenBusy: "queue", attended: "none" } as const;
    const { inbox } = await client.call("turns.send", wish);
    return { events, inbox };
  };
  return {
    say,
    connect: () => connectTo({ socket: door.address, pid: process.pid }, hello, signal, () => {}),
    /** Of work, with a turn that is read to its end. */
    async told(client: SocketClient): Promise<readonly string[]> {
      const lines: string[] = [];
      await until((await say(client)).events, (event) => {
        if (event.type === "notice" && event.code === "work") lines.push(event.text);
        return event.type === "ended";
      });
      return lines;
    },
  };
}
