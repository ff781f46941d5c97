import type { Random } from "../random.ts";

type Mutation = (text: string, random: Random) => string | Buffer;

/** Each changes the line itself; most of the results are no JSON any more. None has an LF. */
export const textMutations = {
  duplicateField(text, random) {
    const key = random.pick(["id", "method", "params", "result", "error", "threadId", "item"]);
    const value = random.pick(["null", "0", '"x"', "{}", "[]", '{"threadId":"thread-one"}']);
    const field = `"${key}":${value}`;
    if (!text.startsWith("{") || text === "{}") return `{${field},${field}}`;
    return random.oneIn(2) ? `{${field},${text.slice(1)}` : `${text.slice(0, -1)},${field}}`;
  },
  garbageBytes: (_text, random) => withoutLineFeed(random.bytes(1 + random.below(200))),
  truncatedJson: (text, random) => text.slice(0, 1 + random.below(Math.max(1, text.length - 1))),
  controlCharacters(text, random) {
    const raw = String.fromCharCode(random.pick([0, 1, 8, 9, 11, 12, 13, 27, 127, 0x85, 0x9b]));
    const escaped = random.pick(["\\u0000", "\\u001b[2J", "\\b", "\\ud800", "\\udfff\\ud83d"]);
    if (random.oneIn(2)) return insert(text, raw, random);
    return text.replace(/":"/, `":"${escaped}`);
  },
  lineSeparators(text, random) {
    const separator = random.pick(["\u2028", "\u2029", "\u0085", "\ufeff", "\r"]);
    if (random.oneIn(4)) return insert(text, separator, random);
    return text.replace(/":"/, `":"${separator}`);
  },
  invalidUtf8(text, random) {
    const bytes = Buffer.from(text);
    const at = random.below(bytes.length);
    const bad = random.pick([
      [0xff],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2],
    ]);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(bad), bytes.subarray(at)]);
  },
  twoInOne: (text, random) => `${text}${random.pick(["", " ", ",", "\r", "\0"])}${text}`,
  blankLine: (_text, random) => random.pick(["", " ", "\r", "\t \r", "\u00a0", "\ufeff"]),
} as const satisfies Readonly<Record<string, Mutation>>;

function insert(text: string, piece: string, random: Random): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + piece + text.slice(at);
}

const withoutLineFeed = (bytes: Buffer): Buffer =>
  bytes.map((byte) => (byte === 0x0a ? 0x0b : byte)) as Buffer;
