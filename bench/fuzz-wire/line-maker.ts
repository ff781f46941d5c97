import { type Corpus } from "./corpus.ts";
import { type MutationContext, messageMutations } from "./message-mutations.ts";
import type { Random } from "../random.ts";
import { type SortedLine, sortLine } from "./sorted-line.ts";
import { textMutations } from "./text-mutations.ts";
import type { Tree } from "./tree.ts";

const messageKinds = Object.keys(messageMutations) as (keyof typeof messageMutations)[];
const textKinds = Object.keys(textMutations) as (keyof typeof textMutations)[];
/** Costly ones come up less often. */
const heavy: ReadonlySet<string> = new Set(["hugeString", "deepNesting", "deepCall"]);

export const kinds = [
  "kept",
  "reorderLines",
  "splitLine",
  "oversize",
  ...messageKinds,
  ...textKinds,
] as const;
export type Kind = (typeof kinds)[number];

/** One line for codex to say, without its LF. */
export type Line = { readonly bytes: Buffer; readonly kinds: readonly Kind[]; readonly sorted: SortedLine };

export type LineMaker = {
  /** `openIds`: ids of our requests that wait; the line answers none of them. */
  next(openIds: readonly number[]): Line;
  /** A line that is no message. */
  garbage(): Line;
  oversize(bytes: number): Line;
};

export function lineMaker(corpus: Corpus, random: Random): LineMaker {
  const said = [walk(corpus, random), walk(corpus, random)];
  const usedIds: (string | number)[] = [0, 1, "r"];
  const waiting: Line[] = [];

  function nextText(): string {
    if (random.oneIn(3)) return random.pick(random.pick(corpus.byMethod));
    return random.pick(said)();
  }

  function remember(line: Line): Line {
    if (line.sorted.kind === "request") usedIds[random.below(40)] = line.sorted.id;
    return line;
  }

  function fresh(openIds: readonly number[]): Line {
    const context: MutationContext = {
      random,
      corpus,
      openIds,
      usedId: () => random.pick(usedIds.filter((id) => id !== undefined)),
    };
    const line = mutated(nextText(), context);
    return answersNone(line, openIds) ? line : strayFrom(line);
  }

  return {
    next(openIds) {
      const before = waiting.shift();
      if (before !== undefined) return answersNone(before, openIds) ? remember(before) : strayFrom(before);
      const line = fresh(openIds);
      if (random.oneIn(40)) {
        waiting.push(withKind(line, "reorderLines"));
        return remember(fresh(openIds));
      }
      if (!random.oneIn(60) || line.bytes.length < 2) return remember(line);
      const [head, tail] = split(line, random);
      waiting.push(answersNone(tail, openIds) ? tail : strayFrom(tail));
      return answersNone(head, openIds) ? head : strayFrom(head);
    },
    garbage() {
      for (;;) {
        const kind = random.pick(["garbageBytes", "truncatedJson"] as const);
        const line = lineOf(textMutations[kind](nextText(), random), [kind]);
        if (line.sorted.kind === "bad") return line;
      }
    },
    oversize: (bytes) => ({ bytes: Buffer.alloc(bytes, "y"), kinds: ["oversize"], sorted: { kind: "bad" } }),
  };
}

/** Goes through recorded conversations one after the other. */
function walk({ talks }: Corpus, random: Random): () => string {
  let talk = random.pick(talks);
  let at = random.below(talk.length);
  return () => {
    const text = talk[at];
    at += 1;
    if (text !== undefined) return text;
    talk = random.pick(talks);
    at = 1;
    return talk[0] ?? "{}";
  };
}

function mutated(text: string, context: MutationContext): Line {
  const { random } = context;
  if (random.oneIn(4)) return lineOf(text, ["kept"]);
  const applied: Kind[] = [];
  let changed: string | Buffer = text;
  if (!random.oneIn(4)) {
    const message = JSON.parse(text) as Tree;
    for (let rounds = 1 + random.below(3); rounds > 0; rounds -= 1) {
      const kind = random.pick(messageKinds);
      if (heavy.has(kind) && !random.oneIn(20)) continue;
      messageMutations[kind](message, context);
      applied.push(kind);
    }
    changed = written(message) ?? text;
  }
  if (applied.length === 0 || random.oneIn(6)) {
    const kind = random.pick(textKinds);
    changed = textMutations[kind](changed, random);
    applied.push(kind);
  }
  return lineOf(changed, applied);
}

/** Nested too deep for the one that writes JSON, though not for the one that reads it: written level by level. */
function written(message: Tree): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    return writtenFlat(message);
  }
}

function writtenFlat(message: Tree): string {
  const text: string[] = [];
  const rest: (string | { readonly value: unknown })[] = [{ value: message }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string") {
      text.push(next);
      continue;
    }
    const { value } = next;
    if (typeof value !== "object" || value === null) {
      text.push(JSON.stringify(value) ?? "null");
      continue;
    }
    const list = Array.isArray(value);
    text.push(list ? "[" : "{");
    rest.push(list ? "]" : "}");
    Object.entries(value)
      .toReversed()
      .forEach(([key, inner], at) => {
        if (at > 0) rest.push(",");
        rest.push({ value: inner });
        if (!list) rest.push(`${JSON.stringify(key)}:`);
      });
  }
  return text.join("");
}

function lineOf(text: string | Buffer, applied: readonly Kind[]): Line {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  return { bytes, kinds: applied, sorted: sortLine(readAs(bytes)) };
}

const readAs = (bytes: Buffer): string => bytes.toString("utf8").replace(/\r$/, "");

const withKind = (line: Line, kind: Kind): Line => ({ ...line, kinds: [...line.kinds, kind] });

function split({ bytes, kinds: applied }: Line, random: Random): readonly [Line, Line] {
  const at = 1 + random.below(bytes.length - 1);
  return [
    lineOf(bytes.subarray(0, at), [...applied, "splitLine"]),
    lineOf(bytes.subarray(at), [...applied, "splitLine"]),
  ];
}

const answersNone = ({ sorted }: Line, openIds: readonly number[]): boolean =>
  sorted.kind !== "reply" || typeof sorted.id !== "number" || !openIds.includes(sorted.id);

/** Chance made a true answer to an open request of ours; as text its id is none. */
function strayFrom({ bytes, kinds: applied }: Line): Line {
  const message = JSON.parse(readAs(bytes)) as Tree;
  message["id"] = String(message["id"]);
  return lineOf(written(message) ?? "{}", [...applied, "wrongIdType"]);
}
