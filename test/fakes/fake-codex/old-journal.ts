import type { Turn } from "./thread-log.ts";

/** How a codex before 0.151 lists its turns: with what was said, numbered through the thread. */
export function wordsOnly(turns: readonly Turn[]): readonly Turn[] {
  let last = 0;
  return turns.map((turn) => ({
    ...turn,
    items: turn.items
      .filter(({ type }) => spoken.has(type))
      .map((item) => {
        last += 1;
        return { ...item, id: `item-${last}` };
      }),
  }));
}

const spoken: ReadonlySet<string> = new Set(["userMessage", "agentMessage", "reasoning"]);
