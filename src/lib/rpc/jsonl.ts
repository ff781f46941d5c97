const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = [0xef, 0xbb, 0xbf] as const;

export const defaultMaxLineBytes = 32 * 1024 * 1024;

export type LineOptions = {
  /** Longest line, its CR included and its LF not. */
  readonly maxBytes?: number;
  /** Also yield what stands after the last LF. Left out by default: a half-sent message must not be taken for a whole one. */
  readonly keepPartial?: boolean;
};

/** The source sent more than `limit` bytes without an LF. Lines before that one were yielded. */
export class LineTooLongError extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super(
      `A line is longer than ${limit} bytes, so nothing more is read from this source. Make the sender write shorter lines, or raise maxBytes.`,
    );
    this.name = "LineTooLongError";
    this.limit = limit;
  }
}

/**
 * Splits at LF and nowhere else: U+2028 and NUL are ordinary characters, which `node:readline` does not grant. One CR
 * before the LF and a byte order mark at the very start are dropped; bytes that are not UTF-8 become U+FFFD. However
 * the bytes are cut into chunks, the lines are the same. Holds one line and one chunk, not more.
 */
export async function* lines(
  source: AsyncIterable<Uint8Array>,
  options: LineOptions = {},
): AsyncGenerator<string, void, undefined> {
  const rest = growingBytes(options.maxBytes ?? defaultMaxLineBytes);
  let first = true;
  for await (const bytes of source) {
    const chunk = asBuffer(bytes);
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      yield decode(rest.take(chunk.subarray(start, end)), first);
      first = false;
      start = end + 1;
    }
    rest.add(chunk.subarray(start));
  }
  const partial = decode(rest.take(Buffer.alloc(0)), first);
  if (options.keepPartial === true && partial !== "") yield partial;
}

/** The start of a line that has no end yet. Doubles its room, so that even single bytes add up in linear time. */
function growingBytes(limit: number) {
  let room = Buffer.alloc(0);
  let length = 0;

  const add = (bytes: Buffer): void => {
    if (length + bytes.length > limit) throw new LineTooLongError(limit);
    if (length + bytes.length > room.length) {
      const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(4096, 2 * (length + bytes.length))));
      room.copy(larger, 0, 0, length);
      room = larger;
    }
    bytes.copy(room, length);
    length += bytes.length;
  };

  /** The whole line that ends with `last`; the next one starts empty. */
  const take = (last: Buffer): Buffer => {
    if (length === 0 && last.length <= limit) return last;
    add(last);
    const whole = room.subarray(0, length);
    room = Buffer.alloc(0); // a long line must not keep its room for ever
    length = 0;
    return whole;
  };

  return { add, take };
}

function decode(line: Buffer, first: boolean): string {
  const start =
    first && byteOrderMark.every((byte, index) => line[index] === byte) ? byteOrderMark.length : 0;
  const end = line.length > start && line.at(-1) === carriageReturn ? line.length - 1 : line.length;
  return line.toString("utf8", start, end);
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
