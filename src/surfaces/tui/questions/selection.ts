/** Which one of a numbered list is meant. Nothing, at first. */
export type Selection = {
  readonly chosen: number | undefined;
  choose(index: number | undefined): void;
  /** The index that the digits typed so far name, of so many. It is not chosen yet. */
  byDigit(digit: string, count: number): number | undefined;
  /** The next one of those that may be chosen, round and round. */
  step(by: 1 | -1, allowed: readonly number[]): void;
};

export function selection(): Selection {
  let chosen: number | undefined;
  let typed = "";
  return {
    get chosen() {
      return chosen;
    },
    choose(index) {
      chosen = index;
      if (index === undefined) typed = "";
    },
    byDigit(digit, count) {
      const word = [`${typed}${digit}`, digit].find((each) => Number(each) >= 1 && Number(each) <= count);
      typed = word ?? "";
      return word === undefined ? undefined : Number(word) - 1;
    },
    step(by, allowed) {
      typed = "";
      if (allowed.length === 0) return;
      const at = chosen === undefined ? -1 : allowed.indexOf(chosen);
      const next = at === -1 ? (by === 1 ? 0 : -1) : (at + by) % allowed.length;
      chosen = allowed.at(next);
    },
  };
}

export const isDigit = (text: string): boolean => /^\d$/.test(text);
