import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { emptyDatabase, withoutPostgres } from "../../../test/postgres.ts";
import { admission, newSession } from "../suite/world.suite.ts";
import { openPostgresStore } from "./open.ts";

/** The way to the server breaks once around a COMMIT, once that is wanted. */
function breaking(moment: "before" | "after") {
  let isWanted = false;
  return {
    want: () => void (isWanted = true),
    onStatement(sql: string, when: "before" | "after") {
      if (!isWanted || sql !== "commit" || when !== moment) return;
      isWanted = false;
      throw new Error("Connection terminated unexpectedly");
    },
  };
}

describe("a COMMIT without an answer", { skip: withoutPostgres() }, () => {
  test("that has happened is no fault, and nothing is done again", async () => {
    await using database = await emptyDatabase();
    const link = breaking("after");
    await using store = await openPostgresStore(database.url, link);
    link.want();
    const { fresh, row } = await store.inbox.admit(admission(newSession()));
    assert.equal(fresh, true);
    assert.equal((await store.inbox.get(row.id))?.state, "waiting");
  });

  test("that has not happened is done again, once", async () => {
    await using database = await emptyDatabase();
    const link = breaking("before");
    await using store = await openPostgresStore(database.url, link);
    link.want();
    const { fresh, row } = await store.inbox.admit(admission(newSession()));
    assert.equal(fresh, true);
    assert.deepEqual(
      (await store.inbox.inState("waiting")).map(({ id }) => id),
      [row.id],
    );
  });
});
