import type { TurnId } from "../../../core/ids.ts";
import type { QuestionView } from "./view.ts";

/** A question that nobody has answered. */
export type OpenQuestion = {
  readonly id: string;
  readonly turn: TurnId;
  readonly expiresAt?: number;
  readonly view: QuestionView;
  /** An answer of this person is on its way or was taken. */
  sent: boolean;
};

/** Questions in the order of their arrival; only the first one is shown. */
export interface QuestionQueue {
  readonly first: OpenQuestion | undefined;
  readonly length: number;
  readonly all: readonly OpenQuestion[];
  find(id: string): OpenQuestion | undefined;
  /** Asks each question once, however often it is announced. */
  add(id: string, make: () => OpenQuestion): void;
  /** Nobody can answer it any more. `said`: what became of it. */
  close(id: string, outcome: string | undefined): void;
  /** The same, by somebody or something else than this person, unless their own answer was on its way. */
  take(id: string, outcome: string | undefined): void;
  /** Closes all without a word. */
  clear(): void;
}

export function questionQueue(on: {
  /** Another one is the first, or none is. */
  readonly first: () => void;
  readonly change: () => void;
  readonly say: (text: string) => void;
  /** The first one was taken from the person, who may have been about to answer it. */
  readonly taken: (id: string) => void;
}): QuestionQueue {
  let open: readonly OpenQuestion[] = [];
  const known = new Set<string>();
  const set = (next: readonly OpenQuestion[]): void => {
    const before = open[0];
    open = next;
    if (open[0] !== before) on.first();
    on.change();
  };
  const find = (id: string): OpenQuestion | undefined => open.find((each) => each.id === id);
  const close: QuestionQueue["close"] = (id, outcome) => {
    const question = find(id);
    if (question === undefined) return;
    if (outcome !== undefined) on.say(question === open[0] ? outcome : `${question.view.name}: ${outcome}`);
    set(open.filter((each) => each !== question));
  };
  return {
    get first() {
      return open[0];
    },
    get length() {
      return open.length;
    },
    get all() {
      return open;
    },
    find,
    add(id, make) {
      if (known.has(id)) return;
      known.add(id);
      set([...open, make()]);
    },
    close,
    take(id, outcome) {
      if (open[0]?.id === id && !open[0].sent) on.taken(id);
      close(id, outcome);
    },
    clear() {
      for (const { id, sent } of open) if (!sent) known.delete(id);
      if (open.length > 0) set([]);
    },
  };
}
