import type { Store } from "../../store/store.ts";

/** What this process has committed that a gateway waits for. */
export type StoreNews = {
  /** Something was put into the outbox. Returns how to stop listening. */
  onOutbox(listener: () => void): () => void;
  /** Something may have come to tell the owner. */
  onNews(listener: () => void): () => void;
  /** Something that was there is to be sent again. */
  outboxChanged(): void;
};

/** The same store, which says so after the commit. A row that is put back because it was not sent is no news: its sender knows. */
export function withNews(store: Store): { readonly store: Store; readonly storeNews: StoreNews } {
  const [outbox, news] = [listeners(), listeners()];
  const { turns, outbox: rows, outcomes, cards } = store;
  const watched: Store = {
    ...store,
    turns: {
      ...turns,
      async end(lease, turn, ended, at, also) {
        const isEnded = await turns.end(lease, turn, ended, at, also);
        if (isEnded && also.replies.length > 0) outbox.call();
        return isEnded;
      },
    },
    outbox: { ...rows, add: (row, at) => rows.add(row, at).then(outbox.after) },
    outcomes: {
      ...outcomes,
      handOver: (ids, row, at) => outcomes.handOver(ids, row, at).then(outbox.after),
      plan: (of, planned) => outcomes.plan(of, planned).then(news.after),
      note: (row) => outcomes.note(row).then(news.after),
      settle: (id, inbox, ended) => outcomes.settle(id, inbox, ended).then(news.after),
    },
    // What becomes of a card may be told with its step.
    cards: { ...cards, change: (wanted, decide) => cards.change(wanted, decide).then(news.after) },
  };
  return {
    store: watched,
    storeNews: { onOutbox: outbox.add, onNews: news.add, outboxChanged: outbox.call },
  };
}

function listeners() {
  const all = new Set<() => void>();
  const call = (): void => {
    for (const listener of all) listener();
  };
  return {
    call,
    after: <Value>(value: Value): Value => (call(), value),
    add(listener: () => void): () => void {
      all.add(listener);
      return () => void all.delete(listener);
    },
  };
}
