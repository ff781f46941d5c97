import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { EndedEnvelope } from "../../core/events.ts";
import type { Host, Sent } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Editor } from "./editor.ts";
import { openSession } from "./open-session.ts";

const id = asId<"ses">("ses_1");
const log = (): void => {};

test("a Stop that comes while a message is being taken in stops its turn as soon as there is one", async () => {
  const admitted = Promise.withResolvers<Sent>();
  const ended = Promise.withResolvers<EndedEnvelope | undefined>();
  const stops: string[] = [];
  let runs = false;
  const host = {
    subscribe: () => () => {},
    send: () => admitted.promise,
    stop: async () => {
      stops.push(runs ? "a turn" : "nothing");
      if (runs) ended.resolve(undefined);
      return { interrupted: runs, setAside: 0 };
    },
  } as unknown as Host;
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
  admitted.resolve({ session: id, inbox: asId("inb_1"), state: "running", ended: ended.promise });
  assert.deepEqual(await prompt, { stopReason: "cancelled" });
  assert.deepEqual(stops, ["nothing", "a turn"]);
});

test("a message that is cancelled before it was sent is never sent", async () => {
  const sent: unknown[] = [];
  const host = {
    subscribe: () => () => {},
    send: async (incoming: unknown) => void sent.push(incoming),
    stop: async () => ({ interrupted: false, setAside: 0 }),
  } as unknown as Host;
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
