import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { answer, message, pairing, part } from "../suite/gateway-world.suite.ts";
import { assertUpgraded, oldOutbox, versionBefore } from "../suite/old-outbox.suite.ts";
import { startTurn } from "../suite/world.suite.ts";
import { applicationId } from "../sqlite/file.ts";
import { ask, assertSound, home, schemaOf } from "../sqlite/home.suite.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import { migrations } from "../sqlite/schema.ts";

describe("an outbox of an earlier Talaria", () => {
  test("is brought into the new form, whatever had become of what was in it", async () => {
    await using fixture = await home();
    {
      using db = new DatabaseSync(fixture.path);
      for (const statement of [...migrations.slice(0, versionBefore).flat(), ...oldOutbox])
        db.exec(statement);
      db.exec(`pragma application_id = ${applicationId}; pragma user_version = ${versionBefore}`);
    }
    {
      await using store = await openSqliteStore(fixture.path);
      await assertUpgraded(store);
    }
    const hashes = ask(fixture.path, "select body_hash from outbox where part = 3").map(
      (row) => row["body_hash"],
    );
    assert.deepEqual(hashes, ["hash 7"], "what a checker knows of it stays true");
    assertSound(fixture.path);
    await using fresh = await home();
    await (await openSqliteStore(fresh.path))[Symbol.asyncDispose]();
    assert.deepEqual(schemaOf(fixture.path), schemaOf(fresh.path));
  });
});

/** Statements that no program of ours makes, each with what the database says. */
const refused: readonly (readonly [string, RegExp])[] = [
  ["update outbox set chat = 'other'", /where a message goes does not change/],
  ["update outbox set account = 'other'", /where a message goes does not change/],
  ["update outbox set reply_to = 'other'", /where a message goes does not change/],
  ["update outbox set rank = 9", /where a message goes does not change/],
  ["update outbox set is_open = 1", /where a message goes does not change/],
  [
    "update outbox set turn_id = (select id from turn) where turn_id is null",
    /where a message goes does not change/,
  ],
  [
    `update outbox set body = '"x"' where id in (select id from outbox where part = 1)`,
    /what is said does not change/,
  ],
  ["update outbox set body = null where state = 'pending'", /what is said does not change/],
  ["update outbox set body = 'no json' where part = 0 and state = 'pending'", /constraint|what is said/i],
  ["update outbox set state = 'dead'", /constraint|cannot go there/i],
  ["update outbox set platform_id = 'other' where state = 'sent'", /what became of a message/],
  [
    "update outbox set state = 'pending', settled_at = null where state = 'sent'",
    /cannot go there|what became/,
  ],
  ["delete from outbox", /is kept/],
  [
    `insert into outbox (id, surface, account, chat, part, body, body_hash, state, at)
      select 'obx_x', surface, account, chat, part, body, body_hash, 'sent', at from outbox limit 1`,
    /constraint/i,
  ],
  [
    `insert into outbox (id, surface, account, chat, rank, part, body, body_hash, state, at)
      select 'obx_x', surface, account, chat, rank, part, body, body_hash, state, at from outbox where rank is not null`,
    /unique/i,
  ],
  ["update received set chat = 'other'", /what came in does not change/],
  [`update received set body = '{"text":"x"}'`, /what came in does not change/],
  ["update received set fate = 'ignored'", /what became of it does not change|constraint/i],
  ["update received set state = 'received', sealed_as = null, fate = null, inbox = null", /does not change/],
  ["delete from received", /is kept/],
  [
    `insert into pairing select surface, 'd', name, account, chat, 'd', asked_at, expires_at from pairing limit 1`,
    /three requests wait/,
  ],
  ["update person set role = 'program'", /constraint/i],
];

describe("whatever the program does", () => {
  for (const [statement, says] of refused)
    test(`the store of the gateway refuses: ${statement.split("\n")[0]}`, async () => {
      await using fixture = await home();
      {
        await using store = await openSqliteStore(fixture.path);
        await startTurn(store);
        const { id } = await store.outbox.add(answer("a"), 1);
        await store.outbox.cut(id, ["one", "two"]);
        await store.outbox.move(id, ["pending"], "sending", { at: 2 });
        await store.outbox.move(id, ["sending"], "sent", { at: 2, platformId: "9" });
        await store.outbox.add(part("b"), 3);
        const { row } = await store.received.add(message("7"), 1);
        await store.received.seal([row.id]);
        await store.received.done([row.id], "command");
        for (const who of ["a", "b", "c"]) await store.people.ask(pairing(who), who);
        await store.people.allow({ surface: "telegram", id: "p", role: "guest" }, 1);
      }
      using db = new DatabaseSync(fixture.path);
      assert.throws(() => db.exec(statement), says);
    });
});
