import assert from "node:assert/strict";
import { testStores } from "../../test/stores.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { type FakeClock, fakeClock } from "../../test/fakes/fake-clock.ts";
import type { Ask, ApprovalState, Inquire, Question } from "../core/asking.ts";
import type { Principal } from "../core/principal.ts";
import type { TurnEvent } from "../core/events.ts";
import { type ApprovalId, type SessionId, newId } from "../core/ids.ts";
import type { StoredApproval } from "../core/ledger.ts";
import type { Owner, Store } from "../store/store.ts";
import { type AskingTurn, type Broker, type BrokerDeps, makeBroker } from "./broker.ts";
import { localOwner } from "../core/principal.ts";

export const timeoutMs = 10_000;

/** One home: a real store, time that stands still, and as many processes as a test wants. */
export type Fixture = AsyncDisposable & {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly gone: Set<number>;
  /** What each path leads to. */
  readonly folders: Map<string, string>;
  process(pid: number, also?: Partial<BrokerDeps>): Promise<Process>;
  rows(): Promise<readonly StoredApproval[]>;
};

export type Process = {
  readonly broker: Broker;
  readonly log: readonly string[];
  turn(also?: Partial<AskingTurn>): Turn;
};

export type Turn = {
  readonly ask: Ask;
  readonly inquire: Inquire;
  readonly said: readonly TurnEvent[];
  readonly stop: AbortController;
  /** The questions that were put, oldest first. */
  asked(): readonly ApprovalState[];
};

export async function fixture(): Promise<Fixture> {
  const folder = await tempFolder();
  const stores = await testStores(folder.path);
  const store = await stores.open();
  const session = await newSession(store);
  const clock = fakeClock();
  const gone = new Set<number>();
  const folders = new Map([["/work", "first"]]);
  return {
    store,
    clock,
    gone,
    folders,
    async process(pid, also = {}) {
      const own = await stores.open();
      const log: string[] = [];
      const broker = makeBroker({
        store: own,
        owner: { host: "here", pid, startTime: "then" },
        isGone: (owner: Owner) => gone.has(owner.pid),
        clock,
        settings: { mode: "manual", securityMode: "auto", deny: [], guarded: [], home: "/home/me/.talaria" },
        timeoutMs,
        isFollowed: () => false,
        folderId: async (name) => folders.get(name),
        tieOf: async () => undefined,
        log: (line) => log.push(line),
        ...also,
      });
      return { broker, log, turn: (given = {}) => turnOf(broker, session, given) };
    },
    rows: async () => (await store.approvals.list({ limit: 100 })).toReversed(),
    async [Symbol.asyncDispose]() {
      await stores[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export async function newSession(store: Store): Promise<SessionId> {
  const id = newId("ses", 1);
  await store.inbox.admit({
    id: newId("inb", 1),
    from: localOwner("cli"),
    key: { surface: "cli", account: "", chat: "", messageId: id },
    session: { id, cwd: "/work", surface: "cli", audience: "owner" },
    input: [{ type: "text", text: "hello" }],
    at: 1,
  });
  return id;
}

function turnOf(broker: Broker, session: SessionId, also: Partial<AskingTurn>): Turn {
  const said: TurnEvent[] = [];
  const stop = new AbortController();
  const asking = broker.asking({
    session,
    turn: newId("trn", 1),
    folder: "/work",
    runtime: "loop",
    surface: "cli",
    from: ann,
    audience: "owner",
    attended: "ask",
    say: (event) => said.push(event),
    ...also,
  });
  const asked = (): ApprovalState[] =>
    said.flatMap((event) =>
      event.type === "approval" && event.approval.decision === undefined ? [event.approval] : [],
    );
  return { ...asking, said, stop, asked };
}

export const question = (also: Partial<Question> = {}): Question => ({
  tool: "send_message",
  args: { to: "bob", text: "hello" },
  cwd: "/work",
  effect: "external",
  action: { kind: "tool" },
  summary: "send a message to bob",
  ...also,
});

export const ann: Principal = { surface: "cli", id: "ann", role: "owner", local: true };
export const remote: Principal = { surface: "telegram", id: "ann", role: "owner", local: false };
export const bob: Principal = { surface: "telegram", id: "bob", role: "member", local: false };

/** Runs everything that is ready, and no time passes. */
export async function settle(clock: FakeClock): Promise<void> {
  // A connection that is used for the first time takes a round more than the rest.
  for (let round = 0; round < 4; round++) await clock.advance(0);
}

/** The question that is open now. */
export async function opened(clock: FakeClock, turn: Turn): Promise<ApprovalId> {
  await settle(clock);
  const closed = turn.said.flatMap((event) =>
    event.type === "approval" && event.approval.decision !== undefined ? [event.approval.id] : [],
  );
  const open = turn.asked().find(({ id }) => !closed.includes(id));
  assert.ok(open !== undefined, "a question is open");
  return open.id;
}
