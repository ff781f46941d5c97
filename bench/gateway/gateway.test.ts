import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bench } from "./bench.ts";

const run = async (part: string) => {
  const { faults, figures } = await bench.run(bench.sizes.quick, { seed: 1, flags: { part }, log: () => {} });
  assert.deepEqual(faults, []);
  return figures;
};

// At once, in homes of their own: mostly they wait for processes and for pauses of the platforms.
describe("chats", { concurrency: true }, () => {
  test("a host that is killed with a turn in every chat answers each message once, or says that it could not", async () => {
    const figures = (await run("kills"))["kills"] as Readonly<Record<string, unknown>>;
    assert.deepEqual([figures["lost"], figures["doubled"], figures["misplaced"]], [0, 0, 0]);
  });

  test("updates that come in any order and more than once make one message each", async () => {
    await run("floods");
  });

  test("days with faults and restarts lose nothing and double nothing", async () => {
    await run("soak");
  });

  test("the real libraries lose nothing while calls fail and connections break", async () => {
    await run("hour");
  });
});
