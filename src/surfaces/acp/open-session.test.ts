import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { EndedEnvelope } from "../../core/events.ts";
import type { Acknowledged } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { PeerClosedError } from "../../lib/rpc/rpc-peer.ts";
import type { Editor } from "./editor.ts";
import { openSession } from "./open-session.ts";
import { clientOf } from "../../../test/fakes/client.ts";

const id = asId<"ses">("ses_1");
const log = (): void => {};

test("a Stop that comes while a message is being taken in stops its turn as soon as there is one", async () => {
  const admitted = Promise.withResolvers<Acknowledged>();
  const ended = Promise.withResolvers<EndedEnvelope | null>();
  const stops: string[] = [];
  let runs = false;
  const host = clientOf({
    "turns.send": () => admitted.promise,
    "turns.wait": () => ended.promise,
    "turns.stop": async () => {
      stops.push(runs ? "a turn" : "nothing");
      if (runs) ended.resolve(null);
      return { interrupted: runs, setAside: 0, ended: [] };
    },
  });
  const updates: SessionUpdate[] = [];
  const editor = {
    can: { notices: false, forms: false, terminals: false },
    update: (_session: string, update: SessionUpdate) => void updates.push(update),
  } as unknown as Editor;
  const session = openSession(
    { host, editor, clock: systemClock, log },
    { id, cwd: "/", surface: "acp", audience: "owner" },
    { choices: {}, attended: "ask" },
  );
  const prompt = session.prompt([{ type: "text", text: "hello" }], new AbortController().signal);
  await setImmediate();
  await session.cancel();
  runs = true;
  admitted.resolve({ session: id, inbox: asId("inb_1"), state: "running" });
  assert.deepEqual(await prompt, { stopReason: "cancelled" });
  assert.deepEqual(stops, ["nothing", "a turn"]);
});

test("a message that is cancelled before it was sent is never sent", async () => {
  const sent: unknown[] = [];
  const host = clientOf({
    "turns.send": async (incoming) => {
      sent.push(incoming);
      return { session: id, inbox: asId("inb_1"), state: "running" };
    },
    "turns.stop": async () => ({ interrupted: false, setAside: 0, ended: [] }),
  });
  const editor = {
    can: { notices: false, forms: false, terminals: false },
    update: () => {},
  } as unknown as Editor;
  const session = openSession(
    { host, editor, clock: systemClock, log },
    { id, cwd: "/", surface: "acp", audience: "owner" },
    { choices: {}, attended: "ask" },
  );
  const prompt = session.prompt([{ type: "text", text: "hello" }], new AbortController().signal);
  await session.cancel();
  assert.deepEqual(await prompt.catch(String), { stopReason: "cancelled" });
  assert.deepEqual(sent, []);
});

test("an editor that leaves while news are looked up for it is no error, and anything else is", async () => {
  const told: string[] = [];
  const editor = {
    can: { notices: false, forms: false, terminals: false },
    update: () => {},
  } as unknown as Editor;
  for (const why of [new PeerClosedError("we left"), new Error("broken")]) {
    const parts = { host: failing(why), editor, clock: systemClock, log: (line: string) => told.push(line) };
    const fresh = { id, cwd: "/", surface: "acp", audience: "owner" } as const;
    const session = openSession(parts, fresh, { choices: {}, attended: "ask" });
    await session.prompt([{ type: "text", text: "hello" }], new AbortController().signal);
    await setImmediate();
  }
  assert.deepEqual(told, ["news of a session: Error: broken"]);
});

const failing = (why: Error) =>
  clientOf({
    "turns.send": async () => ({ session: id, inbox: asId("inb_1"), state: "running" }),
    "turns.wait": async () => null,
    "host.status": () => Promise.reject(why),
    "sessions.get": () => Promise.reject(why),
    "sessions.turns": async () => [],
  });
