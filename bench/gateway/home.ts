import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/lib/clock.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { type Result, type Started, talaria } from "../../test/e2e/talaria.ts";
import { ownSources } from "../own-child.ts";
import { type Platforms, startPlatforms } from "./chats.ts";
import type { HostJob } from "./host.child.ts";
import { type ChatModel, startChatModel } from "./model.ts";
import { type Records, isQuiet, recordsOf, storeIn } from "./records.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** A home whose bots are on three platforms; hosts come and go. */
export type ChatHome = AsyncDisposable & {
  readonly platforms: Platforms;
  /** A host that stays. Without a job it is the program itself; `options`: of its Node. */
  start(job?: HostJob, options?: string): Promise<ChatHost>;
  /** Everybody asks something. */
  askAll(): void;
  /** Is all that was asked known to the store? */
  allReceived(): boolean;
  /** All that was said is dealt with, or nothing has changed for a while. */
  quiet(): Promise<void>;
  /** Runs a host until then, and ends it. */
  settle(job?: HostJob): Promise<void>;
  verdict(): Verdict;
};

export type ChatHost = {
  readonly pid: number;
  /** Its doors are open, or it has ended. */
  readonly serving: Promise<unknown>;
  /** It listens on all platforms, or has ended. */
  readonly connected: Promise<unknown>;
  readonly finished: Promise<Result>;
  /** Where a debugger of its Node listens, if its options ask for one. */
  readonly debugger: () => Promise<string>;
  /** kill -9; done when it is gone. */
  kill(): Promise<void>;
  end(): Promise<void>;
};

/** Of a host that is not killed. */
const longestLifeMs = 2 * 60 * 60_000;

const childFile = fileURLToPath(new URL("host.child.ts", import.meta.url));

export async function newChatHome(chats: number): Promise<ChatHome> {
  await using parts = new AsyncDisposableStack();
  const platforms = parts.use(await startPlatforms(chats));
  const model = parts.use(await startChatModel(15));
  const it = parts.use(await talaria());
  await configure(it.home, model, platforms);
  const owned = parts.move();
  const start = async (job?: HostJob, options = ""): Promise<ChatHost> => {
    const joined = platforms.discord.gateway.joined();
    const host = await (job === undefined
      ? it.shell(`exec "$0" serve 2>&1`, { patienceMs: longestLifeMs, env: { NODE_OPTIONS: options } })
      : it.shell(`exec "$BENCH_NODE" ${ownSources.join(" ")} "$BENCH_CHILD" "$BENCH_JOB" 2>&1`, {
          env: { BENCH_NODE: process.execPath, BENCH_CHILD: childFile, BENCH_JOB: JSON.stringify(job) },
        }));
    const over = new AbortController();
    void host.finished.finally(() => over.abort());
    return chatHost(host, Promise.all([joined, listening(platforms, over.signal)]));
  };
  const quiet = (): Promise<void> => untilQuiet(() => recordsOf(it.home), platforms);
  const allReceived = (): boolean => hasAll(platforms, recordsOf(it.home));
  return {
    platforms,
    start,
    allReceived,
    quiet,
    askAll: () => platforms.chats.forEach((chat) => chat.ask()),
    async settle(job) {
      const host = await start(job);
      await host.connected;
      await quiet();
      await host.end();
    },
    verdict() {
      const seen = platforms.chats.map((chat) => chat.seen());
      const verdict = verdictOf(seen, recordsOf(it.home));
      return { ...verdict, broken: [...verdict.broken, ...model.broken] };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function configure(home: string, model: ChatModel, platforms: Platforms): Promise<void> {
  const { telegram, slack, discord, people } = platforms;
  const settings = `model: { provider: mine, default: big, openai_runtime: auto }
providers: { mine: { api: "${model.url}", protocol: responses, key_env: MINE_KEY } }
auxiliary: { title_generation: { enabled: false } }
gateway:
  telegram: { api: "${telegram.url}" }
  slack: { api: "${slack.api}" }
  discord: { api: "${discord.api}" }
`;
  const secrets = {
    MINE_KEY: "none-of-yours-1234",
    TELEGRAM_BOT_TOKEN: telegram.token,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    DISCORD_BOT_TOKEN: discord.token,
  };
  await mkdir(home, { recursive: true, mode: 0o700 });
  await using store = await openSqliteStore(storeIn(home));
  for (const { surface, id } of people)
    await store.people.allow({ surface, id, role: "member" }, systemClock.now());
  await writeFile(join(home, "config.yaml"), settings, { mode: 0o600 });
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(home, ".env"), lines.join(""), { mode: 0o600 });
}

function chatHost(host: Started, listens: Promise<unknown>): ChatHost {
  const { finished } = host;
  const end = (signal: NodeJS.Signals) => async (): Promise<void> => {
    host.signal(signal);
    await finished;
  };
  return {
    pid: host.pid,
    finished,
    debugger: async () => (await host.shows(/ws:\/\/\S+/))[0] ?? "",
    serving: Promise.race([finished, host.shows(/"event":"serving"/)]).catch(() => {}), // it was killed
    connected: Promise.race([finished, listens]),
    kill: end("SIGKILL"),
    end: end("SIGTERM"),
  };
}

async function listening({ telegram, slack }: Platforms, over: AbortSignal): Promise<void> {
  while (!over.aborted && !(telegram.isPolled() && slack.sockets.counts.open > 0)) await soon();
}

function hasAll({ chats }: Platforms, { received }: Records): boolean {
  const known = new Set(received.map(({ surface, chat, messageId }) => `${surface} ${chat} ${messageId}`));
  return chats
    .map((chat) => chat.seen())
    .every(({ surface, chat, said }) =>
      [...said.values()].every((id) => known.has(`${surface} ${chat} ${id}`)),
    );
}

/** Another process writes, and a bench may look now and then. */
export const soon = (): Promise<void> => systemClock.sleep(30, undefined, { hold: true });

/** What has not come by then is lost. */
const patienceMs = 4000;
const longestMs = 90_000;

async function untilQuiet(look: () => Records, platforms: Platforms): Promise<void> {
  const begun = systemClock.monotonic();
  let [last, since] = ["", begun];
  for (;;) {
    const records = look();
    const now = systemClock.monotonic();
    if (isQuiet(records) && hasAll(platforms, records)) return;
    const state =
      JSON.stringify(records.outbox.map(({ state: one, attempts }) => [one, attempts])) +
      JSON.stringify([records.received.map(({ state: one }) => one), records.turns]);
    if (state !== last) [last, since] = [state, now];
    if (isQuiet(records) && now - since > patienceMs) return;
    if (now - begun > longestMs) return;
    await soon();
  }
}
