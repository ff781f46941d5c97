import { systemClock } from "../../src/lib/clock.ts";
import { rounded } from "../medians.ts";
import type { Random } from "../random.ts";
import { slope } from "../soak/slope.ts";
import { type Platforms, noMoreFaults } from "./chats.ts";
import { type Collected, collected } from "./collected.ts";
import { newChatHome } from "./home.ts";
import type { Result } from "../../test/e2e/talaria.ts";
import { type Verdict, countOf } from "./verdict.ts";

export type HourSize = {
  readonly minutes: number;
  readonly chats: number;
  /** Between two questions, wherever they are asked. */
  readonly everyMs: number;
  /** So many come before, seven in a second: what the host keeps in mind has a bound, and is full then. */
  readonly warmUp: number;
};

export type HourReport = {
  readonly figures: object;
  readonly faults: readonly string[];
  /** MiB more for 1,000 turns. */
  readonly grown: number;
};

/** One call in so many goes wrong, and a connection breaks after so many questions. */
const [callsPerFault, asksPerBreak] = [20, 60];
const sampleMs = 20_000;
const warmUpMs = 150;

/** The program itself with the real libraries, in real time: nothing leaps here, so what only time brings about is met, too. */
export async function realHour(
  { minutes, chats, everyMs, warmUp }: HourSize,
  random: Random,
  log: (line: string) => void,
): Promise<HourReport> {
  await using home = await newChatHome(chats);
  const host = await home.start(undefined, "--inspect=127.0.0.1:0");
  const itsEnd: Result[] = [];
  void host.finished.then((result) => itsEnd.push(result));
  await host.connected;
  using memory = await collected(await host.debugger(), host.pid);
  home.askAll();
  await home.quiet();
  const broken = { calls: 0, connections: 0 };
  let [asked, sampled] = [0, 0];
  faultyCalls(home.platforms, random, () => void (broken.calls += 1));
  const samples: Sample[] = [];
  const look = async (): Promise<void> => {
    const now = await memory.sample();
    samples.push([asked, now]);
    log(`${asked} questions, ${rounded(now.residentMiB, 1)} MiB, ${rounded(now.objectsMiB, 1)} of objects`);
  };
  const askOne = async (pauseMs: number): Promise<void> => {
    home.platforms.chats[random.below(chats)]?.ask();
    asked += 1;
    if (asked % asksPerBreak === 0) broken.connections += await breakOne(home.platforms, random);
    await systemClock.sleep(2 * random.fraction() * pauseMs, undefined, { hold: true });
  };
  for (let each = 0; each < warmUp && itsEnd.length === 0; each += 1) await askOne(warmUpMs);
  const until = systemClock.monotonic() + minutes * 60_000;
  while (systemClock.monotonic() < until && itsEnd.length === 0) {
    await askOne(everyMs);
    if (systemClock.monotonic() - sampled > sampleMs) {
      sampled = systemClock.monotonic();
      await look();
    }
  }
  noMoreFaults(home.platforms);
  await home.quiet();
  const early = [...itsEnd];
  await look();
  // A process with a debugger at it waits for that one to leave before it ends.
  memory[Symbol.dispose]();
  await host.end();
  const verdict = home.verdict();
  return {
    figures: figuresOf({ minutes, chats, broken, samples }, verdict),
    faults: [...early.map((end) => `open: the host ended by itself: ${lastOf(end)}`), ...verdict.broken],
    grown: grownBy(samples, "residentMiB"),
  };
}

type Sample = readonly [asked: number, memory: Awaited<ReturnType<Collected["sample"]>>];

const grownBy = (samples: readonly Sample[], what: keyof Sample[1]): number =>
  samples.length > 2 ? slope(samples.map(([asked, memory]) => [asked, memory[what]])) : Number.NaN;

const sizes = ([, memory]: Sample = [0, { residentMiB: 0, objectsMiB: 0 }]) => ({
  resident: rounded(memory.residentMiB, 1),
  objects: rounded(memory.objectsMiB, 1),
});

const lastOf = ({ code, signal, stdout }: Result): string => `${code ?? signal}, ${stdout.slice(-2000)}`;

function faultyCalls({ telegram, slack, discord }: Platforms, random: Random, counted: () => void): void {
  const isFaulty = (): boolean => {
    const is = random.oneIn(callsPerFault);
    if (is) counted();
    return is;
  };
  const kinds = ["dropped", "acceptedThenDropped", "rateLimited"] as const;
  const fault = () => {
    const kind = random.pick(kinds);
    return kind === "rateLimited" ? { kind, seconds: 1 } : { kind };
  };
  telegram.faults.decide((method) => (method !== "getUpdates" && isFaulty() ? fault() : undefined));
  slack.faults.decide(() => (isFaulty() ? fault() : undefined));
  const discordKinds = ["drop", "drop after", "held"] as const;
  const next = (): void => {
    const kind = random.pick(discordKinds);
    const isNext = ({ path }: { readonly path: string }): boolean =>
      path.startsWith("/channels/") && random.oneIn(callsPerFault);
    discord.faults.on(
      (call) => {
        if (!isNext(call)) return false;
        counted();
        queueMicrotask(next);
        return true;
      },
      kind === "held" ? { kind, seconds: 1 } : { kind },
    );
  };
  next();
}

/** Breaks what brings messages of one of the platforms. */
async function breakOne({ telegram, slack, discord }: Platforms, random: Random): Promise<number> {
  const ways = [
    async () => {
      telegram.faults.unreachable(true);
      await systemClock.sleep(2000 * random.fraction(), undefined, { hold: true });
      telegram.faults.unreachable(false);
    },
    async () => slack.sockets.cut(),
    async () => discord.gateway.close(random.pick([1005, 1006])),
    async () => {
      discord.gateway.forget();
      discord.gateway.close(1006);
    },
  ];
  await random.pick(ways)();
  return 1;
}

const figuresOf = (
  run: {
    readonly minutes: number;
    readonly chats: number;
    readonly broken: object;
    readonly samples: readonly Sample[];
  },
  { broken, ...counts }: Verdict,
): object => ({
  minutes: run.minutes,
  chats: run.chats,
  ...counts,
  wentWrong: run.broken,
  ...Object.fromEntries(
    ["lost", "doubled", "misplaced", "order", "open"].map((word) => [word, countOf({ broken }, word)]),
  ),
  MiB: { first: sizes(run.samples[0]), last: sizes(run.samples.at(-1)) },
  objectsMiBMore: rounded(grownBy(run.samples, "objectsMiB")),
});
