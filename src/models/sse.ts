import { createParser } from "eventsource-parser";

export type SseFrame = { readonly event?: string; readonly data: string };

/** Bytes to frames, pushed by the reader so that it can count and time them. How the bytes are cut changes nothing. */
export function sseDecoder(): {
  feed(bytes: Uint8Array): readonly SseFrame[];
  end(): readonly SseFrame[];
} {
  const decoder = new TextDecoder();
  let frames: SseFrame[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => frames.push(event === undefined ? { data } : { event, data }),
  });
  function feed(text: string): readonly SseFrame[] {
    frames = [];
    parser.feed(text);
    return frames;
  }
  return {
    feed: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    // Some servers forget the blank line after the last frame. Half a JSON object stays unreadable, so this adds no risk.
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}
