export type ByteTail = {
  add(chunk: Uint8Array): void;
  /** How many bytes were added in all. */
  total(): number;
  text(): string;
};

/** Keeps the last `limit` bytes of what it is given, in that much memory. */
export function byteTail(limit: number): ByteTail {
  const ring = Buffer.alloc(limit);
  let total = 0;

  return {
    add(chunk) {
      const kept = chunk.subarray(Math.max(0, chunk.length - limit));
      const start = (total + chunk.length - kept.length) % limit;
      const first = kept.subarray(0, limit - start);
      ring.set(first, start);
      ring.set(kept.subarray(first.length), 0);
      total += chunk.length;
    },
    total: () => total,
    text() {
      if (total <= limit) return ring.toString("utf8", 0, total);
      const end = total % limit;
      const bytes = Buffer.concat([ring.subarray(end), ring.subarray(0, end)]);
      return bytes.toString("utf8", characterStart(bytes));
    },
  };
}

/** If the cut fell inside a UTF-8 character, its remaining bytes (three at most) are dropped. */
function characterStart(bytes: Buffer): number {
  const start = bytes.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? Math.min(3, bytes.length) : start;
}
