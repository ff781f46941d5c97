import type { Route } from "../../src/models/model.ts";
import type { Random } from "../random.ts";
import { corpora } from "./corpus.ts";
import { type FrameMutation, frameMutationNames, frameMutations } from "./mutations.ts";

/** One body as a server might send it. */
export type FuzzedStream = {
  readonly bytes: Uint8Array;
  /** The body breaks off with an error instead of ending. */
  readonly breaks: boolean;
  readonly frames: number;
  /** How many of them are not what they were; their order may be changed besides. */
  readonly mutated: number;
  readonly mutations: readonly (FrameMutation | SequenceMutation)[];
};

type Sequence = readonly (string | Uint8Array)[];

const sequenceMutations = {
  dropFrame: (frames, random) => frames.toSpliced(random.below(frames.length), 1),
  repeatFrame: (frames, random) => {
    const at = random.below(frames.length);
    return frames.toSpliced(at, 0, frames[at] ?? "");
  },
  swapFrames: (frames, random) => {
    const at = random.below(frames.length);
    return [...frames.slice(0, at), ...frames.slice(at).toReversed()];
  },
  foreignFrame: (frames, random) => {
    const stream = random.pick(corpora[random.pick(["responses", "chat"] as const)]);
    return frames.toSpliced(random.below(frames.length + 1), 0, ...stream.slice(0, 1 + random.below(4)));
  },
  cutFrames: (frames, random) => frames.slice(0, random.below(frames.length + 1)),
} as const satisfies Readonly<Record<string, (frames: Sequence, random: Random) => Sequence>>;

type SequenceMutation = keyof typeof sequenceMutations;
const sequenceNames = Object.keys(sequenceMutations) as readonly SequenceMutation[];
export const mutationNames = [...frameMutationNames, ...sequenceNames] as const;

/** A stream of the protocol with a few things wrong in it. */
export function fuzzedStream(protocol: Route["protocol"], random: Random): FuzzedStream {
  const mutations: (FrameMutation | SequenceMutation)[] = [];
  let frames: Sequence = random.pick(corpora[protocol]).map((frame) => {
    if (random.oneIn(2)) return frame;
    const name = random.pick(frameMutationNames);
    mutations.push(name);
    return frameMutations[name](frame, random);
  });
  const mutated = mutations.length;
  while (random.oneIn(2) && frames.length > 0) {
    const name = random.pick(sequenceNames);
    mutations.push(name);
    frames = sequenceMutations[name](frames, random);
  }
  const bytes = Buffer.concat(frames.map((frame) => Buffer.from(frame)));
  return { bytes, breaks: random.oneIn(5), frames: frames.length, mutated, mutations };
}

/** The same bytes in pieces of any size. */
export function inChunks(bytes: Uint8Array, random: Random): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random.below(random.pick([1, 10, 100, 10_000]));
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}
