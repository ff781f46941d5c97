import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { slots } from "./slots.ts";

const { signal } = new AbortController();

test("whoever comes when all places are taken waits in line, and one who leaves the line is passed over", async () => {
  const free = slots(1);
  const order: string[] = [];
  const first = await free.take(signal);
  assert.equal(free.isFull(), true);
  const gone = new AbortController();
  const second = free.take(gone.signal).catch(() => void order.push("second left"));
  const third = free.take(signal).then((place) => (order.push("third"), place));
  gone.abort(new Error("stopped"));
  await second;
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  const last = await third;
  assert.equal(free.isFull(), true, "the first one gave its place back once");
  last[Symbol.dispose]();
  assert.deepEqual(order, ["second left", "third"]);
  assert.equal(free.isFull(), false);
  await assert.rejects(free.take(gone.signal), /stopped/);
});

test("never more than there are, in order, and none is lost, whoever leaves when", async () => {
  const step = fc.oneof(fc.constant("come"), fc.constant("go"), fc.constant("leave"));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { maxLength: 30 }),
      async (count, steps) => {
        const free = slots(count);
        const inside: Disposable[] = [];
        const line: { readonly n: number; readonly leave: AbortController }[] = [];
        const entered: number[] = [];
        const enter = async (n: number, leave: AbortSignal): Promise<void> => {
          inside.push(await free.take(leave));
          entered.push(n);
          const at = line.findIndex((one) => one.n === n);
          line.splice(at, 1);
        };
        for (const [n, what] of steps.entries()) {
          if (what === "come") {
            const leave = new AbortController();
            line.push({ n, leave });
            void enter(n, leave.signal).catch(() => {});
          }
          if (what === "go") inside.shift()?.[Symbol.dispose]();
          if (what === "leave") line.pop()?.leave.abort(new Error("left"));
          await new Promise((resolve) => setImmediate(resolve));
          assert.ok(inside.length <= count);
          assert.equal(free.isFull(), inside.length === count);
          assert.ok(line.length === 0 || inside.length === count, "nobody waits beside a free place");
        }
        assert.deepEqual(
          entered,
          entered.toSorted((a, b) => a - b),
        );
      },
    ),
  );
});
