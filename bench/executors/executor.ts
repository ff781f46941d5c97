import type { EndedEvent } from "../../src/core/events.ts";
import { type InboxId, type SessionId, type TurnId, newId } from "../../src/core/ids.ts";
import { type Lease, type Owner, StaleLeaseError, type Store } from "../../src/store/store.ts";
import { said } from "../../src/store/suite/world.suite.ts";

/** One of two that would run what waits in a session, as the agent does: under its lease, the open turn closed first. */
export type Executor = {
  readonly name: string;
  /** Does the next thing. False: nothing is left to do. */
  step(): Promise<boolean>;
};

/** Who wrote what, and who held the lease then: the store is held against it. */
export type Witness = {
  /** Somebody has the lease now. */
  took(name: string, lease: Lease): void;
  gave(lease: Lease): void;
  /** A write was taken, or refused because of its lease. */
  wrote(lease: Lease, what: Written): void;
  refused(lease: Lease): void;
};

export type Written =
  | { readonly kind: "open"; readonly turn: TurnId; readonly inbox: InboxId }
  | { readonly kind: "item"; readonly turn: TurnId; readonly item: string }
  | { readonly kind: "end"; readonly turn: TurnId; readonly done: boolean };

type Place = {
  readonly store: Store;
  readonly session: SessionId;
  readonly owner: Owner;
  readonly now: () => number;
  readonly witness: Witness;
};

export function executor(name: string, place: Place): Executor {
  const life = lifeOf(name, place);
  return { name, step: async () => (await life.next()).done !== true };
}

/** Between two of its steps it may be stopped for as long as anybody likes. */
async function* lifeOf(name: string, place: Place): AsyncGenerator<undefined, void, void> {
  const { store, session, owner, now, witness } = place;
  while (await hasWork(store, session)) {
    yield;
    const got = await store.leases.acquire(session, owner, now(), () => false);
    if ("busy" in got) continue;
    witness.took(name, got.lease);
    try {
      yield* turnsUnder(got.lease, place);
    } catch (error) {
      if (!(error instanceof StaleLeaseError)) throw error;
      witness.refused(got.lease);
    }
  }
}

const hasWork = async ({ inbox, turns }: Store, session: SessionId): Promise<boolean> =>
  (await inbox.inState("waiting", session)).length > 0 ||
  (await turns.listOpen()).some((turn) => turn.session === session);

async function* turnsUnder(lease: Lease, place: Place): AsyncGenerator<undefined, void, void> {
  const { store, session, now, witness } = place;
  for (const open of (await store.turns.listOpen()).filter((turn) => turn.session === session)) {
    yield;
    yield* ended(lease, open.id, "interrupted", place);
  }
  for (const input of await store.inbox.inState("waiting", session)) {
    yield;
    const turn = newId("trn", now());
    const opening = { id: turn, inbox: input.id, runtime: "loop", cwd: "/work", at: now() };
    if ((await store.turns.open(lease, opening)) === undefined) continue;
    witness.wrote(lease, { kind: "open", turn, inbox: input.id });
    for (const item of ["1", "2"].map((number) => `itm_${turn}_${number}`)) {
      yield;
      await store.turns.keep(lease, turn, said(item), [], now());
      witness.wrote(lease, { kind: "item", turn, item });
    }
    yield;
    if (!(await store.leases.renew(lease, now()))) throw new StaleLeaseError(lease);
    yield* ended(lease, turn, "done", place);
  }
  yield;
  await store.leases.release(lease);
  witness.gave(lease);
}

async function* ended(
  lease: Lease,
  turn: TurnId,
  outcome: "done" | "interrupted",
  { store, now, witness }: Place,
): AsyncGenerator<undefined, void, void> {
  yield;
  const event: EndedEvent = { type: "ended", outcome, text: "", calls: 0 };
  const also = { replies: [], tell: outcome !== "done" };
  if (await store.turns.end(lease, turn, event, now(), also))
    witness.wrote(lease, { kind: "end", turn, done: outcome === "done" });
}
