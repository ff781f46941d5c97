import assert from "node:assert/strict";
import { asId } from "../../core/ids.ts";
import { gatewayStep } from "../sqlite/gateway-schema.ts";
import { steps } from "../sqlite/schema.ts";
import type { Store } from "../store.ts";

/** The last schema with the old outbox. */
export const versionBefore = steps.indexOf(gatewayStep);

const turn = (name: string, account: string, ended: string): readonly string[] => [
  `INSERT INTO inbox (id, surface, account, chat, msg_id, session, body, received_at, state, from_surface, from_id, from_role, from_local)
    VALUES ('inb_${name}', 'telegram', '${account}', 'c', 'm-${name}', 'ses_${name}', '[]', 1, 'started', 'telegram', 'p', 'owner', 0)`,
  `INSERT INTO turn (id, session, inbox_id, epoch, runtime, cwd, state, started_at, ended_at)
    VALUES ('trn_${name}', 'ses_${name}', 'inb_${name}', 1, 'loop', '/w', 'done', 2, ${ended})`,
];

const session = (name: string): string =>
  `INSERT INTO session (id, cwd, surface, audience, created_at, updated_at) VALUES ('ses_${name}', '/w', 'telegram', 'owner', 1, 1)`;

const row = (seq: number, of: string, part: number, state: string, platformId = "NULL"): string =>
  `INSERT INTO outbox (seq, turn_id, part, surface, chat, body, body_hash, state, attempts, platform_id)
    VALUES (${seq}, 'trn_${of}', ${part}, 'telegram', 'c', 'It''s "${state}" ✓', 'hash ${seq}', '${state}', ${part}, ${platformId})`;

/** Rows in each old state, two of them half sent into the same chat. */
export const oldOutbox: readonly string[] = [
  session("a"),
  session("b"),
  ...turn("a", "bot", "50"),
  ...turn("b", "other", "60"),
  row(3, "a", 0, "pending"),
  row(5, "a", 1, "sending"),
  row(6, "a", 2, "sending"),
  row(7, "a", 3, "sent", "'tg-1'"),
  row(8, "a", 4, "sent"),
  row(11, "b", 0, "unknown"),
  row(12, "b", 1, "failed"),
];

const unheard = "An earlier version did not hear whether it arrived.";

/** What the upgrade makes of them, and that the new rules hold for them. */
export async function assertUpgraded(store: Store): Promise<void> {
  const { outbox } = store;
  const rows = [
    ...(await outbox.ofTurn(asId<"trn">("trn_a"))),
    ...(await outbox.ofTurn(asId<"trn">("trn_b"))),
  ];
  const a = { account: "bot", replyTo: "m-a", at: 50 };
  const b = { account: "other", replyTo: "m-b", at: 60 };
  const wanted = [
    { ...a, part: 0, state: "pending", was: "pending" },
    { ...a, part: 1, state: "ambiguous", was: "sending", why: unheard },
    { ...a, part: 2, state: "ambiguous", was: "sending", why: unheard },
    { ...a, part: 3, state: "sent", was: "sent", platformId: "tg-1", settledAt: 50 },
    { ...a, part: 4, state: "sent", was: "sent", platformId: "unknown", settledAt: 50 },
    { ...b, part: 0, state: "ambiguous", was: "unknown", why: unheard },
    {
      ...b,
      part: 1,
      state: "dead",
      was: "failed",
      why: "An earlier version could not send it.",
      settledAt: 60,
    },
  ];
  assert.deepEqual(
    rows.map(({ id: _id, turn: _turn, ...stored }) => stored),
    wanted.map(({ was, ...each }) => ({
      ...each,
      surface: "telegram",
      chat: "c",
      body: { kind: "answer", markdown: `It's "${was}" ✓` },
      attempts: each.part,
      isOpen: false,
    })),
  );
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  assert.deepEqual(
    rows.map(({ id }) => id),
    rows.map(({ id }) => id).toSorted(),
    "ids sort by age",
  );
  await assertInOrder(store, rows[0]!.id, rows[1]!.id);
}

/** They are cut and sent as new ones are, and new ones come after them. */
async function assertInOrder({ outbox }: Store, pending: string, ambiguous: string): Promise<void> {
  const chat = { surface: "telegram", account: "bot", chat: "c" } as const;
  await outbox.add({ ...chat, body: { kind: "part", part: "new" } }, 99);
  assert.equal((await outbox.cut(pending, ["one", "two"]))?.length, 2);
  assert.equal(await outbox.move(ambiguous, ["ambiguous"], "pending", { at: 99 }), true);
  const due = await outbox.due("telegram", "bot");
  assert.deepEqual(
    due.map(({ body, part }) => [
      body.kind === "answer" ? body.markdown : body.kind === "part" && body.part,
      part,
    ]),
    [
      ["one", 0],
      ["two", 1],
      [`It's "sending" ✓`, 1],
      ["new", 0],
    ],
  );
}
