import assert from "node:assert/strict";
import { playReplies, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { input, sessionOf, testHome } from "../../../test/fakes/test-agent.ts";
import type { EndedEnvelope, NoticeEvent, TurnEvent } from "../../core/events.ts";
import type { Incoming } from "../../core/host.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import type { ReviewTurn } from "./one-review.ts";
import { type ReviewerDeps, reviewTurns, reviewer } from "./reviewer.ts";

/** A review that came to its end and used nothing. */
export const ended = { provider: "p", model: "m", runtime: "scripted", outcome: "done" } as const;

type Wishes = Partial<Pick<ReviewerDeps, "run" | "usedUp" | "priceOf">> &
  Partial<Pick<ReviewerDeps["settings"], "mode" | "limits" | "enabled">>;

/** A reviewer over a real store, whose sessions an agent with a scripted runtime fills. */
export async function opened(wishes: Wishes = {}) {
  await using parts = new AsyncDisposableStack();
  const home = parts.use(await testHome());
  const { clock } = home;
  const told: NoticeEvent[] = [];
  const shown: NoticeEvent[] = [];
  const log: string[] = [];
  const reviewed: ReviewTurn[] = [];
  let changed = Promise.withResolvers<void>();
  const agent = await home.open(scriptedRuntime(playTurn), { news: ({ id }) => news(id) });
  const turns = reviewTurns();
  const deps: ReviewerDeps = {
    turns,
    store: agent.store,
    clock,
    owner: agent.owner,
    isGone: ({ pid }) => pid === 9,
    priceOf: wishes.priceOf ?? (() => ({ input: 1, cached: 0, output: 1 })),
    settings: {
      mode: wishes.mode ?? "auto",
      every: { turns: 3, calls: 4 },
      limits: wishes.limits ?? { tokens: 1e6, dayTokens: 1e6 },
      enabled: wishes.enabled ?? (async () => ({ memory: true, skills: true })),
    },
    usedUp: wishes.usedUp ?? (async () => undefined),
    tell: (session, turn, notice) => agent.watchers.tell(session, turn, notice),
    log: (line) => void log.push(line),
    async run(turn, signal) {
      reviewed.push(turn);
      changed.resolve();
      changed = Promise.withResolvers();
      return (await wishes.run?.(turn, signal)) ?? ended;
    },
  };
  const reviews = parts.use(reviewer(deps));
  const news = async (session: SessionId): Promise<readonly NoticeEvent[]> => {
    const found = await reviews.news(session);
    told.push(...found);
    return found;
  };
  const begin = async (text: string, calls = 0, session?: SessionId | Incoming["session"]) => {
    const sent = input(`${text} ${calls}`, session === undefined ? {} : { session });
    const end = await (await agent.send(sent)).ended;
    assert.ok(end);
    reviews.after(sessionOf(sent), end);
    return sessionOf(sent);
  };
  const kept = parts.move();
  return {
    agent,
    clock,
    reviews,
    turns,
    reviewed,
    told,
    shown,
    log,
    begin,
    /** As another process would have one. */
    another: () => reviewer({ ...deps, owner: { ...agent.owner, pid: agent.owner.pid + 1 } }),
    kinds: () => reviewed.map(({ prompt }) => kindsIn(prompt)),
    /** A turn, and all that follows it. */
    async turn(
      text: string,
      session?: SessionId | Incoming["session"],
      calls = 0,
      how: { readonly watched?: boolean; readonly unreviewed?: boolean; readonly noMemory?: boolean } = {},
    ): Promise<SessionId> {
      await clock.advance(1_000);
      const sent = input(`${text} ${calls}`, session === undefined ? {} : { session });
      const id = sessionOf(sent);
      if (how.watched === true)
        agent.subscribe(
          id,
          (event) => void (event.type === "notice" && event.seq === 0 && shown.push(event)),
        );
      const end = (await (await agent.send(sent)).ended) as EndedEnvelope;
      if (how.noMemory !== true) await agent.store.snapshots.keep(id, "");
      if (how.unreviewed === true) return id;
      reviews.after(id, end);
      await reviews.drain();
      return id;
    },
    async until(count: number) {
      while (reviewed.length < count) await changed.promise;
    },
    learn: (
      session: SessionId,
      turn: ReviewTurn["last"]["id"],
      summary: string,
      state: "active" | "proposed" = "active",
    ) =>
      agent.store.revisions.add({
        id: newId("rev", clock.now()),
        at: clock.now(),
        kind: "memory",
        file: "memories/USER.md",
        summary,
        change: {},
        state,
        by: "review",
        session,
        turn,
        evidence: [],
        trusted: true,
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** "one 4" calls four tools; "fail 0" fails, "stop 0" is stopped. */
async function* playTurn(
  ...[turn, ports]: Parameters<ReturnType<typeof playReplies>>
): AsyncIterable<TurnEvent> {
  const [part] = turn.input;
  const [word = "", calls] = part?.type === "text" ? part.text.split(" ") : [];
  const none = { type: "ended", text: "", calls: 0 } as const;
  if (word === "stop") return yield { ...none, outcome: "interrupted" };
  if (word === "fail")
    return yield { ...none, outcome: "failed", fault: { code: "lost", message: "gone", next: "" } };
  const made = Array.from({ length: Number(calls ?? 0) }, () => ({ tool: "terminal", args: {} }));
  if (made.length === 0) return yield* says("ok", turn);
  yield* playReplies([{ calls: made }, { says: "ok" }], [])(turn, ports);
}

const kindsIn = (prompt: string): string =>
  ["memory", "skills"].filter((kind) => prompt.includes(`For ${kind} (`)).join(" ");
