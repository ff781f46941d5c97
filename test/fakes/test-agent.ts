import { tempFolder } from "../temp-folder.ts";
import { makeAgent } from "../../src/agent/agent.ts";
import { hub } from "../../src/agent/hub.ts";
import type { Agent, AgentDeps } from "../../src/agent/index.ts";
import type { Envelope } from "../../src/core/events.ts";
import { isPlatform } from "../../src/core/gateway/chat.ts";
import type { Incoming } from "../../src/core/host.ts";
import { type SessionId, newId } from "../../src/core/ids.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { Runtime } from "../../src/runtimes/runtime.ts";
import type { StoreOptions } from "../../src/store/open.ts";
import type { Owner, Store } from "../../src/store/store.ts";
import { testStores } from "../stores.ts";
import { fakeClock } from "./fake-clock.ts";
import { whyNotOn } from "../../src/approvals/policy/audience-rules.ts";
import { localOwner } from "../../src/core/principal.ts";

export type TestHome = AsyncDisposable & {
  readonly clock: ReturnType<typeof fakeClock>;
  /** A second connection, for looking at what is really on the disk. */
  readonly disk: Store;
  /** One more connection, to give to an agent. */
  store(options?: Pick<StoreOptions, "onStatement">): Promise<Store>;
  /** An agent as another process would have one. */
  open(runtime: Runtime, also?: Partial<AgentDeps> & { pid?: number }): Promise<TestAgent>;
};

export type TestAgent = Agent & Pick<AgentDeps, "store" | "owner" | "watchers">;

/** A folder with a store, in which agents with different pids stand for different processes. */
export async function testHome(): Promise<TestHome> {
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(await tempFolder());
  const clock = fakeClock(1_700_000_000_000);
  const stores = opened.use(await testStores(folder));
  const disk = await stores.open({ clock });
  const kept = opened.move();
  const openAnother: TestHome["store"] = (options) => stores.open({ ...options, clock });
  return {
    clock,
    disk,
    store: openAnother,
    async open(runtime, { pid = 100, ...also } = {}) {
      const store = also.store ?? (await openAnother());
      const owner = { host: "here", pid, startTime: String(pid) };
      const watchers = hub(also.log ?? (() => {}));
      const agent = makeAgent({ ...depsOf(store, runtime, owner, clock), watchers, ...also, store });
      kept.use(agent);
      return { ...agent, store, owner, watchers };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const depsOf = (store: Store, runtime: Runtime, owner: Owner, clock: Clock): Omit<AgentDeps, "watchers"> => ({
  store,
  runtimes: { scripted: runtime },
  defaultRuntime: "scripted",
  whyNotOn: (audience, name) => whyNotOn(audience, name, { securityMode: "auto" }),
  prepare: async () => ({ instructions: "", project: "", context: [] }),
  toolBox: async () => ({ specs: [], enabled: [], call: async () => ({ ok: false, output: "no tools" }) }),
  asking: () => ({
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
  }),
  spending: { provider: "scripted", priceOf: () => undefined, budgets: { turn: {}, session: {}, day: {} } },
  processes: { add: async () => {}, remove: async () => {} },
  recording: () => Promise.reject(new Error("no recordings here")),
  owner,
  isGone: () => false,
  answering: (surface) => (isPlatform(surface) ? "posted" : surface === "api" ? "read" : "awaited"),
  redact: (text) => text.replaceAll("hunter2", "•••"),
  clock,
  log: () => {},
});

let keys = 0;

/** An input as a terminal would send it; a new session unless told otherwise. */
export function input(text: string, also: Partial<Incoming> & { surface?: string } = {}): Incoming {
  const { surface = "cli", ...rest } = also;
  keys += 1;
  return {
    key: { surface, account: "", chat: "c", messageId: String(keys) },
    from: localOwner(surface),
    session: { id: newId("ses", 1_700_000_000_000 + keys), cwd: "/w", surface, audience: "owner" },
    input: [{ type: "text", text }],
    whenBusy: "queue",
    attended: "none",
    ...rest,
  };
}

/** Collects what a session says, and lets a test wait for a certain event. */
export function watch(
  agent: Agent,
  session: SessionId,
): { readonly events: readonly Envelope[]; next(type: Envelope["type"]): Promise<Envelope> } {
  const events: Envelope[] = [];
  const waiting: { type: Envelope["type"]; resolve: (event: Envelope) => void }[] = [];
  agent.subscribe(session, (event) => {
    events.push(event);
    const at = waiting.findIndex(({ type }) => type === event.type);
    if (at >= 0) waiting.splice(at, 1)[0]?.resolve(event);
  });
  return {
    events,
    next: (type) => new Promise((resolve) => waiting.push({ type, resolve })),
  };
}

export const sessionOf = ({ session }: Incoming): SessionId =>
  typeof session === "string" ? session : session.id;
