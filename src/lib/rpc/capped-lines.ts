/** Splits into whole lines with their LF. A line over the limit is dropped, and only its beginning is reported. */
export async function* cappedLines(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLong: (head: string) => void,
): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = [];
  let length = 0;
  let skipping = false;
  for await (const chunk of source) {
    let start = 0;
    while (start < chunk.length) {
      const found = chunk.indexOf(0x0a, start);
      const end = found === -1 ? chunk.length : found + 1;
      const piece = chunk.subarray(start, end);
      start = end;
      length += piece.length;
      if (!skipping) held.push(piece);
      if (!skipping && length > maxBytes) {
        skipping = true;
        tooLong(headOf(held));
        held = [];
      }
      if (found === -1) continue;
      if (!skipping) yield held.length === 1 ? piece : Buffer.concat(held);
      [held, length, skipping] = [[], 0, false];
    }
  }
  if (held.length > 0) yield Buffer.concat(held);
}

const headBytes = 256;

function headOf(pieces: readonly Buffer[]): string {
  let head = "";
  for (const piece of pieces) {
    head += piece.toString("latin1", 0, headBytes);
    if (head.length >= headBytes) break;
  }
  return head;
}

/**
 * The id of a JSON-RPC request of which only the beginning was read. Every library writes it before the parameters;
 * without it the sender would wait for ever.
 */
export function idInHead(head: string): string | number | null {
  const found =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"method"\s*:\s*"[\w/$]+"\s*,\s*)?"id"\s*:\s*(?:(\d{1,15})|"([\w-]{1,100})")\s*,/.exec(
      head,
    );
  if (found?.[1] !== undefined) return Number(found[1]);
  return found?.[2] ?? null;
}
