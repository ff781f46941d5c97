import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { maxLineBytes } from "./byte-wire.ts";
import { type Conversation, type Mutant, startConversation } from "./conversation.ts";
import { readCorpus } from "./corpus.ts";
import { type Line, type LineMaker, lineMaker } from "./line-maker.ts";
import { type Memory, watchMemory } from "./memory.ts";
import { randomFrom } from "../random.ts";
import { type TallyReport, tally } from "./tally.ts";
import { watchUnhandled } from "./unhandled.ts";

export type FuzzOptions = { readonly lines: number; readonly seed: number; readonly mutant?: Mutant };

export type FuzzReport = TallyReport & {
  /** Rejections and exceptions that nobody caught. */
  readonly unhandled: readonly string[];
  /** Lines of the connection that lived longest. */
  readonly longest: number;
  readonly memory: Memory;
};

const batchLines = 200;
/** Of every so many batches the one in which a connection has its end, by kind. */
const ends = {
  oversize: { every: 60, at: 4 },
  close: { every: 70, at: 16 },
  flood: { every: 40, at: 20 },
  exit: { every: 90, at: 26 },
} as const;

const restEvery = 15;

/** Says fuzzed lines to one connection after the other until so many were read. */
export async function fuzzRun({ lines, seed, mutant }: FuzzOptions): Promise<FuzzReport> {
  const random = randomFrom(seed);
  const counts = tally();
  const maker = lineMaker(readCorpus(), random);
  const clock = fakeClock();
  using unhandled = watchUnhandled();
  const memory = watchMemory(lines);
  const start = (): Promise<Conversation> => startConversation({ clock, random, tally: counts, mutant });
  let talk = await start();
  let since = 0;
  let longest = 0;

  for (let batch = 1; counts.lines < lines; batch += 1) {
    const end = endFor(batch, counts.lines / lines);
    if (end !== undefined || batch % restEvery === 0) await talk.rest();
    await talk.say(batchOf(maker, talk.openIds, end));
    if (end === "oversize" && talk.alive) counts.wrong("a line over the cap did not end the connection");
    if (end === "flood" && talk.alive) counts.wrong("a flood of garbage did not end the connection");
    if (end === "exit" && talk.alive) await talk.exit();
    await clock.advance(random.below(20) === 0 ? 40_000 : 1_001);
    memory.look(counts.lines);
    if (talk.alive && end === undefined) continue;
    await talk.finish();
    longest = Math.max(longest, counts.lines - since);
    since = counts.lines;
    talk = await start();
  }
  await talk.finish();
  if (clock.pending() > 0) counts.wrong("a timer is left");
  return { ...counts.report(), unhandled: unhandled.seen, longest, memory: memory.report() };
}

type End = keyof typeof ends;

/** In the second quarter one connection lives on, so that what it gathers would show. */
function endFor(batch: number, progress: number): End | undefined {
  if (progress > 0.25 && progress < 0.5) return undefined;
  return (Object.keys(ends) as End[]).find((end) => batch % ends[end].every === ends[end].at);
}

function batchOf(maker: LineMaker, openIds: readonly number[], end: End | undefined): readonly Line[] {
  if (end === "flood") return Array.from({ length: batchLines }, () => maker.garbage());
  const lines = Array.from({ length: batchLines }, () => maker.next(openIds));
  return end === "oversize" ? [...lines, maker.oversize(maxLineBytes + 1)] : lines;
}
