import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { type Principal, audiences, belongsTo, roles } from "../../core/principal.ts";
import { admission, newSession } from "../suite/world.suite.ts";
import { applicationId } from "./file.ts";
import { ask, assertSound, home } from "./home.suite.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import { principalStep } from "./principal-schema.ts";
import { migrations, steps } from "./schema.ts";

const before = steps.indexOf(principalStep);

test("rows of an earlier Talaria are given whom they were from, and its sessions are the owner's", async () => {
  await using fixture = await home();
  const surfaces = ["cli", "tui", "acp", "delegate", "codex", "fork", "mcp", "telegram"];
  const db = new DatabaseSync(fixture.path);
  for (const statement of migrations.slice(0, before).flat()) db.exec(statement);
  db.exec(`insert into session (id, cwd, surface, created_at, updated_at) values ('s', '/w', 'cli', 1, 1)`);
  for (const surface of surfaces) {
    db.exec(`insert into inbox (id, surface, account, chat, msg_id, session, body, received_at, state)
      values ('inb_${surface}', '${surface}', '', '', 'm', 's', '[]', 1, 'kept')`);
    db.exec(`insert into approval (id, session, turn_id, runtime, surface, hash, state, asked_at, expires_at,
      owner_host, owner_pid, owner_start_time, choices, labels, shown, question)
      values ('apr_${surface}', 's', 't', 'loop', '${surface}', 'h', 'pending', 1, 1, 'h', 1, 's', '[]', '[]', '[]', '{}')`);
  }
  db.exec(`pragma application_id = ${applicationId}; pragma user_version = ${before}`);
  db.close();
  {
    await using store = await openTestStore(fixture.path);
    assert.deepEqual(
      (await store.sessions.list({ limit: 5 })).map(({ audience }) => audience),
      ["owner"],
    );
    const found = [
      ...(await store.inbox.inState("kept")).map(({ from }) => from),
      ...(await store.approvals.list({ limit: 20 })).map(({ asker }) => asker).toReversed(),
    ];
    const told = surfaces.map((surface) => `${surface} ${toldAs(surface)}`);
    assert.deepEqual(found.map(short), [...told, ...told]);
  }
  assertSound(fixture.path);
});

const toldAs = (surface: string): string => {
  if (surface === "mcp") return "program";
  return surface === "telegram" ? "guest" : "owner local";
};
const short = ({ surface, role, local }: Principal): string => `${surface} ${role}${local ? " local" : ""}`;

describe("whatever the program does", () => {
  test("no input, session or question without whom it is from can be written, and none changes", async () => {
    await using fixture = await home();
    {
      await using store = await openTestStore(fixture.path);
      await store.inbox.admit(admission(newSession()));
    }
    const inbox = ["surface", "account", "chat", "msg_id", "body", "received_at", "state"];
    const who = ["from_surface", "from_id", "from_role", "from_local"];
    const copy = (also: readonly string[]): string =>
      `insert into inbox (id, session, ${inbox.join()}, ${also.join()})
        select 'inb_copy', session, surface, account, chat, 'other', body, received_at, state, ${also.join()} from inbox`;
    for (const left of who)
      assert.throws(() => ask(fixture.path, copy(who.filter((column) => column !== left))), /who it is from/);
    ask(fixture.path, copy(who));
    for (const column of [...who, "from_name"])
      assert.throws(
        () =>
          ask(
            fixture.path,
            `update inbox set ${column} = case '${column}' when 'from_role' then 'guest' when 'from_local' then 0 else 'x' end`,
          ),
        /does not change/,
      );
    assert.throws(
      () => ask(fixture.path, `update inbox set from_role = 'stranger'`),
      /CHECK|does not change/,
    );
    const session = `insert into session (id, cwd, surface, created_at, updated_at) values ('s', '/', 'cli', 1, 1)`;
    assert.throws(() => ask(fixture.path, session), /with whom it is held/);
    assert.throws(() => ask(fixture.path, `update session set audience = 'guests'`), /does not change/);
  });

  test("a session takes input only from those it is held with", async () => {
    await using fixture = await home();
    await using store = await openTestStore(fixture.path);
    for (const audience of audiences)
      for (const role of roles) {
        const from: Principal = { surface: "chat", id: "x", role, local: false };
        const admitted = store.inbox.admit(admission(newSession({ audience }), { from }));
        if (belongsTo(audience, role)) assert.deepEqual((await admitted).row.from, from);
        else await assert.rejects(admitted, /only from those/, `${role} in a session with ${audience}`);
      }
  });

  test("a session with guests has turns on the loop alone, and what a session begins is held with the same people", async () => {
    await using fixture = await home();
    await using store = await openTestStore(fixture.path);
    const guests = newSession({ audience: "guests" });
    const { row } = await store.inbox.admit(admission(guests));
    const answer = await store.leases.acquire(
      guests.id,
      { host: "h", pid: 1, startTime: "s" },
      1,
      () => false,
    );
    assert.ok("lease" in answer);
    const turn = { id: "trn_1" as never, inbox: row.id, cwd: "/", at: 2 };
    await assert.rejects(store.turns.open(answer.lease, { ...turn, runtime: "codex" }), /runs on the loop/);
    assert.ok((await store.turns.open(answer.lease, { ...turn, runtime: "loop" })) !== undefined);
    const child = newSession({ parent: guests.id, audience: "owner" });
    await assert.rejects(store.inbox.admit(admission(child)), /the same people/);
  });
});
