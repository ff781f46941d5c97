import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Platform, platforms } from "../../src/core/gateway/chat.ts";
import { openHost } from "../../src/host/index.ts";
import { openGateway } from "../../src/surfaces/gateway/index.ts";
import { type ChatApp, chatApp } from "../../test/fakes/chat-app.ts";
import { type FakeClock, fakeClock } from "../../test/fakes/fake-clock.ts";
import { says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import type { Ports, Turn } from "../../src/runtimes/runtime.ts";
import type { Random } from "../random.ts";
import { type Records, recordsOf } from "./records.ts";
import type { SeenChat } from "./verdict.ts";
import { answerTo, marksIn, question } from "./words.ts";

/** A home whose gateway is opened and closed again and again, with chat apps in memory, while its clock goes on. */
export type SoakWorld = AsyncDisposable & {
  readonly clock: FakeClock;
  /** Opens it for as long as `use` takes, and closes it in the middle of whatever it does then. */
  open(use: () => Promise<void>): Promise<void>;
  /** Somebody asks something there. What cannot be taken is delivered again when there is somebody to take it. */
  ask(chat: number): void;
  records(): Records;
  seen(): readonly SeenChat[];
  /** How often what went wrong. */
  readonly faults: Readonly<Record<string, number>>;
  readonly logged: readonly string[];
};

const mostLogged = 200;
/** One call in so many goes wrong. */
const oneIn = 20;

export async function newSoakWorld(chats: number, random: Random): Promise<SoakWorld> {
  const folder = await realpath(await mkdtemp(join(quickDisk(), "talaria-chat-soak-")));
  const home = join(folder, "home");
  await mkdir(home, { mode: 0o700 });
  await mkdir(join(folder, "work"));
  await writeFile(join(home, "config.yaml"), settings, { mode: 0o600 });
  const clock = fakeClock();
  const [faults, logged, late]: [Record<string, number>, string[], (() => void)[]] = [{}, [], []];
  const apps = new Map(platforms.map((surface) => [surface, faultyApp(surface, random, faults)]));
  const places = Array.from({ length: chats }, (_, index) => soakChat(apps, index));
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home, MINE_KEY: "none-of-yours" };
  const log = (_: string, fields: Readonly<Record<string, unknown>> = {}): void =>
    void (logged.length < mostLogged && logged.push(String(fields["text"])));
  let isKnown = false;
  return {
    clock,
    faults,
    logged,
    async open(use) {
      await using host = await openHost({
        env,
        homeDir: folder,
        cwd: join(folder, "work"),
        version: "bench",
        executor: true,
        longLived: true,
        seams: { clock, runtimes: { loop: scriptedRuntime((turn, ports) => answer(turn, ports)) } },
      });
      if (!isKnown)
        for (const { surface, index } of places)
          await host.gateway.people.allow({ surface, id: personOf(index), role: "member" }, clock.now());
      isKnown = true;
      await using door = await openGateway({
        host,
        clock,
        log,
        bots: [...apps.values()].map(({ bot }) => bot),
      });
      if (door === undefined) throw new Error("no bot was opened");
      await clock.advance(0);
      for (const again of late.splice(0)) again();
      await use();
    },
    ask(chat) {
      const deliver = places[chat]?.ask() ?? (() => Promise.resolve());
      const attempt = (): void => void deliver().catch(() => late.push(attempt));
      attempt();
    },
    records: () => recordsOf(home),
    seen: () => places.map(({ seen }) => seen()),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Nothing is killed here, and waiting for a disk is most of the time otherwise. */
const quickDisk = (): string => (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

const settings = `model: { provider: mine, default: big, openai_runtime: auto }
providers: { mine: { api: "http://127.0.0.1:9/v1", protocol: responses, key_env: MINE_KEY } }
auxiliary: { title_generation: { enabled: false } }
`;

const personOf = (index: number): string => `p${index}`;

function soakChat(apps: ReadonlyMap<Platform, ChatApp>, index: number) {
  const surface = platforms[index % platforms.length] ?? "telegram";
  const app = apps.get(surface) ?? chatApp(surface);
  const [chat, said] = [`c${index}`, new Map<number, string>()];
  return {
    surface,
    index,
    ask() {
      const text = question(index, said.size);
      const message = app.message({ chat, from: personOf(index), text });
      said.set(said.size, message.messageId);
      return () => app.deliver(message);
    },
    seen: (): SeenChat => ({
      index,
      surface,
      chat,
      said,
      shown: app.shown(chat).map(({ id, text }) => ({ id, text })),
    }),
  };
}

function faultyApp(surface: Platform, random: Random, faults: Record<string, number>): ChatApp {
  const app = chatApp(surface);
  const count = <Fault>(name: string, fault: Fault): Fault => {
    faults[name] = (faults[name] ?? 0) + 1;
    return fault;
  };
  app.goesWrong((call) => {
    if (!random.oneIn(oneIn)) return undefined;
    if (call === "typing") return count("typing hangs", "hang");
    if (random.oneIn(3)) return count("429", { heldMs: 1000 * (1 + random.below(30)) });
    if (random.oneIn(2)) return count("not sent", { notSent: "there is no connection" });
    return count("reply lost", "lost reply");
  });
  return app;
}

/** Most answers come at once; some take long enough for a line that says so, or for a restart in the middle. */
async function* answer(turn: Turn, ports: Ports) {
  const [part] = turn.input;
  const text = part?.type === "text" ? part.text : "";
  const [first] = marksIn(text);
  if ((first?.number ?? 0) % 7 === 3) await ports.clock.sleep(12_000, ports.signal).catch(() => {});
  if (ports.signal.aborted)
    return void (yield { type: "ended", outcome: "interrupted", text: "", calls: 0 } as const);
  yield* says(answerTo(text, soakLine), turn);
}

/** As long as a message of this chat app can be, with what stands between two of them. */
const soakLine = 398;
