/** What codex has asked, and which of it was answered. */
export type CodexRequests = {
  asked(id: string | number): void;
  /** A message of ours; if it is no answer, nothing happens. */
  sent(message: Readonly<Record<string, unknown>>): void;
  readonly open: number;
  readonly counts: { asked: number; answered: number; /** To nothing that was asked. */ stray: number };
};

export function codexRequests(): CodexRequests {
  const open = new Map<string, number>();
  const counts = { asked: 0, answered: 0, stray: 0 };
  return {
    asked(id) {
      counts.asked += 1;
      open.set(keyOf(id), (open.get(keyOf(id)) ?? 0) + 1);
    },
    sent(message) {
      if ("method" in message) return;
      const key = keyOf(message["id"]);
      const left = open.get(key) ?? 0;
      counts[left > 0 && ("result" in message || "error" in message) ? "answered" : "stray"] += 1;
      if (left > 1) open.set(key, left - 1);
      if (left <= 1) open.delete(key);
    },
    get open() {
      return [...open.values()].reduce((sum, count) => sum + count, 0);
    },
    counts,
  };
}

/** `1` and `"1"` are two ids. */
const keyOf = (id: unknown): string => JSON.stringify(id);
