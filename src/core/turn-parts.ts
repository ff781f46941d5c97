import type { Item } from "./items.ts";
import type { PastTurn, StoredMessage } from "./session.ts";

/** Items as they were finished; what the person said meanwhile stands where it came. */
export function turnParts(rows: readonly StoredMessage[], items: readonly Item[]): PastTurn["parts"] {
  const parts: (Item | StoredMessage)[] = [];
  let next = 0;
  for (const row of rows) {
    if (row.message.role === "user") {
      parts.push(row);
      continue;
    }
    const at = items.findIndex(({ id }) => id === row.item);
    while (next <= at) parts.push(...items.slice(next, (next += 1)));
  }
  return [...parts, ...items.slice(next)];
}
