import type { ItemId } from "../../../core/ids.ts";
import type { Item } from "../../../core/items.ts";
import type { ThreadFeed } from "../connection/thread-feed.ts";
import { doneNote } from "../items/note-mapping.ts";
import { isRunning, onlyRunning, withEnded } from "../items/strays.ts";
import type { LiveTurn } from "../live-turn.ts";
import type { Leftovers } from "./leftovers.ts";
import { terminalsOf } from "./close-terminals.ts";
import type { ThreadWatch } from "./thread-watch.ts";

/** A thread while a turn of ours has it. Disposing lets the watch go on. */
export type WatchedTurn = Disposable & {
  readonly feed: ThreadFeed;
  readonly left: Leftovers;
  /** The turn is over: what goes on after it is kept in mind, and its scripts are ended. */
  leave(live: LiveTurn, scripts: () => Promise<number>): Promise<void>;
};

/** `prepare`: as for `take`. */
export async function watchedThread<T>(
  watch: ThreadWatch,
  prepare: () => Promise<T>,
): Promise<WatchedTurn & { readonly prepared: T }> {
  const { left } = watch;
  let given = false;
  const giveBack = (): void => {
    if (!given) watch.giveBack();
    given = true;
  };
  const { feed, prepared } = await watch.take(prepare);
  return {
    feed,
    prepared,
    left,
    async leave(live, scripts) {
      const { state, atEnd = state, lateWorkBegan, server } = live;
      // What was stopped was ended, too; its end is no news.
      const isDone = atEnd.outcome?.status === "completed";
      left.strays = withEnded(left.strays, isDone ? atEnd : state);
      await checkRunning(live);
      if (!server.alive || (lateWorkBegan !== true && (await scripts()) === 0)) return;
      left.strays = withEnded(left.strays, state);
      live.out.push({ type: "notice", code: "script_ended", text: scriptEnded });
      // A script waits for the command that runs: it is enough to tell of that one.
      const isCut = atEnd.outcome?.status === "interrupted" && ![...atEnd.open.values()].some(isRunning);
      if (isCut) live.out.push({ type: "item", item: cutScript(state.turnId) });
      // Whoever stops a turn does not wait for it; then it is work that nobody asked for.
      const isStopped = live.ports.signal.aborted;
      const tell = (items: readonly Item[]): void =>
        items.forEach((item) => live.out.push({ type: "item", item }));
      const unloaded = watch.unload(isStopped ? undefined : tell);
      giveBack();
      // What a script has in hand begins in spite of the end of the turn, and is an item of it.
      if (!isStopped) await unloaded;
    },
    [Symbol.dispose]: giveBack,
  };
}

async function checkRunning({ server, left, state }: LiveTurn): Promise<void> {
  if (!server.alive || left.running().length === 0) return;
  const there = await terminalsOf(server, state.threadId);
  if (there === undefined) return;
  left.strays = onlyRunning(left.strays, new Set(there.map(({ itemId }) => itemId)));
}

/** Codex says nothing of a command that is stopped in its first tenth of a second, neither on the wire nor in its journal. */
const cutScript = (turnId: string): Item =>
  doneNote(
    `${turnId}-script` as ItemId,
    "A script of the model was stopped with the turn. A command that it had only just begun may have run, in part or whole, and is not shown: look before it is done again.",
  );

const scriptEnded =
  "A script of the model was not finished when the turn ended, so it was ended, with all that it had started: it would have gone on in the middle of a later turn.";
