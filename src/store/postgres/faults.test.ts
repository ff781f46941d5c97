import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testDatabase, testServer, withoutPostgres } from "../../../test/postgres.ts";
import { FaultError } from "../../core/faults.ts";
import { openPostgresStore } from "./open.ts";
import { databaseHealth } from "./health.ts";

const secret = "hunter2-is-secret";

describe("a database that cannot be used", { skip: withoutPostgres() }, () => {
  test("a server that is away is said so, without the password", async () => {
    const fault = await faultOf(`postgres://talaria:${secret}@127.0.0.1:1/x`);
    assert.match(fault.message, /^The database postgres:\/\/talaria@127\.0\.0\.1:1\/x does not answer: /);
    assert.ok(!JSON.stringify(fault).includes(secret));
  });

  test("a user that the server does not know, and a database that is not there", async () => {
    const base = (await testServer()) ?? "";
    const stranger = await faultOf(base.replace("//postgres@", `//nobody:${secret}@`));
    assert.match(stranger.message, /does not let us in: .*nobody/);
    assert.match(stranger.next, /database\.url_env/);
    assert.match(
      (await faultOf(base.replace(/\/postgres$/, "/nowhere"))).message,
      /^There is no such database/,
    );
    const health = await databaseHealth(base.replace(/\/postgres$/, "/nowhere"), 5000);
    assert.equal(health.state, "closed");
  });

  test("a user without rights is told what to ask for", async () => {
    await using database = await testDatabase();
    const name = `weak_${process.pid}`;
    await database.ask(`create role ${name} login`);
    const fault = await faultOf(database.url.replace("//postgres@", `//${name}@`));
    assert.match(fault.message, /may not do what Talaria has to/);
    assert.match(fault.next, /owner of the database/);
    await database.ask(`drop role ${name}`);
  });

  test("a newer schema is left as it is", async () => {
    await using database = await testDatabase();
    await (await openPostgresStore(database.url))[Symbol.asyncDispose]();
    await database.ask("update schema_version set version = 999");
    assert.match((await faultOf(database.url)).message, /was written by a newer Talaria \(its schema is 999/);
    const health = await databaseHealth(database.url, 5000);
    assert.deepEqual(health.state === "sound" && health.schema, 999);
  });

  test("tables of another program are left as they are", async () => {
    await using database = await testDatabase();
    await database.ask("create table session (other text)");
    assert.match((await faultOf(database.url)).message, /has tables of another program/);
    assert.deepEqual(await database.ask("select * from session"), []);
  });

  test("several first starts at once all find the whole schema", async () => {
    await using database = await testDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore(database.url)));
    await Promise.all(stores.map((store, at) => store.meta.set(`k${at}`, "v")));
    for (const store of stores) await store[Symbol.asyncDispose]();
  });

  test("connections that break one after the other are replaced, and the write goes through", async () => {
    await using database = await testDatabase();
    let toBreak = 0;
    await using store = await openPostgresStore(database.url, {
      async onStatement(sql, when) {
        if (when !== "before" || !/^(begin|start transaction)/.test(sql) || toBreak === 0) return;
        toBreak--;
        await database.ask(
          "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'talaria' and pid <> pg_backend_pid()",
        );
      },
    });
    await store.meta.set("a", "1");
    toBreak = 3;
    await store.meta.set("a", "2");
    assert.equal(toBreak, 0);
    assert.equal(await store.meta.get("a"), "2");
  });
});

async function faultOf(url: string): Promise<FaultError["fault"]> {
  const opened = await openPostgresStore(url).catch((error: unknown) => error);
  assert.ok(opened instanceof FaultError, String(opened));
  return opened.fault;
}
