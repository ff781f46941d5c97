import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeAgent } from "../../../src/agent/agent.ts";
import { hub } from "../../../src/agent/hub.ts";
import type { Agent } from "../../../src/agent/index.ts";
import { makeBroker } from "../../../src/approvals/broker.ts";
import type { EndedEnvelope, Envelope } from "../../../src/core/events.ts";
import type { Sent } from "../../../src/core/host.ts";
import { type SessionId, newId } from "../../../src/core/ids.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { selfIdentity } from "../../../src/lib/process/process-identity.ts";
import { codexRuntime } from "../../../src/runtimes/codex/codex.ts";
import { type AppServer, startAppServer } from "../../../src/runtimes/codex/process/app-server.ts";
import { launchOptions } from "../../../src/runtimes/codex/process/launch.ts";
import { unreadMethods } from "../../../src/runtimes/codex/process/opt-out.ts";
import { appServerPool } from "../../../src/runtimes/codex/process/pool.ts";
import { openTestStore } from "../../sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { willfulCodex } from "../../fakes/willful-codex.ts";
import { localOwner } from "../../../src/core/principal.ts";

/** One session of an agent on the real codex, with all that codex can do by itself switched on. */
export type AgentOnCodex = AsyncDisposable & {
  readonly agent: Agent;
  readonly store: Store;
  readonly session: SessionId;
  readonly work: string;
  /** Resolves when it is admitted. */
  send(text: string): Promise<Sent>;
  /** Runs a turn to its end. */
  turn(text: string): Promise<EndedEnvelope>;
  /** The next event that fits, among those that have come and those that will. Each is given once. */
  next(fits: (event: Envelope) => boolean): Promise<Envelope>;
  /** All events so far. */
  readonly events: readonly Envelope[];
  /** The turns as they are on the disk, with where their input came from and their items. */
  kept(): Promise<readonly KeptTurn[]>;
  read(file: string): Promise<string>;
  /** Codex dies, as if it had crashed. */
  kill(): void;
};

export type KeptTurn = {
  readonly surface: string;
  readonly input: string;
  readonly state: string;
  readonly calls: readonly string[];
  readonly items: readonly { readonly kind: string; readonly [field: string]: unknown }[];
};

export type CodexOfOwnWill = {
  readonly binary: string;
  readonly version: string;
  /** What it has whatever Talaria's own settings say. */
  readonly settings: readonly string[];
  /** So many times it does not hear that a turn is to be interrupted: it is too early, or the turn is too short. */
  readonly deafTo?: number;
};

/** `signal`: of the test. When its time is over nothing is waited for any more, so that all is closed. */
export async function agentOnCodex(
  modelUrl: string,
  model: string,
  codex: CodexOfOwnWill,
  signal: AbortSignal,
): Promise<AgentOnCodex> {
  await using opened = new AsyncDisposableStack();
  const cache = resolve("node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "unasked-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [home, work] = [join(folder, "home"), join(folder, "work")];
  for (const path of [home, work]) await mkdir(path);
  const store = opened.use(await openTestStore(join(folder, "talaria.db"), { clock: systemClock }));
  const pids: number[] = [];
  const binary = await willfulCodex(folder, codex.binary, codex.settings);
  const { version, deafTo = 0 } = codex;
  const place = { pids, binary, version, home, folder, url: modelUrl, model, deafTo };
  const runtime = opened.use(realRuntime(place));
  const agent = opened.use(agentWith(store, runtime, folder));
  const kept = opened.move();
  const session = newId("ses", systemClock.now());
  const heard = listening(agent, session, signal);
  let inputs = 0;
  const send = async (text: string): Promise<Sent> => {
    inputs += 1;
    const sent = await agent.send({
      from: localOwner("cli"),
      key: { surface: "cli", account: "", chat: "c", messageId: String(inputs) },
      session: inputs === 1 ? { id: session, cwd: work, surface: "cli", audience: "owner" } : session,
      input: [{ type: "text", text }],
      whenBusy: "queue",
      attended: "none",
    });
    const ended = inTime(sent.ended, signal);
    ended.catch(() => {}); // whoever waits for it hears of it
    return { ...sent, ended };
  };
  return {
    agent,
    store,
    session,
    work,
    ...heard,
    send,
    async turn(text) {
      const ended = await (await send(text)).ended;
      if (ended === undefined) throw new Error("it was set aside");
      return ended;
    },
    kept: () => keptTurns(store, session),
    kill: () => void process.kill(pids.at(-1) ?? 0, "SIGKILL"),
    read: (file) => readFile(join(work, file), "utf8").catch(() => ""),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

type Place = {
  /** Processes of codex that were started. */
  readonly pids: number[];
  readonly binary: string;
  readonly version: string;
  readonly home: string;
  readonly folder: string;
  readonly url: string;
  readonly model: string;
  readonly deafTo: number;
};

function realRuntime(place: Place): ReturnType<typeof codexRuntime> {
  const { pids, binary, version, home, folder, url, model, deafTo } = place;
  const launch = launchOptions({
    binary,
    version,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, TMPDIR: "/tmp" },
    isolated: { codexHome: home },
    route: { name: "scripted", url, headers: {} },
    retries: { request: 0, stream: 0 },
  });
  const processes = { add: async () => {}, remove: async () => {} };
  const options = { clock: systemClock, processes, optOut: unreadMethods, clientVersion: "test" };
  const plan = {
    launch,
    provider: "scripted",
    loopRouteExists: false,
    network: false,
    sandbox: "workspace-write" as const,
    mcpServers: {},
    warnings: [],
    model,
  };
  return codexRuntime({
    pool: appServerPool({
      clock: systemClock,
      async start(each, signal) {
        const server = await startAppServer(each, { ...options, signal });
        pids.push(server.pid);
        return hardOfHearing(server, deafTo);
      },
    }),
    plan: async () => plan,
    offer: new Map(),
    frames: { listen: () => () => {} },
  });
}

function hardOfHearing(server: AppServer, deafTo: number): AppServer {
  let left = deafTo;
  const request: AppServer["request"] = async (method, ...rest) => {
    if (method !== "turn/interrupt" || left === 0) return server.request(method, ...rest);
    left -= 1;
    return {};
  };
  return Object.create(server, { request: { value: request } }) as AppServer;
}

function agentWith(store: Store, runtime: ReturnType<typeof codexRuntime>, folder: string): Agent {
  const owner = selfIdentity();
  const broker = makeBroker({
    store,
    owner,
    isGone: () => false,
    clock: systemClock,
    settings: { mode: "manual", securityMode: "auto", deny: [], guarded: [], home: folder },
    timeoutMs: 60_000,
    isFollowed: () => false,
    folderId: async (path) => path,
    tieOf: async () => undefined,
    log: () => {},
  });
  return makeAgent({
    store,
    watchers: hub(() => {}),
    runtimes: { codex: runtime },
    defaultRuntime: "codex",
    whyNotOn: () => undefined,
    prepare: async () => ({ instructions: "", project: "", context: [] }),
    toolBox: async () => ({ specs: [], enabled: [], call: async () => ({ ok: false, output: "" }) }),
    asking: (turn) => broker.asking(turn),
    spending: {
      provider: "scripted",
      priceOf: () => undefined,
      budgets: { turn: {}, session: {}, day: {} },
    },
    processes: { add: async () => {}, remove: async () => {} },
    recording: () => Promise.reject(new Error("no recordings here")),
    owner,
    isGone: () => false,
    answering: () => "awaited",
    redact: (text) => text,
    clock: systemClock,
    log: (line) => console.error(line),
  });
}

function listening(
  agent: Agent,
  session: SessionId,
  signal: AbortSignal,
): Pick<AgentOnCodex, "next" | "events"> {
  const events: Envelope[] = [];
  const given = new Set<Envelope>();
  let news = Promise.withResolvers<void>();
  agent.subscribe(session, (event) => {
    events.push(event);
    news.resolve();
    news = Promise.withResolvers();
  });
  return {
    events,
    async next(fits) {
      for (;;) {
        const found = events.find((event) => !given.has(event) && fits(event));
        if (found === undefined) {
          await inTime(news.promise, signal);
          continue;
        }
        given.add(found);
        return found;
      }
    },
  };
}

/** Rejects when the time is over. */
async function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const late = Promise.withResolvers<never>();
  const giveUp = (): void => late.reject(signal.reason);
  signal.addEventListener("abort", giveUp, { once: true });
  return Promise.race([promise, late.promise]).finally(() => signal.removeEventListener("abort", giveUp));
}

async function keptTurns(store: Store, session: SessionId): Promise<readonly KeptTurn[]> {
  const turns = await store.sessions.turns(session);
  return Promise.all(
    turns.map(async (turn) => {
      const row = await store.inbox.get(turn.inbox);
      const items = await store.turns.items(turn.id);
      const [part] = row?.input ?? [];
      return {
        surface: row?.key.surface ?? "",
        input: part?.type === "text" ? part.text : "",
        state: turn.state,
        calls: items.flatMap((item) => (item.kind === "call" ? [JSON.stringify(item.args)] : [])),
        items: items as KeptTurn["items"],
      };
    }),
  );
}
