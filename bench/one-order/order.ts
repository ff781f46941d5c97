import type { LoggedEvent } from "../../src/core/event-log.ts";

/** What happened in a session, each as one word: `word7` was said, `paper7` and `answer7` came of it, and `cut7` when its turn was not done. */
export type Order = readonly string[];

export const numberOf = (token: string): number => Number(/\d+$/.exec(token)?.[0] ?? 0);

export function orderOf(events: readonly LoggedEvent[]): Order {
  const words = new Map<string, string>();
  return events.flatMap((event) => {
    if (event.type === "started" || event.type === "steered") {
      const word = event.input.map((part) => (part.type === "text" ? part.text : "")).join("");
      words.set(event.turn ?? "", word);
      return [word];
    }
    if (event.type === "item")
      return (
        JSON.stringify(event.item)
          .match(/answer\d+|paper\d+/)
          ?.slice(0, 1) ?? []
      );
    if (event.type !== "ended" || event.outcome === "done") return [];
    return [`cut${numberOf(words.get(event.turn ?? "") ?? "")}`];
  });
}

/** The same from what can be read on a screen, or what an editor shows. What was set aside was not said. */
export function orderIn(text: string): Order {
  let last = 0;
  return [...text.matchAll(shown)].flatMap(([, word, aside, came]) => {
    if (aside !== undefined) return [];
    if (word !== undefined) last = numberOf(word);
    return [word ?? came ?? `cut${last}`];
  });
}

const shown =
  /^› (word\d+)(\n {2}set aside, not sent)?$|\b(answer\d+|paper\d+)\b|[Ii]nterrupted; what was finished is kept/gm;

/** What is wrong with what somebody saw; nothing when it is the order of the log from some word on. `turns`: so many at least. */
export function differences(who: string, order: Order, seen: Order, turns: number): readonly string[] {
  const from = order.indexOf(seen[0] ?? "");
  const wanted = order.slice(Math.max(from, 0));
  const missing = wanted.filter((token) => !seen.includes(token));
  const doubled = seen.filter((token, at) => seen.indexOf(token) < at);
  const strange = seen.filter((token) => !order.includes(token));
  const at = wanted.findIndex((token, place) => seen[place] !== token);
  const count = seen.filter(isWord).length;
  return [
    ...missing.map((token) => `${who}: lost ${token}`),
    ...doubled.map((token) => `${who}: doubled ${token}`),
    ...strange.map((token) => `${who}: ${token} is not in the log`),
    ...(missing.length + doubled.length + strange.length === 0 && at >= 0
      ? [
          `${who}: order: ${seen.slice(at, at + 6).join(" ")} instead of ${wanted.slice(at, at + 6).join(" ")}`,
        ]
      : []),
    ...(from > 0 && !isWord(seen[0] ?? "")
      ? [`${who}: begins with ${seen[0]}, in the middle of a turn`]
      : []),
    ...(count < turns ? [`${who}: shows ${count} turns instead of at least ${turns}`] : []),
  ];
}

export const isWord = (token: string): boolean => token.startsWith("word");
