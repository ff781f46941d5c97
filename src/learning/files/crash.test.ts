import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Revision } from "../../core/learning.ts";
import { type Child, spawnChild } from "../../lib/process/child.ts";
import { systemClock } from "../../lib/clock.ts";
import { lines } from "../../lib/rpc/jsonl.ts";
import { selfIdentity } from "../../lib/process/process-identity.ts";
import { type SwapFile, fileSwapper } from "../../lib/files/swap-file.ts";
import type { LearnedFiles } from "../index.ts";
import { textsOf } from "../memory/entries.ts";
import {
  type FilesWorld,
  adds,
  edits,
  filesWorld,
  memory,
  quickClock,
  skill,
  stepping,
} from "./files-world.suite.ts";

type Scene = {
  readonly file: string;
  /** Gives what is then done and killed. */
  prepare(it: FilesWorld): Promise<(files: LearnedFiles) => Promise<Revision>>;
};

const scenes: Readonly<Record<string, Scene>> = {
  "a first entry": { file: memory, prepare: async () => (files) => files.change(adds("uses tabs"), "write") },
  "one more entry, after an edit by hand": {
    file: memory,
    async prepare(it) {
      await it.files.change(adds("uses tabs"), "write");
      await it.save("uses tabs!\n");
      return (files) => files.change(adds("is Ada"), "write");
    },
  },
  "the removal of a skill": {
    file: skill,
    async prepare(it) {
      await it.files.change(edits("# Deploy\n", skill), "write");
      return (files) => files.change(edits(null, skill), "write");
    },
  },
  "an approval": {
    file: memory,
    async prepare(it) {
      await it.files.change(adds("uses tabs"), "write");
      const { id } = await it.files.change(adds("is Ada"), "propose");
      return (files) => files.approve(id, "you");
    },
  },
  "a change that is taken back": {
    file: memory,
    async prepare(it) {
      const { id } = await it.files.change(adds("uses tabs"), "write");
      return (files) => files.revert(id, "you");
    },
  },
};

for (const [name, { file, prepare }] of Object.entries(scenes)) {
  test(`${name}: killed at any step, the file is the old or the new one and its row agrees`, async () => {
    let survived = false;
    let steps = 0;
    while (!survived) {
      await using it = await filesWorld();
      const run = await prepare(it);
      const [before, known] = [await it.text(file), (await it.rows()).map(({ id }) => id)];
      survived = !(await killedAt(it, (steps += 1), run));
      if (!survived) await mourn(it);
      await it.files.reconcile();
      const [now, rows] = [await it.text(file), await it.rows(file)];
      const row = rows.find(
        ({ id, by, state }) => !known.includes(id) && (by !== "person" || state !== "active"),
      );
      const done = await it.store.revisions.latest(file);
      assert.ok(
        rows.every(({ state }) => state !== "writing"),
        `step ${steps}: nothing is left open`,
      );
      if (now !== before) assert.equal(done?.after, now, `step ${steps}: the file is what the last row says`);
      if (now === before)
        assert.notEqual(row?.state, "active", `step ${steps}: what did not happen is not active`);
      const expected = now === undefined ? [] : [dirname(file), file].filter((one) => one !== "memories");
      assert.deepEqual(await it.names(), expected, `step ${steps}: nothing else is left`);
      const again = await run(it.files).catch((error: Error) => error);
      assert.ok(!(again instanceof Error) || now !== before, `step ${steps}: it can be done afterwards`);
    }
    assert.ok(steps > 10, `${steps} steps`);
  });
}

/** Hangs for ever at that step: nothing is cleaned up, as if the process were gone. False: it was over before. */
async function killedAt(
  it: FilesWorld,
  step: number,
  run: (files: LearnedFiles) => Promise<Revision>,
): Promise<boolean> {
  const dead = Promise.withResolvers<boolean>();
  let count = 0;
  const tick = async (): Promise<void> => {
    count += 1;
    if (count < step) return;
    dead.resolve(true);
    await new Promise<never>(() => {});
  };
  const [swapper, clock] = [fileSwapper({ PATH: "" }, systemClock), quickClock()];
  const swap: SwapFile = async (...args) => {
    await tick();
    const result = await swapper(...args);
    await tick();
    return result;
  };
  const files = it.other({
    swap,
    revisions: stepping(it.store.revisions, tick),
    clock: { ...clock, sleep: async (ms) => (await tick(), clock.sleep(ms)) },
  });
  return Promise.race([dead.promise, run(files).then(() => false)]);
}

/** Its lock is that of a process which is gone. */
async function mourn({ home }: FilesWorld): Promise<void> {
  const lock = join(home, "run", "learned.lock");
  const held = await readFile(lock, "utf8").catch(() => undefined);
  if (held !== undefined) await writeFile(lock, JSON.stringify({ ...selfIdentity(), startTime: "long ago" }));
}

test("a crash and an edit by hand after it: both are known for what they are", async () => {
  for (const [killStep, stands] of [
    ["before settle", "uses tabs\n§\nis Ada\n§\nby hand\n"],
    ["before latest", "uses tabs\n§\nby hand\n"],
  ] as const) {
    await using it = await filesWorld();
    await it.files.change(adds("uses tabs"), "write");
    const dead = Promise.withResolvers<void>();
    const step = async (name: string): Promise<void> => {
      if (name !== killStep) return;
      dead.resolve();
      await new Promise<never>(() => {});
    };
    void it.other({ revisions: stepping(it.store.revisions, step) }).change(adds("is Ada"), "write");
    await dead.promise;
    await mourn(it);
    await it.save(stands);
    await it.files.change(adds("the next one"), "write");
    const entries = textsOf(await it.text());
    assert.deepEqual(entries, [...textsOf(stands), "the next one"]);
    const crashed = (await it.rows()).find(({ summary }) => summary.includes("is Ada"));
    assert.equal(crashed?.state, stands.includes("Ada") ? "active" : undefined);
    const hand = (await it.rows()).find(({ summary }) => summary.includes("by hand"));
    assert.equal(hand?.after, stands);
  }
});

test("what a crash prevented is not taken for done because its lines stand elsewhere", async () => {
  await using it = await filesWorld();
  await it.files.change(adds("uses\ntabs"), "write");
  await it.files.change(adds("is Ada"), "write");
  const dead = Promise.withResolvers<void>();
  const swap: SwapFile = () => (dead.resolve(), new Promise<never>(() => {}));
  void it.other({ swap }).change(adds("tabs"), "write");
  await dead.promise;
  await mourn(it);
  await it.save("uses\ntabs\n§\nis Ada, by hand\n§\nmore\n");
  await it.files.reconcile();
  assert.partialDeepStrictEqual((await it.rows())[0], { summary: "MEMORY.md: tabs", state: "failed" });
});

const writer = fileURLToPath(new URL("../../../test/fakes/learned-writer.mjs", import.meta.url));

const startWriter = ({ home, place }: FilesWorld, name: string, count: number): Promise<Child> =>
  spawnChild({
    command: process.execPath,
    args: [writer, home, JSON.stringify(place), name, String(count)],
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "" },
    kind: "writer",
    registry: { add: async () => {}, remove: async () => {} },
    signal: AbortSignal.timeout(60_000),
    clock: systemClock,
    grace: { inputMs: 1, termMs: 1 },
  });

describe("several processes", () => {
  test("that learn at once, beside an editor, lose nothing of each other", async () => {
    await using it = await filesWorld();
    await mkdir(join(it.home, "memories"));
    await it.save("by hand\n");
    const children = await Promise.all(["a", "b", "c"].map((name) => startWriter(it, name, 4)));
    await using all = new AsyncDisposableStack();
    for (const child of children) all.use(child);
    const ended = await Promise.all(
      children.map(async (child) => {
        const told = await Array.fromAsync(lines(child.stdout));
        return { told, ...(await child.exited) };
      }),
    );
    for (const { told, code, stderrTail } of ended) assert.equal(code, 0, `${told.join()} ${stderrTail}`);
    const entries = textsOf(await it.text());
    assert.equal(new Set(entries).size, 13);
    assert.equal(entries[0], "by hand");
    const rows = await it.rows();
    assert.deepEqual(new Set(rows.map(({ state }) => state)), new Set(["active"]));
    assert.deepEqual(await it.names(), [memory]);
  });

  test("of which one is killed at any moment leave a whole file and rows that agree", async () => {
    await using it = await filesWorld();
    const told = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const child = await startWriter(it, `r${round}`, 1000);
      let left = 1 + round;
      for await (const line of lines(child.stdout)) {
        if (line !== "ready") told.add(line);
        left -= 1;
        // Lines that it wrote before it was killed come after that.
        if (left !== 0) continue;
        // Somewhere within the next write.
        await systemClock.sleep(round * 13, undefined, { hold: true });
        process.kill(child.pid, "SIGKILL");
      }
      await child[Symbol.asyncDispose]();
    }
    await it.files.reconcile();
    const [entries, rows] = [textsOf(await it.text()), await it.rows()];
    const active = rows.filter(({ state }) => state === "active").map(({ summary }) => summary);
    assert.deepEqual(new Set(entries), new Set(active));
    assert.ok(
      [...told].every((entry) => entries.includes(entry)),
      "what was told is there",
    );
    assert.ok(rows.every(({ state }) => state === "active" || state === "failed"));
    assert.deepEqual(await it.names(), [memory]);
  });
});
