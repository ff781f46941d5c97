import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type TurnId, asId } from "../../core/ids.ts";
import type { Lease, Store } from "../store.ts";
import { approval, grant, inquiry, yes } from "./asking-world.suite.ts";
import { call } from "./calls.suite.ts";
import { compaction } from "./compactions.suite.ts";
import { firstDue, message, pairing, place } from "./gateway-world.suite.ts";
import { sendsFile } from "./outbox-by-call.suite.ts";
import { cost, spent } from "./usage.suite.ts";
import {
  type Open,
  type OpenedTurn,
  admission,
  done,
  everything,
  hold,
  newSession,
  nobodyIsGone,
  owner,
  said,
  startTurn,
  reply,
} from "./world.suite.ts";

const idle: Lease = { session: asId<"ses">("ses_idle"), epoch: 1 };
const idleToo: Lease = { session: asId<"ses">("ses_idle_too"), epoch: 1 };

type Write = (store: Store, turn: OpenedTurn) => Promise<unknown>;

/** What is prepared for each: a session with an open turn, one with an ended and one with a taken-back turn, a waiting input, one on its way into the open turn, a reply that is due, one of each kind of question, a grant. */
const writes: Readonly<Record<string, Write>> = {
  "inbox.admit into a new session": ({ inbox }) => inbox.admit(admission(newSession())),
  "inbox.admit into a session": ({ inbox }, { session }) => inbox.admit(admission(session)),
  "inbox.move": ({ inbox }) => inbox.move(asId<"inb">("inb_waiting"), "waiting", "kept"),
  "leases.acquire": ({ leases }, { session }) => leases.acquire(session, owner(9), 90_000, nobodyIsGone),
  "leases.renew": ({ leases }, { lease }) => leases.renew(lease, 5),
  "leases.release": ({ leases }, { lease }) => leases.release(lease),
  "turns.begin": ({ turns }) =>
    turns.begin(
      { owner: owner(), isGone: nobodyIsGone },
      { ...admission(newSession()), choices: { model: "m" } },
      { id: asId<"trn">("trn_begun"), runtime: "loop" },
    ),
  "turns.beginWaiting": ({ turns }) =>
    turns.beginWaiting(
      { owner: owner(9), isGone: () => true },
      {
        id: asId<"inb">("inb_waiting"),
        session: asId<"ses">("ses_idle"),
        input: [{ type: "text", text: "hi" }],
      },
      { choices: { model: "m" }, at: 3 },
      { id: asId<"trn">("trn_begun"), runtime: "loop", runtimeOf: () => "loop" },
    ),
  "turns.open": ({ turns }, { lease: { session } }) =>
    turns.open(
      { session: asId<"ses">("ses_idle"), epoch: 1 },
      { id: asId<"trn">("trn_new"), inbox: asId<"inb">("inb_waiting"), runtime: "loop", cwd: session, at: 3 },
    ),
  "turns.describe": ({ turns }, { lease, turn }) => turns.describe(lease, turn, { model: "m" }),
  "turns.keep": ({ turns }, { lease, turn }) =>
    turns.keep(
      lease,
      turn,
      said("new"),
      [
        { role: "assistant", content: "hello hello" },
        { role: "tool", toolCallId: "c", content: "hello" },
      ],
      4,
    ),
  "turns.end": ({ turns }, { lease, turn }) => {
    const replies = ["a", "b"].map((words) => reply(words));
    return turns.end(lease, turn, { ...done, outcome: "interrupted" }, 5, { replies, tell: true });
  },
  "turns.end with the lease": ({ turns }, { lease, turn }) =>
    turns.end(lease, turn, done, 5, { replies: [], tell: false, release: true }),
  "turns.keep with what was used": ({ turns }, { lease, turn }) =>
    turns.keep(lease, turn, said("new"), [], 4, { ...spent, context: { used: 3 } }),
  "turns.end with its costs": ({ turns }, { lease, turn, session }) => {
    const usage = ["a", "b"].map((model) => cost({ session, turn, model }));
    return turns.end(lease, turn, done, 5, { replies: [], tell: false, usage });
  },
  "turns.steered": ({ turns }, { lease, turn }) => turns.steered(lease, turn, asId<"inb">("inb_sent"), 6),
  "turns.undo": ({ turns }) => turns.undo(idle, [asId<"trn">("trn_sent")]),
  "turns.redo": ({ turns }) => turns.redo(idleToo),
  "sessions.fork": ({ sessions }) => sessions.fork(idle, { id: asId<"ses">("ses_forked"), at: 9 }),
  "compactions.add": ({ compactions }, { lease }) => compactions.add(lease, compaction({ summary: "S" })),
  "compactions.remove": async ({ compactions }, { lease, session }) =>
    compactions.remove(lease, (await compactions.list(session))[0]?.id ?? 0),
  "compactions.pin": ({ compactions }, { lease }) => compactions.pin(lease, "keep this"),
  "compactions.unpin": ({ compactions }, { lease }) => compactions.unpin(lease, "pinned"),
  "usage.add": ({ usage }, { session }) => usage.add(cost({ session, cause: "compression" })),
  "outbox.move": async ({ outbox }) => outbox.move(await firstDue(outbox), ["pending"], "sending", { at: 3 }),
  "outbox.cut": async ({ outbox }) => outbox.cut(await firstDue(outbox), ["one", "two"]),
  "outbox.add by a call": ({ outbox }, turn) => outbox.add(sendsFile(turn), 3),
  "received.add": ({ received }) => received.add(message("new"), 3),
  "received.seal": async ({ received }) =>
    received.seal((await received.open("telegram", "bot")).map(({ id }) => id)),
  "people.ask": ({ people }) => people.ask(pairing("new"), "code"),
  "people.confirm": ({ people }) => people.confirm("hash", "guest", 3),
  "chats.change": ({ chats }) => chats.change({ ...place, room: "direct" }, { title: "new" }, 3),
  "bindings.save": ({ bindings }, { lease }) => bindings.save(lease, "codex", "/work", "new"),
  "processes.add": ({ processes }) =>
    processes.add({ pid: 2, startTime: "s", kind: "codex", owner: owner() }),
  "approvals.add": ({ approvals }, turn) => approvals.add(approval(turn), owner()),
  "approvals.add with its call": ({ approvals }, turn) => approvals.add(approval(turn), owner(), call(turn)),
  "calls.begin": ({ calls }, turn) => calls.begin(call(turn), 3),
  "approvals.resolve with a grant": ({ approvals }) =>
    approvals.resolve(asId<"apr">("apr_asked"), yes({ state: "always", grant: grant() })),
  "inquiries.add": ({ inquiries }, turn) => inquiries.add(inquiry(turn), owner()),
  "inquiries.resolve": ({ inquiries }) =>
    inquiries.resolve(asId<"inq">("inq_asked"), { state: "declined", at: 3 }),
  "grants.add": ({ grants }) => grants.add(grant()),
  "grants.use": ({ grants }, { session }) => grants.use({ hash: "granted", session, at: 3 }),
  "grants.revoke": ({ grants }) => grants.revoke(asId<"grn">("grn_made"), 3),
  "meta.set": ({ meta }) => meta.set("note", "new"),
  "sessions.update": ({ sessions }, { session }) => sessions.update(session, { title: "new" }),
  "sessions.delete": ({ sessions }, { session }) => sessions.delete(session),
};

export function faultTests(open: Open): void {
  describe("a write that fails at any statement", () => {
    for (const [name, write] of Object.entries(writes)) {
      test(`leaves nothing behind and can be done again: ${name}`, async () => {
        let left = Number.POSITIVE_INFINITY;
        const onStatement = (sql: string, when: "before" | "after"): void => {
          // What is told to other processes after a commit is no part of the write, and comes at any time.
          if (when === "after" || sql.includes("pg_notify")) return;
          if (--left === 0) throw new Error("injected");
        };
        await using opened = await open({ onStatement });
        const turn = await prepare(opened.store);
        const rows = opened.rows ?? (() => everything(opened.store));
        const before = await rows();
        let failures = 0;
        for (let at = 1; ; at++) {
          left = at;
          const failed = await write(opened.store, turn).then(
            () => false,
            (error: Error) => error.message === "injected",
          );
          left = Number.POSITIVE_INFINITY;
          if (!failed) break;
          failures += 1;
          assert.deepEqual(await rows(), before, `failed at statement ${at}`);
        }
        assert.ok(failures >= 3, "begin, the write and commit have failed once each");
        assert.notDeepEqual(await rows(), before);
      });
    }
  });
}

async function prepare(store: Store): Promise<OpenedTurn> {
  await endedTurn(store, idle, asId<"trn">("trn_sent"));
  await store.compactions.add(idle, compaction());
  await store.compactions.pin(idle, "pinned");
  await store.inbox.admit(admission(idle.session, { id: asId<"inb">("inb_waiting") }));
  await endedTurn(store, idleToo, asId<"trn">("trn_undone"));
  await store.turns.undo(idleToo, [asId<"trn">("trn_undone")]);
  for (const lease of [idle, idleToo]) await store.bindings.save(lease, "codex", "/work", "old");
  await store.received.add(message("1"), 1);
  await store.people.ask(pairing("p"), "hash");
  const turn = await startTurn(store, "hello");
  await store.inbox.admit(admission(turn.session, { id: asId<"inb">("inb_sent") }));
  await store.inbox.move(asId<"inb">("inb_sent"), "waiting", "unconfirmed", turn.turn);
  await store.approvals.add(approval(turn, { id: asId<"apr">("apr_asked") }), owner());
  await store.inquiries.add(inquiry(turn, { id: asId<"inq">("inq_asked") }), owner());
  await store.grants.add(grant(undefined, { id: asId<"grn">("grn_made"), hash: "granted", left: 2 }));
  await store.compactions.add(turn.lease, compaction());
  await store.compactions.pin(turn.lease, "pinned");
  return turn;
}

async function endedTurn(store: Store, { session }: Lease, id: TurnId): Promise<void> {
  const lease = await hold(store, session);
  const { row } = await store.inbox.admit(admission(newSession({ id: session })));
  await store.turns.open(lease, { id, inbox: row.id, runtime: "loop", cwd: "/work", at: 1 });
  const replies = [reply("b")];
  await store.turns.end(lease, id, done, 2, { replies, tell: false });
}
