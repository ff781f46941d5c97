import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startTurn } from "../suite/world.suite.ts";
import { assertSound, home, schemaOf } from "./home.suite.ts";
import { openSqliteStore } from "./open.ts";
import { migrations } from "./schema.ts";

describe("a first start that is cut off", () => {
  test("by a kill at any statement leaves a file that the next start completes", async () => {
    await using place = await home();
    const copies: string[] = [];
    // What a kill would leave at this moment: the files as they are, seen from outside.
    const onStatement = (sql: string, when: "before" | "after"): void => {
      if (when === "after" && sql !== "commit") return;
      const copy = join(place.folder, String(copies.length));
      mkdirSync(copy);
      for (const end of ["", "-wal"]) {
        if (existsSync(place.path + end)) copyFileSync(place.path + end, join(copy, `talaria.db${end}`));
      }
      copies.push(join(copy, "talaria.db"));
    };
    await (await openSqliteStore(place.path, { onStatement }))[Symbol.asyncDispose]();
    const whole = schemaOf(place.path);
    assert.ok(copies.length > migrations.flat().length, "every statement was a point to be killed at");
    for (const [at, copy] of copies.entries()) {
      const left = existsSync(copy) ? schemaOf(copy).length : 0;
      assert.ok(left === 0 || left === whole.length, `killed at ${at}: ${left} parts of the schema`);
      {
        await using store = await openSqliteStore(copy);
        await startTurn(store);
      }
      assert.deepEqual(schemaOf(copy), whole, `killed at ${at}`);
    }
    assertSound(copies.at(-1) ?? "");
  });

  test("by an error at any statement can be repeated", async () => {
    await using place = await home();
    let last = 0;
    for (let at = 1; ; at++) {
      let left = at;
      const onStatement = (_sql: string, when: "before" | "after"): void => {
        if (when === "before" && --left === 0) throw new Error("injected");
      };
      try {
        await (await openSqliteStore(place.path, { onStatement }))[Symbol.asyncDispose]();
        last = at;
        break;
      } catch (error) {
        assert.equal((error as Error).message, "injected");
      }
    }
    assert.ok(last > migrations.flat().length);
    assertSound(place.path);
  });
});

describe("several first starts at once", () => {
  test("all find the whole schema", async () => {
    await using place = await home();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openSqliteStore(place.path)));
    await Promise.all(stores.map((store) => startTurn(store)));
    assert.equal((await stores[0]?.sessions.list({ limit: 10 }))?.length, 6);
    for (const store of stores) await store[Symbol.asyncDispose]();
    assertSound(place.path);
  });
});
