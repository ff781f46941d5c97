import { isDeepStrictEqual } from "node:util";
import { converse, type ConverseEvent } from "../../src/models/converse.ts";
import type { ModelRequest, Route } from "../../src/models/model.ts";
import { stream } from "../../src/models/stream.ts";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { type Memory, watchMemory } from "../fuzz-wire/memory.ts";
import { type Random, randomFrom } from "../random.ts";
import { brokenRules } from "./rules.ts";
import { type FuzzedStream, fuzzedStream, inChunks, mutationNames } from "./stream-maker.ts";
import { watchUnhandled } from "../fuzz-wire/unhandled.ts";

export type FuzzReport = {
  readonly frames: number;
  /** Frames that were changed; a few more changes are to their order. */
  readonly mutated: number;
  readonly streams: number;
  readonly mutations: Readonly<Record<string, number>>;
  /** How streams ended, by fault where they failed. */
  readonly ends: Readonly<Record<string, number>>;
  /** Whatever must not be, and how often. */
  readonly broken: Readonly<Record<string, number>>;
  /** Rejections and exceptions that nobody caught. */
  readonly unhandled: readonly string[];
  readonly memory: Memory;
};

export type FuzzOptions = {
  /** Mutated ones, beside those that were left as they are. */
  readonly frames: number;
  readonly seed: number;
  /** Breaks what is said, to see that it is noticed. */
  readonly mutant?: (events: readonly ConverseEvent[]) => readonly ConverseEvent[];
};

const request: ModelRequest = {
  model: "m",
  instructions: "",
  messages: [{ role: "user", content: "hello" }],
  tools: [{ name: "t", description: "", parameters: { type: "object" } }],
};

/** Reads fuzzed streams until so many mutated frames have come. */
export async function fuzzRun({ frames: wanted, seed, mutant }: FuzzOptions): Promise<FuzzReport> {
  const random = randomFrom(seed);
  const mutations: Record<string, number> = Object.fromEntries(mutationNames.map((name) => [name, 0]));
  const ends: Record<string, number> = {};
  const broken: Record<string, number> = {};
  using unhandled = watchUnhandled();
  const memory = watchMemory(wanted);
  let frames = 0;
  let mutated = 0;
  let streams = 0;
  while (mutated < wanted) {
    const protocol = random.pick(["responses", "chat"] as const);
    const fuzzed = fuzzedStream(protocol, random);
    const said = await listen(protocol, fuzzed, random);
    const events = mutant?.(said) ?? said;
    frames += fuzzed.frames;
    mutated += fuzzed.mutated;
    streams += 1;
    for (const name of fuzzed.mutations) count(mutations, name);
    count(ends, endOf(events));
    for (const words of brokenRules(events)) count(broken, words);
    if (random.oneIn(10) && !isDeepStrictEqual(await listen(protocol, fuzzed, random), said))
      count(broken, "another chunking says something else");
    if (random.oneIn(10)) {
      const talk = await listenAgain(protocol, fuzzed, random);
      for (const words of brokenRules(talk)) count(broken, `with retries: ${words}`);
    }
    memory.look(mutated);
  }
  return {
    frames,
    mutated,
    streams,
    mutations,
    ends,
    broken,
    unhandled: unhandled.seen,
    memory: memory.report(),
  };
}

function count(where: Record<string, number>, what: string): void {
  where[what] = (where[what] ?? 0) + 1;
}

const routeOf = (protocol: Route["protocol"]): Route => ({
  name: "fuzz",
  protocol,
  url: "http://fuzz.test/v1",
  headers: {},
  model: "m",
});

async function listen(
  protocol: Route["protocol"],
  fuzzed: FuzzedStream,
  random: Random,
): Promise<readonly ConverseEvent[]> {
  const clock = fakeClock();
  const { signal } = new AbortController();
  const fetch = async (): Promise<Response> => answer(fuzzed, random);
  return await Array.fromAsync(stream(routeOf(protocol), request, { signal, clock, fetch }));
}

/** The same with retries: every request is answered by another stream. */
async function listenAgain(
  protocol: Route["protocol"],
  first: FuzzedStream,
  random: Random,
): Promise<readonly ConverseEvent[]> {
  const clock = fakeClock();
  const { signal } = new AbortController();
  let next = first;
  const fetch = async (): Promise<Response> => {
    const response = answer(next, random);
    next = fuzzedStream(protocol, random);
    return response;
  };
  const events: ConverseEvent[] = [];
  for await (const event of converse(routeOf(protocol), request, { signal, clock, fetch })) {
    events.push(event);
    if (event.type === "retrying") void clock.advance(event.afterMs);
  }
  return events;
}

function answer({ bytes, breaks }: FuzzedStream, random: Random): Response {
  const chunks = inChunks(bytes, random).values();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = chunks.next();
      if (done !== true) return controller.enqueue(value);
      if (breaks) return controller.error(new Error("reset"));
      controller.close();
    },
  });
  return new Response(body);
}

function endOf(events: readonly ConverseEvent[]): string {
  const last = events.at(-1);
  return last?.type === "failed" ? last.fault.code : (last?.type ?? "nothing");
}
