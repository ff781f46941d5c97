import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type OutcomeId, type SessionId, asId, newId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import type { Schedule, StoredOutcome, Target } from "../../core/work/work.ts";
import type { NewOutcome, PlannedWork, WorkLimit } from "../schema/work-tables.ts";
import { type Admission, type Lease, type Store, StaleLeaseError } from "../store.ts";
import { answer } from "./gateway-world.suite.ts";
import { type Open, admission, done, newSession, nobodyIsGone, owner, startTurn } from "./world.suite.ts";

const schedule = (also: Partial<Schedule> = {}): Schedule => ({
  id: newId("sch", 1),
  name: "report",
  timing: { kind: "every", ms: 60_000, from: 0 },
  job: {
    text: "Say it.",
    cwd: "/work",
    runtime: "loop",
    allow: [],
    catchUp: "once",
    overlap: "skip",
    jitterMs: 0,
    target: "local",
  },
  state: "active",
  by: localOwner("cli"),
  madeAt: 1,
  since: 1,
  depth: 1,
  byModel: false,
  revision: 1,
  ...also,
});

const workOf = (subject: string, instant: number, attempt = 1): PlannedWork => ({
  admission: admission(newSession({ surface: "schedule" }), {
    key: { surface: "schedule", account: "", chat: subject, messageId: `${instant} ${attempt}` },
    work: { origin: "schedule", subject, dueAt: instant, attempt, terms: { target: "local" } },
  }),
  grants: [],
});

const planned = (subject: string, instant: number, also: Partial<NewOutcome> = {}): NewOutcome => ({
  id: newId("out", instant),
  kind: "schedule",
  subject,
  instant,
  state: "planned",
  lateMs: 0,
  at: instant,
  target: "local",
  delivery: "none",
  work: workOf(subject, instant),
  ...also,
});

const sessionOf = ({ session }: Admission): SessionId => (typeof session === "string" ? session : session.id);

async function ticking(store: Store): Promise<Parameters<Store["outcomes"]["plan"]>[0]["lease"] & object> {
  const taken = await store.leases.acquireDuty("tick", owner(), 1, nobodyIsGone);
  assert.ok("lease" in taken);
  return taken.lease;
}

async function ran(store: Store, work: PlannedWork, tokens: number): Promise<void> {
  const session = sessionOf(work.admission);
  const acquired = await store.leases.acquire(session, owner(), 1, nobodyIsGone);
  assert.ok("lease" in acquired);
  const lease: Lease = acquired.lease;
  const id = newId("trn", 1);
  await store.turns.open(lease, { id, inbox: work.admission.id, runtime: "loop", cwd: "/work", at: 1 });
  const usage = {
    at: 5,
    session,
    turn: id,
    cause: "turn",
    runtime: "loop",
    provider: "p",
    model: "m",
    input: tokens,
    cached: 0,
    output: 0,
    reasoning: 0,
    cost: 0.5,
  } as const;
  await store.turns.end(lease, id, done, 5, { replies: [], tell: false, release: true, usage: [usage] });
}

const limit = (unit: WorkLimit["unit"], most: number, also: Partial<WorkLimit> = {}): WorkLimit => ({
  key: unit,
  unit,
  limit: most,
  since: 0,
  ...also,
});

const reservation = (n: number) =>
  ({
    inbox: newId("inb", n),
    origin: "schedule",
    subject: "s",
    at: 5,
    tokens: 100,
    usd: 0.1,
  }) as const;

export function workTests(open: Open): void {
  describe("schedules", () => {
    test("are kept as they were made, found by name or id, and changed only as they were seen", async () => {
      await using opened = await open();
      const { schedules } = opened.store;
      const made = schedule();
      assert.equal(await schedules.add(made), "added");
      assert.equal(await schedules.add(schedule({ id: newId("sch", 2) })), "named");
      assert.deepEqual(await schedules.get(made.id), made);
      for (const text of ["report", made.id, made.id.slice(0, 12)])
        assert.deepEqual(await schedules.find(text), [made]);
      const paused = await schedules.change(made.id, 1, { state: "paused", why: "too much" });
      assert.deepEqual(paused, { ...made, state: "paused", why: "too much", revision: 2 });
      assert.equal(await schedules.change(made.id, 1, { state: "active" }), undefined, "seen before");
      const resumed = await schedules.change(made.id, 2, { state: "active", why: null, since: 9 });
      assert.deepEqual(resumed, { ...made, since: 9, revision: 3 });
      await schedules.change(made.id, 3, { state: "removed" });
      assert.deepEqual([await schedules.list(), await schedules.find("report")], [[], []]);
      assert.equal((await schedules.get(made.id))?.state, "removed", "it can still be named");
      assert.equal(await schedules.change(made.id, 4, { state: "active" }), undefined);
    });

    test("of models are made up to a limit, of those that are there and of those of late", async () => {
      await using opened = await open();
      const { schedules } = opened.store;
      const add = (n: number, most = { alive: 3, recent: 2, since: 50 }) =>
        schedules.add(schedule({ id: newId("sch", n), name: `s${n}`, byModel: true, madeAt: n }), most);
      assert.deepEqual([await add(49), await add(50), await add(51)], ["added", "added", "added"]);
      assert.equal(await add(52), "many", "three are there");
      const [first] = await schedules.list();
      await schedules.change(first!.id, 1, { state: "removed" });
      assert.equal(await add(53), "many", "two of late");
      assert.equal(await add(54, { alive: 3, recent: 2, since: 51 }), "added");
    });
  });

  describe("outcomes", () => {
    test("of two who plan the same instants at once, each instant has one row and one input", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const made = schedule();
      await opened.store.schedules.add(made);
      const instants = Array.from({ length: 40 }, (_, n) => n + 1);
      const results = await Promise.all(
        instants.flatMap((instant) =>
          stores.map((store) => store.outcomes.plan({ schedule: made }, [planned(made.id, instant)])),
        ),
      );
      assert.equal(results.flatMap((ids) => ids ?? []).length, 40);
      const inputs = await opened.store.inbox.due(100);
      assert.deepEqual(inputs.map(({ work }) => work?.dueAt).toSorted(byNumber), instants);
      assert.equal((await opened.store.outcomes.planned(made.id)).length, 40);
      assert.equal(await opened.store.outcomes.lastInstant(made.id), 40);
      assert.deepEqual([...(await opened.store.outcomes.lastInstants())], [[made.id, 40]]);
      assert.deepEqual(
        [await opened.store.inbox.nextDue(7), await opened.store.inbox.nextDue(40)],
        [8, undefined],
      );
    });

    test("are planned by whoever holds the lease, for a schedule as it is now", async () => {
      await using opened = await open();
      const { store } = opened;
      const made = schedule();
      await store.schedules.add(made);
      const lease = await ticking(store);
      const first = planned(made.id, 1);
      assert.deepEqual(await store.outcomes.plan({ schedule: made, lease }, [first]), [first.id]);
      await store.schedules.change(made.id, 1, { state: "paused" });
      assert.equal(await store.outcomes.plan({ schedule: made, lease }, [planned(made.id, 2)]), undefined);
      await store.leases.release(lease);
      const late = store.outcomes.plan({ schedule: { ...made, revision: 2 }, lease }, [planned(made.id, 3)]);
      await assert.rejects(late, StaleLeaseError);
      assert.equal((await store.outcomes.list({ limit: 9 })).length, 1);
    });

    test("are settled once, stay, and outlive their session", async () => {
      await using opened = await open();
      const { outcomes, schedules, sessions } = opened.store;
      const made = schedule();
      await schedules.add(made);
      const row = planned(made.id, 7, { lateMs: 3 });
      await outcomes.plan({ schedule: made }, [row]);
      const { admission: input } = row.work!;
      await ran(opened.store, row.work!, 10);
      const ended = { state: "ran", delivery: "pending", at: 9 } as const;
      assert.equal(await outcomes.settle(row.id, newId("inb", 1), ended), false, "of other work");
      assert.equal(await outcomes.settle(row.id, input.id, ended), true);
      assert.equal(await outcomes.settle(row.id, input.id, { ...ended, state: "failed" }), false);
      const { work: _work, ...kept } = row;
      const expected = { ...kept, ...ended, at: 7, settledAt: 9, inbox: input.id, session: sessionOf(input) };
      assert.deepEqual(await outcomes.get(row.id), expected);
      assert.deepEqual(await outcomes.ofInput(input.id), expected);
      const { turn } = await startTurn(opened.store);
      assert.deepEqual(await outcomes.takeUntold(turn), [expected]);
      await outcomes.told(turn);
      assert.deepEqual(await outcomes.takeUntold(asId("trn_2")), [], "once");
      await sessions.delete(sessionOf(input));
      const told = { ...expected, delivery: "delivered", receipt: turn };
      assert.deepEqual(await (await opened.reopen()).outcomes.find(row.id.slice(0, 8)), [told]);
    });

    test("take work that never began with them, and leave that which did", async () => {
      await using opened = await open();
      const { outcomes, schedules, sessions, inbox } = opened.store;
      const made = schedule();
      await schedules.add(made);
      const row = planned(made.id, 1);
      await outcomes.plan({ schedule: made }, [row]);
      const { admission: input } = row.work!;
      const ended = { state: "refused", reason: "gone", delivery: "pending", at: 2 } as const;
      assert.equal(await outcomes.settle(row.id, input.id, ended), true);
      assert.deepEqual(
        [await sessions.get(sessionOf(input)), await inbox.get(input.id)],
        [undefined, undefined],
      );
      assert.equal((await outcomes.get(row.id))?.session, undefined);
    });

    test("that are tried again have other work, and the old one can settle them no more", async () => {
      await using opened = await open();
      const { outcomes, schedules } = opened.store;
      const made = schedule();
      await schedules.add(made);
      const row = planned(made.id, 1);
      await outcomes.plan({ schedule: made }, [row]);
      await ran(opened.store, row.work!, 10);
      const first = row.work!.admission.id;
      const next = workOf(made.id, 300, 2);
      assert.equal(await outcomes.again(row.id, first, next), true);
      assert.equal(await outcomes.again(row.id, first, workOf(made.id, 300, 3)), false);
      const ended = { state: "failed", delivery: "none", at: 5 } as const;
      assert.equal(await outcomes.settle(row.id, first, ended), false);
      const [waiting, ...more] = await opened.store.inbox.due(300);
      assert.deepEqual([waiting?.id, waiting?.work?.attempt, more], [next.admission.id, 2, []]);
      assert.equal((await outcomes.planned())[0]?.inbox, next.admission.id);
    });

    test("of something that is told once are there once", async () => {
      await using opened = await open();
      const { work: _none, ...alert } = planned("work.budget.day.turns 50", 1, { kind: "alert" });
      const note = { ...alert, state: "ran", settledAt: 1, delivery: "pending" } as const;
      assert.equal(await opened.store.outcomes.note(note), true);
      assert.equal(await opened.store.outcomes.note({ ...note, id: newId("out", 2) }), false);
      assert.deepEqual(await opened.store.outcomes.list({ limit: 9 }), [], "no run of a schedule");
    });

    test("are told once, by a chat or a terminal, whoever is first; all that a message tells of, or none", async () => {
      await using opened = await open();
      const { outcomes, outbox } = opened.store;
      const [one, two, elsewhere] = await noted(opened.store, ["local", "local", "telegram:5"]);
      assert.deepEqual(ids(await outcomes.untold()), [one, two, elsewhere], "whatever their target is");
      const stores = [opened.store, await opened.another()];
      const { turn } = await startTurn(opened.store);
      const answers = await Promise.all([
        stores[0]!.outcomes.handOver([one, two], answer("Both are done."), 5),
        stores[1]!.outcomes.takeUntold(turn),
      ]);
      const [message, taken] = answers;
      assert.equal((message === undefined ? 0 : 2) + taken.length, 2);
      assert.deepEqual(await outcomes.takeUntold(asId("trn_2")), [], "a chat's own is no terminal's");
      assert.equal(await outcomes.handOver([two, elsewhere], answer("Again."), 6), undefined);
      assert.deepEqual(ids(await outcomes.untold()), [elsewhere]);
      const sent = await outcomes.handOver([elsewhere], answer("Here."), 7);
      const { delivery, receipt } = (await outcomes.get(elsewhere))!;
      assert.deepEqual([sent?.about, delivery, receipt], [elsewhere, "delivered", sent?.id]);
      assert.deepEqual((await outbox.get(sent!.id))?.body, { kind: "answer", markdown: "Here." });
    });

    test("are for the turn that took them until it ends, and for the next one if they were not shown", async () => {
      await using opened = await open();
      const { outcomes, turns } = opened.store;
      const [one] = await noted(opened.store, ["local"]);
      const [first, second] = [await startTurn(opened.store), await startTurn(opened.store)];
      assert.deepEqual(ids(await outcomes.takeUntold(first.turn)), [one]);
      assert.deepEqual(await outcomes.takeUntold(second.turn), [], "it may be shown yet");
      assert.deepEqual(await outcomes.handOver([one], answer("It ran."), 5), undefined);
      await turns.end(first.lease, first.turn, done, 6, { replies: [], tell: false });
      assert.deepEqual(ids(await outcomes.takeUntold(second.turn)), [one]);
      await outcomes.told(first.turn);
      assert.equal((await outcomes.get(one))?.delivery, "pending", "another one tells it now");
      await outcomes.told(second.turn);
      await turns.end(second.lease, second.turn, done, 7, { replies: [], tell: false });
      assert.deepEqual(await outcomes.takeUntold((await startTurn(opened.store)).turn), [], "it was shown");
    });

    test("wait for a terminal when the message that tells of them dies", async () => {
      await using opened = await open();
      const { outcomes, outbox } = opened.store;
      const [one] = await noted(opened.store, ["telegram:5"]);
      const { id } = (await outcomes.handOver([one], answer("Done."), 5))!;
      assert.deepEqual(await outcomes.takeUntold(asId("trn_1")), [], "it is on its way");
      await outbox.move(id, ["pending"], "dead", { at: 6, why: "blocked by the person" });
      assert.deepEqual(await outcomes.untold(), [], "a chat has tried it");
      const { turn } = await startTurn(opened.store);
      assert.deepEqual(ids(await outcomes.takeUntold(turn)), [one]);
      await outcomes.told(turn);
      assert.deepEqual(await outcomes.takeUntold(asId("trn_2")), [], "once");
    });
  });

  describe("what work takes", () => {
    test("is reserved before it begins, and never more than there is, whoever asks at once", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const limits = [limit("tokens", 1000), limit("turns", 8), limit("usd", 5)];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => stores[n % 2]!.workSpend.reserve(reservation(n), limits)),
      );
      assert.equal(answers.filter((each) => "uses" in each).length, 8);
      const full = answers.flatMap((each) => ("full" in each ? [each.full.key] : []));
      assert.deepEqual(new Set(full), new Set(["turns"]));
      const others = [limit("turns", 99, { origin: "card" }), limit("turns", 99, { since: 6 })];
      const mine = [limit("usd", 9, { subject: "s" }), limit("usd", 9, { subject: "another" })];
      assert.deepEqual(
        (await opened.store.workSpend.uses([...others, ...mine])).map(({ used }) => used),
        [0, 0, 0.8, 0],
      );
    });

    test("is what it took when it has ended, and stays when its session goes", async () => {
      await using opened = await open();
      const { outcomes, schedules, workSpend, sessions } = opened.store;
      const made = schedule();
      await schedules.add(made);
      const row = planned(made.id, 1);
      await outcomes.plan({ schedule: made }, [row]);
      const inbox = row.work!.admission.id;
      const limits = [limit("tokens", 1e6), limit("usd", 100)];
      const wanted = { inbox, origin: "schedule", subject: made.id, at: 5, tokens: 5000, usd: 3 } as const;
      await workSpend.reserve(wanted, limits);
      assert.ok("uses" in (await workSpend.reserve(wanted, [limit("turns", 1)])), "it has it already");
      const used = async (): Promise<readonly number[]> =>
        (await workSpend.uses(limits)).map((each) => each.used);
      assert.deepEqual(await used(), [5000, 3]);
      await ran(opened.store, row.work!, 10);
      await outcomes.settle(row.id, inbox, { state: "ran", delivery: "none", at: 9 });
      assert.deepEqual(await used(), [10, 0.5]);
      await sessions.delete(sessionOf(row.work!.admission));
      assert.deepEqual(await used(), [10, 0.5]);
    });
  });
}

const byNumber = (a: number | undefined, b: number | undefined): number => (a ?? 0) - (b ?? 0);

/** Things to be told, one for each target. */
async function noted(
  { outcomes }: Store,
  wanted: readonly Target[],
): Promise<[OutcomeId, OutcomeId, OutcomeId]> {
  const made = wanted.map((target, n) => {
    const { work: _none, ...row } = planned(`thing ${n}`, 1, { kind: "alert", target });
    return { ...row, state: "ran", settledAt: 1, delivery: "pending" } as const;
  });
  for (const row of made) assert.ok(await outcomes.note(row));
  return made.map(({ id }) => id) as [OutcomeId, OutcomeId, OutcomeId];
}

const ids = (rows: readonly StoredOutcome[]): readonly OutcomeId[] => rows.map(({ id }) => id);
