const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Lets bytes through until more than `limit` come without an empty line between them, which is how events of a stream are
 * parted; a JSON body has none. Then the stream breaks.
 */
export function cappedMessages(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let lineChars = 0;
  return new TransformStream({
    transform(chunk, controller) {
      for (let from = 0; from < chunk.length;) {
        const end = chunk.indexOf(lineFeed, from);
        const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
        size += end === -1 ? piece.length : piece.length + 1;
        lineChars += piece.at(-1) === carriageReturn ? piece.length - 1 : piece.length;
        if (size > limit) return controller.error(new Error(`a message is longer than ${limit} bytes`));
        if (end === -1) break;
        if (lineChars === 0) size = 0;
        lineChars = 0;
        from = end + 1;
      }
      controller.enqueue(chunk);
    },
  });
}
