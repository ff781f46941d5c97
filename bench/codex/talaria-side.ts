import type { EndedEnvelope, Envelope } from "../../src/core/events.ts";
import type { Host } from "../../src/core/host.ts";
import { type SessionId, newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Place, environment, hangWord } from "./place.ts";
import type { Kill, Side, TurnTimes } from "./side.ts";
import { type StoreWatch, watchStore } from "./watched-store.ts";
import { send } from "../../test/owners-host.ts";

const { monotonic } = systemClock;

/** The whole program but for its surface: everything is committed before it is told. */
export async function talariaSide(place: Place): Promise<Side> {
  const watch = watchStore();
  const host = await open(place, watch);
  const talks = new Map<number, Talk>();
  const talkOf = (session: number): Talk => {
    const talk = talks.get(session) ?? newTalk(host, place);
    talks.set(session, talk);
    return talk;
  };
  return {
    turn: (session) => turn(talkOf(session), watch),
    codex: () => codexOf(watch),
    kill: () => kill(place),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

const open = (place: Place, watch: StoreWatch): Promise<Host> =>
  openHost({
    env: environment(place),
    homeDir: place.folder,
    cwd: place.cwd,
    version: "bench",
    seams: { store: { onStatement: watch.onStatement }, wrapStore: watch.wrap },
  });

function codexOf({ children }: StoreWatch): number {
  const codex = children.findLast(({ kind }) => kind === "codex");
  if (codex === undefined) throw new Error("No codex was started.");
  return codex.pid;
}

/** A session with somebody who watches it. */
type Talk = {
  say(text: string, hear: (event: Envelope) => void): Promise<EndedEnvelope | undefined>;
};

function newTalk(host: Host, { cwd }: Place): Talk {
  const id: SessionId = newId("ses", systemClock.now());
  let listener: ((event: Envelope) => void) | undefined;
  let said = 0;
  host.subscribe(id, (event) => listener?.(event));
  return {
    async say(text, hear) {
      listener = hear;
      said += 1;
      const key = { surface: "cli", account: "", chat: id, messageId: String(said) };
      const session = said === 1 ? { id, cwd, surface: "cli", audience: "owner" as const } : id;
      const input = [{ type: "text", text }] as const;
      const sent = await send(host, { key, session, input, whenBusy: "refuse", attended: "none" });
      return await sent.ended;
    },
  };
}

async function turn(talk: Talk, watch: StoreWatch): Promise<TurnTimes> {
  const asked = monotonic();
  const times = { startedMs: 0, textMs: 0, endedMs: 0 };
  watch.reset(asked);
  const ended = await talk.say("go on", (event) => {
    if (event.type === "started") times.startedMs = monotonic() - asked;
    if (event.type === "item" && event.item.kind === "text") times.textMs = monotonic() - asked;
    if (event.type === "ended") times.endedMs = monotonic() - asked;
  });
  const afterMs = monotonic() - asked - times.endedMs;
  return { ...times, afterMs, done: ended?.outcome === "done", store: watch.work() };
}

/** In a host of its own: one that lost codex often enough waits before it starts it again. */
async function kill(place: Place): Promise<Kill> {
  const watch = watchStore();
  await using host = await open(place, watch);
  let killed: number | undefined;
  let endedMs = 0;
  const ended = await newTalk(host, place).say(hangWord, (event) => {
    if (event.type === "delta" && killed === undefined) {
      killed = monotonic();
      process.kill(codexOf(watch), "SIGKILL");
    }
    if (event.type === "ended") endedMs = monotonic() - (killed ?? monotonic());
  });
  return { endedMs, lost: killed !== undefined && ended?.fault?.code === "lost" };
}
