import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { lanes } from "./lanes.ts";

describe("lanes", () => {
  test("jobs of one key run in order and never at the same time, whatever the other keys do", async () => {
    const job = fc.record({ key: fc.constantFrom("a", "b", "c"), fails: fc.boolean() });
    const property = fc.asyncProperty(fc.array(job, { maxLength: 20 }), fc.scheduler(), async (jobs, s) => {
      const { run, drain } = lanes<string>();
      const running = new Set<string>();
      const done: { key: string; index: number }[] = [];
      const results = jobs.map(({ key, fails }, index) =>
        run(key, async () => {
          assert.ok(!running.has(key), "two jobs of one key at once");
          running.add(key);
          await s.schedule(Promise.resolve());
          running.delete(key);
          done.push({ key, index });
          if (fails) throw new Error(`job ${index}`);
          return index;
        }),
      );
      const settled = Promise.allSettled(results);
      await s.waitFor(drain());
      assert.deepEqual(
        (await settled).map(({ status }) => status),
        jobs.map(({ fails }) => (fails ? "rejected" : "fulfilled")),
      );
      for (const key of ["a", "b", "c"]) {
        const order = done.filter((entry) => entry.key === key).map((entry) => entry.index);
        assert.deepEqual(
          order,
          order.toSorted((x, y) => x - y),
        );
      }
      assert.equal(done.length, jobs.length);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test("a key does not wait for another key", async () => {
    const { run } = lanes<string>();
    void run("stuck", () => new Promise(() => {}));
    assert.equal(await run("free", () => "done"), "done");
  });

  test("a job that throws at once rejects its own promise and lets the next one run", async () => {
    const { run } = lanes<string>();
    const failed = run("a", () => {
      throw new Error("no");
    });
    const next = run("a", () => "next");
    await assert.rejects(failed, /no/);
    assert.equal(await next, "next");
  });

  test("counts the jobs that have not started", async () => {
    const { run, waiting, drain } = lanes<string>();
    const gate = Promise.withResolvers<void>();
    assert.equal(waiting("a"), 0);
    void run("a", () => gate.promise);
    void run("a", () => {});
    void run("a", () => {});
    await Promise.resolve();
    assert.deepEqual([waiting("a"), waiting("b")], [2, 0]);
    gate.resolve();
    await drain();
    assert.equal(waiting("a"), 0);
  });

  test("drain waits for jobs that other jobs add", async () => {
    const { run, drain } = lanes<string>();
    const done: string[] = [];
    void run("a", async () => {
      await Promise.resolve();
      void run("b", async () => {
        await Promise.resolve();
        done.push("added");
      });
      done.push("first");
    });
    await drain();
    assert.deepEqual(done, ["first", "added"]);
  });

  test("drain of idle lanes resolves at once", async () => {
    await lanes().drain();
  });
});
