import type { IncomingMessage } from "node:http";
import { type Readable, type Transform, pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export const readableEncodings = "gzip, br, deflate";

/**
 * The body of an answer, unpacked. It stops reading as soon as more than `maxBytes` came, packed or unpacked: a small
 * answer may unpack to any size. `why` completes "could not be read, because …". Rejects when the connection breaks.
 */
export async function responseBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly body: Uint8Array } | { readonly why: string }> {
  const unpackers = unpackersOf(response.headers["content-encoding"]);
  if (unpackers === undefined) return { why: "it is packed in a way that cannot be unpacked here." };
  const limit = { left: maxBytes };
  if (unpackers.length > 0) response.on("data", (chunk: Buffer) => (limit.left -= chunk.length));
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of through(response, unpackers) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes || limit.left < 0) return { why: `it is larger than ${inMib(maxBytes)} MiB.` };
    chunks.push(chunk);
  }
  return { body: Buffer.concat(chunks) };
}

/** The last packing was applied last, so it comes off first. */
function unpackersOf(encodings = ""): readonly Transform[] | undefined {
  const names = encodings
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const unpackers = names.toReversed().map((name) => makers.get(name)?.());
  return names.length <= mostLayers && unpackers.every((made) => made !== undefined) ? unpackers : undefined;
}

const mostLayers = 2;

const makers: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", () => createInflate()],
  ["br", () => createBrotliDecompress()],
]);

/** Whoever stops reading ends them all. */
const through = (source: Readable, steps: readonly Transform[]): Readable =>
  steps.reduce<Readable>((from, step) => pipeline(from, step, () => {}), source);

const inMib = (bytes: number): number => Math.round((bytes / 1024 / 1024) * 10) / 10;
