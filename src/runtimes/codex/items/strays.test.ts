import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Strays,
  closeLate,
  commandOf,
  noStrays,
  observeStray,
  onlyRunning,
  runningIn,
  takeWritten,
  withEnded,
} from "./strays.ts";
import { beginTurn, observe } from "./turn-machine.ts";

const thread = { threadId: "T", cwd: "/w" };
const command = {
  type: "commandExecution",
  id: "c1",
  command: "sleep 9",
  status: "inProgress",
  processId: "7",
};
const frame = (method: string, turnId: string, params: object): { method: string; params: object } => ({
  method,
  params: { threadId: "T", turnId, ...params },
});
const step = (strays: Strays, method: string, turnId: string, params: object) =>
  observeStray(strays, thread, frame(method, turnId, params), 5);

/** A turn that ended while its command ran. */
function ended(): Strays {
  const [state] = observe(
    beginTurn({ ...thread, turnId: "U" }),
    frame("item/started", "U", { item: command }),
    1,
  );
  return withEnded(noStrays, state);
}

describe("turns that are over", () => {
  test("a command that outlives its turn is running until its end is told, once, with where it began", () => {
    const strays = ended();
    assert.deepEqual([...runningIn(strays).keys()], ["c1"]);
    assert.equal(commandOf(strays, "c1"), "sleep 9");
    const done = { ...command, status: "completed", exitCode: 0, aggregatedOutput: "out" };
    const after = step(strays, "item/completed", "U", { item: done });
    assert.deepEqual(
      after.items.map(({ item }) => item.kind === "call" && item.output),
      ["[begun in an earlier turn]\nout"],
    );
    assert.deepEqual([after.began, runningIn(after.strays).size], [false, 0]);
    assert.deepEqual(step(after.strays, "item/completed", "U", { item: done }).items, []);
  });

  test("what is begun after the end of its turn is told as that, also of a turn that was never seen", () => {
    const other = { ...command, id: "c2" };
    for (const turnId of ["U", "V"]) {
      const begun = step(ended(), "item/started", turnId, { item: other });
      assert.equal(begun.began, true);
      const done = { ...other, status: "completed", exitCode: 0, aggregatedOutput: "" };
      const { items } = step(begun.strays, "item/completed", turnId, { item: done });
      assert.match(JSON.stringify(items), /begun after the end of its turn/);
    }
  });

  test("what was begun after the end of its turn and is not heard of again is told all the same, once", () => {
    const begun = step(ended(), "item/started", "U", { item: { ...command, id: "c2" } });
    const wrote = step(begun.strays, "item/commandExecution/outputDelta", "U", {
      itemId: "c2",
      delta: "a\n",
    });
    const looked = onlyRunning(wrote.strays, new Set(["c1"]));
    const { strays, items } = closeLate(looked, 9);
    assert.deepEqual(
      items.map(({ item }) => item.kind === "call" && [item.id, item.ok, item.output]),
      [
        [
          "c2",
          false,
          "[begun after the end of its turn]\na\n[not finished: interrupted, outcome unknown, because nobody heard how it ended; it may still be running]",
        ],
      ],
    );
    assert.deepEqual([...runningIn(strays).keys()], ["c1"], "what is a row of its turn is left as it is");
    assert.deepEqual(closeLate(strays, 9).items, []);
    const done = { ...command, id: "c2", status: "completed", exitCode: 0 };
    assert.deepEqual(step(strays, "item/completed", "U", { item: done }).items, []);
  });

  test("what a command writes is given to whoever typed into it, and only once", () => {
    const heard = step(ended(), "item/commandExecution/outputDelta", "U", { itemId: "c1", delta: "gone\n" });
    const taken = takeWritten(heard.strays, "c1");
    assert.equal(taken.text, "gone\n");
    assert.equal(takeWritten(taken.strays, "c1").text, "");
  });

  test("a command of which codex says that it does not run is not taken for running", () => {
    assert.equal(runningIn(onlyRunning(ended(), new Set(["c1"]))).size, 1);
    assert.equal(runningIn(onlyRunning(ended(), new Set())).size, 0);
  });

  test("no more turns are kept in mind than there is room for", () => {
    let strays = noStrays;
    for (let n = 0; n < 100; n += 1) strays = withEnded(strays, beginTurn({ ...thread, turnId: `U${n}` }));
    assert.equal(strays.size, 16);
    assert.ok(strays.has("U99"));
  });

  test("a command that runs is listed however many turns follow", () => {
    let strays = ended();
    for (let n = 0; n < 100; n += 1) strays = withEnded(strays, beginTurn({ ...thread, turnId: `U${n}` }));
    assert.deepEqual([...runningIn(strays).keys()], ["c1"]);
    assert.equal(strays.size, 17);
  });
});
