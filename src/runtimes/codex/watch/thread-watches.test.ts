import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { type SessionId, asId } from "../../../core/ids.ts";
import type { Ports, Turn } from "../../runtime.ts";
import { type FeedSource, threadFeed } from "../connection/thread-feed.ts";
import type { AppServer } from "../process/app-server.ts";
import { threadWatches } from "./thread-watches.ts";

const sessionOf = (at: number): SessionId => asId<"ses">(`ses_${at}`);

/** A codex that lets go of every thread that it is asked to. */
function fixture() {
  const clock = fakeClock();
  const feeds = new Map<string, FeedSource>();
  const letGo: string[] = [];
  const server = {
    pid: 1,
    epoch: 1,
    alive: true,
    onUnread() {},
    feed(threadId: string) {
      const source = threadFeed({ clock, onDispose: () => void feeds.delete(threadId) });
      feeds.set(threadId, source);
      return source.feed;
    },
    async request(method: string, { threadId }: { readonly threadId: string }) {
      if (method !== "thread/unsubscribe") return { thread: { status: { type: "idle" }, turns: [] } };
      letGo.push(threadId);
      const closed = { kind: "notification", method: "thread/closed", params: { threadId } } as const;
      feeds.get(threadId)?.push(closed, 1, true);
      return {};
    },
  } as unknown as AppServer;
  const watches = threadWatches({
    pool: { drain: () => assert.fail("this codex is used on"), hold: () => undefined },
    redact: String,
    onWork() {},
    onUnknownThread() {},
  });
  const of = (at: number) =>
    watches.of(
      server,
      { id: `T${at}`, model: "m" },
      { session: sessionOf(at), cwd: "/w" } as Turn,
      { clock } as unknown as Ports,
    );
  return { clock, feeds, letGo, watches, of };
}

test("of very many threads that rest only those used last stay in codex, and the others are read no more", async () => {
  const { clock, feeds, letGo, of } = fixture();
  for (let at = 0; at < 80; at += 1) of(at);
  assert.equal(feeds.size, 80, "they may all have a turn that is being made ready");
  await clock.advance(31_000);
  await of(0).take(async () => {});
  of(0).giveBack();
  of(80);
  await clock.advance(1);
  assert.deepEqual(
    letGo,
    Array.from({ length: 16 }, (_, at) => `T${at + 1}`),
    "the one that was used again is not among them",
  );
  assert.equal(feeds.size, 81 - 16);
});

test("a thread that is in use, or that was wanted a moment ago, is not let go", async () => {
  const { clock, letGo, of, watches } = fixture();
  for (let at = 0; at < 70; at += 1) of(at);
  await of(0).take(async () => {});
  await clock.advance(31_000);
  await watches.ready(sessionOf(1));
  of(70);
  await clock.advance(1);
  assert.deepEqual(letGo, ["T2", "T3", "T4", "T5", "T6"]);
});

test("a thread that was let go is watched anew with its next turn", async () => {
  const { clock, letGo, of, watches, feeds } = fixture();
  for (let at = 0; at < 65; at += 1) of(at);
  await clock.advance(31_000);
  of(65);
  await watches.ready(sessionOf(0));
  await clock.advance(1);
  assert.deepEqual([letGo, feeds.has("T0")], [["T0"], false]);
  const { feed } = await of(0).take(async () => {});
  assert.equal(feed.poll(), undefined);
  assert.equal(feeds.has("T0"), true);
});

test("a thread in which codex has just begun a turn of its own is not let go before that is stopped", async () => {
  const { clock, feeds, letGo, of } = fixture();
  for (let at = 0; at < 65; at += 1) of(at);
  await clock.advance(31_000);
  const params = { threadId: "T0", turn: { id: "stray", items: [], status: "inProgress" } };
  feeds.get("T0")?.push({ kind: "notification", method: "turn/started", params }, 1, true);
  await clock.advance(1);
  of(65);
  await clock.advance(1);
  assert.deepEqual(letGo, []);
});
