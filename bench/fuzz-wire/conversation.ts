import type { FakeClock } from "../../test/fakes/fake-clock.ts";
import { RpcError } from "../../src/lib/rpc/rpc-message.ts";
import { connection } from "../../src/runtimes/codex/connection/connection.ts";
import type { Gone } from "../../src/runtimes/codex/process/gone.ts";
import { formatFrame } from "../../src/runtimes/codex/recording/recording.ts";
import { byteWire, maxLineBytes } from "./byte-wire.ts";
import { codexRequests } from "./codex-requests.ts";
import { threads } from "./corpus.ts";
import type { Line } from "./line-maker.ts";
import { plantedReplies } from "./planted-replies.ts";
import type { Random } from "../random.ts";
import type { Tally } from "./tally.ts";
import { type ThreadReader, threadReader } from "./thread-reader.ts";

/** Ways to break what is tested, each of which a run must notice. */
export type Mutant = "ids-as-text" | "no-line-cap" | "lost-answers";

export type ConversationOptions = {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly tally: Tally;
  readonly mutant?: Mutant | undefined;
};

/** One connection to a codex that says what it is told to, with its threads, requests and all that is checked. */
export type Conversation = {
  readonly openIds: readonly number[];
  /** Says the lines, with an answer to one of our requests among them, and checks what came of it. */
  say(lines: readonly Line[]): Promise<void>;
  /** Stops reading and lets time pass: then nothing that codex asked may be without an answer. Goes on reading after. */
  rest(): Promise<void>;
  /** Codex ends in the middle of a line. */
  exit(): Promise<void>;
  /** Ends the connection if it has not ended, and checks that nothing is left waiting. */
  finish(): Promise<void>;
  readonly alive: boolean;
};

export async function startConversation(options: ConversationOptions): Promise<Conversation> {
  const { clock, random, tally, mutant } = options;
  const coming: Line[] = [];
  const requests = codexRequests();
  const readers = new Map<string, ThreadReader>();
  let badLines = 0;
  let written = 0;

  const codex = byteWire({
    random,
    maxBytes: mutant === "no-line-cap" ? Infinity : maxLineBytes,
    onLine(text) {
      const line = coming.shift();
      if (line === undefined) tally.wrong("more lines were read than said");
      if (line !== undefined) expect(line);
      return mutant === "ids-as-text" ? withNumberId(text) : text;
    },
    onWrite(text) {
      const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
      planted.sent(message);
      written += 1;
      if (mutant !== "lost-answers" || "method" in message || written % 50 > 0) requests.sent(message);
    },
  });

  function expect(line: Line): void {
    tally.read(line);
    if (line.sorted.kind === "bad") badLines += 1;
    if (line.sorted.kind === "request") requests.asked(line.sorted.id);
    for (const reader of readers.values()) reader.expect(line.sorted);
  }

  const recorded = random.oneIn(4);
  const talk = connection({
    wire: codex.wire,
    clock,
    onUnscopedRequest: () => unscopedAnswer(random),
    record: recorded ? (dir, msg) => void formatFrame({ ms: clock.monotonic(), dir, msg }) : undefined,
  });
  const planted = plantedReplies(talk, random);
  let gone: Gone | undefined;
  void talk.gone.then((exit) => (gone = exit));
  const bom = random.oneIn(3) ? byteOrderMark : Buffer.alloc(0);
  let first = true;

  async function openReader(thread: string): Promise<void> {
    const reader = threadReader({ talk, thread, clock, random, counts: tally.readers });
    readers.set(thread, reader);
    await settled();
    reader.startCounting();
  }

  function closeReader(thread: string): void {
    readers.get(thread)?.[Symbol.dispose]();
    readers.delete(thread);
  }

  /** The second thread has a reader at times; the first one reads slowly at times. */
  async function shuffleReaders(): Promise<void> {
    const [one, two] = threads;
    if (random.oneIn(3)) readers.get(one)?.pause();
    if (!random.oneIn(4)) return;
    if (readers.has(two)) return closeReader(two);
    await openReader(two);
  }

  async function letAnswer(): Promise<void> {
    for (const thread of readers.keys()) closeReader(thread);
    await clock.advance(3_000);
    if (gone === undefined) tally.check("unanswered requests", requests.open);
  }

  await openReader(threads[0]);
  planted.refill();
  await settled();

  return {
    get openIds() {
      return planted.openIds;
    },
    get alive() {
      return talk.alive;
    },
    async say(lines) {
      await shuffleReaders();
      const reply = random.oneIn(3) ? undefined : planted.plant();
      const at = random.below(lines.length + 1);
      coming.push(...lines.slice(0, at), ...(reply === undefined ? [] : [reply]), ...lines.slice(at));
      const bytes = coming.flatMap((line) => [line.bytes, lineFeed]);
      await codex.say(Buffer.concat(first ? [bom, ...bytes] : bytes));
      first = false;
      for (const reader of readers.values()) reader.resume();
      await settled();
      await settled();
      if (gone?.reason === "line-too-long") tally.tooLong(coming.shift());
      if (gone !== undefined) return;
      tally.check("missing lines", coming.length);
      tally.check("miscounted bad lines", Math.abs(badLines - talk.counts().badLines));
      tally.check("planted replies that were not taken", planted.overdue());
      for (const reader of readers.values()) tally.check("misrouted frames", reader.missing());
      planted.refill();
      await settled();
    },
    async rest() {
      await letAnswer();
      await openReader(threads[0]);
    },
    async exit() {
      await codex.say(Buffer.from('{"id":1,"result":{'));
      codex.exit();
      await settled();
      if (gone?.reason !== "exit") tally.wrong("the end of codex was not noticed");
    },
    async finish() {
      await letAnswer();
      talk.close();
      codex.exit();
      await settled();
      tally.check("requests of ours left waiting", planted.open);
      const kills = gone?.reason === "closed" || gone?.reason === "exit" ? 0 : 1;
      if (codex.kills !== kills) tally.wrong(`codex was killed ${codex.kills} times after ${gone?.reason}`);
      tally.connection({
        reason: gone?.reason ?? "none",
        planted: planted.counts,
        requests: requests.counts,
        talk: talk.counts(),
      });
    },
  };
}

const lineFeed = Buffer.from("\n");
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Everything that can happen without time passing has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function unscopedAnswer(random: Random): unknown {
  const way = random.below(4);
  if (way === 0) throw new RpcError(-32000, "not ours");
  if (way === 1) throw new Error("broken");
  return way === 2 ? Promise.reject(new Error("broken later")) : { now: 5 };
}

/** What a peer does that compares ids as text. */
function withNumberId(text: string): string {
  try {
    const message = JSON.parse(text) as Record<string, unknown>;
    const { id } = message;
    if (typeof id !== "string" || typeof message["method"] === "string" || !/^\d+$/.test(id)) return text;
    return JSON.stringify({ ...message, id: Number(id) });
  } catch {
    return text;
  }
}
