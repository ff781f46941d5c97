import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { done, says } from "../../test/fakes/scripted-runtime.ts";
import type { TurnEvent } from "../core/events.ts";
import { asId } from "../core/ids.ts";
import type { Occurrence } from "../core/work/work.ts";
import { askedRunText, madeText } from "../operations/text/work-text.ts";
import { workNews } from "./news.ts";
import { explain } from "./why/why.ts";
import { type WorkWorld, maker, settings, workWorld } from "./work-world.suite.ts";

const minute = 60_000;
/** By a turn that nobody has opened, to somebody who is there. */
async function said({ disk }: WorkWorld): Promise<readonly string[]> {
  const turn = asId<"trn">("trn_x");
  const news = await workNews({ store: disk, settings: { zone: "UTC" }, log: assert.fail }, turn);
  await disk.outcomes.told(turn);
  return news.map(({ text }) => text);
}
const states = (runs: readonly Occurrence[]): readonly string[] => runs.map(({ state }) => state);
const why = async ({ disk, clock }: WorkWorld, id: string): Promise<string> =>
  (await explain({ store: disk, zone: "UTC", now: clock.now(), runner: "running" }, id)).why;

describe("a schedule", () => {
  test("runs at each of its times in a session of its own, and what came of it is told once", async () => {
    await using it = await workWorld((turn) => says(`Answer to ${turn.input.length}`, turn));
    const made = await it.cron.add({ when: "every 2m", text: "Look.", name: "look" }, maker);
    assert.equal(made.runner, "none");
    await it.serve();
    await it.clock.advance(5 * minute);
    const runs = await it.cron.runs("look", 9);
    assert.deepEqual(states(runs), ["ran", "ran"]);
    assert.deepEqual(
      runs.map(({ due, late_ms: late }) => [Date.parse(due), late < 1000]),
      [2, 1].map((n) => [made.madeAt + n * 2 * minute, true]),
    );
    assert.equal(new Set(runs.map(({ session }) => session)).size, 2);
    const input = (await it.disk.sessions.messages(runs[0]!.session!))[0]!.message.content;
    assert.match(String(input), /^\[scheduled: look, due 20.*\nNobody follows[\s\S]*\n\nLook\.$/);
    assert.match((await said(it))[0]!, /^“look”, due .*: Answer to 1 \(`talaria sessions show ses_/);
    assert.deepEqual(await said(it), []);
    assert.deepEqual(
      (await it.cron.runs("look", 9)).map(({ delivery }) => delivery),
      ["delivered", "delivered"],
    );
    assert.equal((await it.cron.list())[0]?.next[0], made.madeAt + 6 * minute);
  });

  test("that asks for silence is not told of, and its row says so", async () => {
    await using it = await workWorld((turn) => says("[SILENT] nothing new", turn));
    await it.cron.add({ when: "in 1m", text: "Look." }, maker);
    await it.serve();
    await it.clock.advance(2 * minute);
    assert.partialDeepStrictEqual(await it.cron.runs(undefined, 9), [{ state: "ran", delivery: "silent" }]);
    assert.deepEqual(await said(it), []);
    assert.deepEqual((await it.cron.list())[0]?.next, []);
  });

  test("is none without anything to do, whatever its name would be", async () => {
    await using it = await workWorld();
    const nothing = { code: "usage", message: "There is nothing to do." };
    for (const text of ["", " \n"])
      await assert.rejects(it.cron.add({ when: "in 1h", text }, maker), nothing);
    const empty = it.cron.add({ when: "in 1h", text: "", script: " " }, maker);
    await assert.rejects(empty, { message: "The script is empty." });
    assert.deepEqual(await it.cron.list(), []);
    for (const unnamed of ["", " "])
      await assert.rejects(it.cron.run(unnamed), { code: "usage", message: "Which schedule?" });
  });

  test("that is to run while all work is paused says that it waits, and for what", async () => {
    await using it = await workWorld();
    await it.cron.add({ when: "in 1h", text: "Look.", name: "a" }, maker);
    assert.match(askedRunText(await it.cron.run("a")), /^“a” is to run now: out_/);
    await it.cron.pauseAll(maker.by);
    await it.clock.advance(1000);
    assert.match(
      askedRunText(await it.cron.run("a")),
      /^“a” waits: out_\S+\.\nAll work is paused, by .+ since .+\. `talaria work resume` goes on with it\./,
    );
    const made = await it.cron.add({ when: "in 1h", text: "Look.", name: "b", tryNow: true }, maker);
    assert.match(
      madeText(made),
      /^A first run waits: out_\S+\. All work is paused, by .+\. `talaria work resume` goes on with it\.$/m,
    );
  });

  test("that was missed is made up for once, and the others are rows and a line", async () => {
    await using it = await workWorld();
    await it.cron.add({ when: "every 10m", text: "Look.", name: "a" }, maker);
    await it.cron.add({ when: "every 10m", text: "Look.", name: "b", catchUp: "skip" }, maker);
    await it.clock.advance(35 * minute);
    await it.serve();
    await it.clock.advance(20_000);
    assert.deepEqual(states(await it.cron.runs("a", 9)), ["ran", "missed", "missed"]);
    assert.equal(Math.round((await it.cron.runs("a", 1))[0]!.late_ms / minute), 5);
    assert.deepEqual(states(await it.cron.runs("b", 9)), ["missed", "missed", "missed"]);
    const told = (await said(it)).join("\n");
    for (const line of [/2 runs of “a” did not take place/, /3 runs of “b” did not take place/])
      assert.match(told, line);
  });

  test("does nothing while it or all work is paused; each time that is due then has its row", async () => {
    await using it = await workWorld();
    await it.cron.add({ when: "every 1m", text: "Look.", name: "a" }, maker);
    const dispatcher = await it.serve();
    await it.cron.pauseAll(maker.by);
    await it.clock.advance(2 * minute + 1000);
    assert.deepEqual(states(await it.cron.runs("a", 9)), ["skipped", "skipped"]);
    assert.match(await why(it, "a"), /all work is paused/);
    await it.cron.pause("a", maker.by);
    await it.cron.resumeAll();
    dispatcher.changed();
    await it.clock.advance(5 * minute);
    assert.equal((await it.cron.runs("a", 9)).length, 2, "no time is its own while it is paused");
    await it.cron.resume("a");
    await it.clock.advance(minute + 20_000);
    assert.deepEqual(states(await it.cron.runs("a", 1)), ["ran"]);
    await it.cron.remove("a");
    await it.clock.advance(5 * minute);
    assert.equal((await it.cron.runs(undefined, 9)).length, 3);
  });

  test("is refused when its folder is gone", async () => {
    await using it = await workWorld();
    const { id } = await it.cron.add({ when: "in 1m", text: "Look.", name: "a" }, maker);
    const stored = (await it.disk.schedules.get(id))!;
    await it.disk.schedules.change(id, 1, { job: { ...stored.job, cwd: "/no/such/folder" } });
    await it.serve();
    await it.clock.advance(2 * minute);
    const [run] = await it.cron.runs("a", 9);
    assert.partialDeepStrictEqual(run, { state: "refused", delivery: "pending" });
    assert.match(run?.reason ?? "", /the folder \/no\/such\/folder is not there any more/);
    assert.equal(await why(it, run!.id), run?.reason);
    assert.equal((await it.disk.sessions.list({ limit: 9 })).length, 0, "no empty session is left");
  });

  test("whose model is never reached is tried again after 5, 15 and 30 minutes, then it has failed", async () => {
    const tries: number[] = [];
    await using it = await workWorld(async function* () {
      tries.push(it.clock.now());
      const fault = { code: "network", message: "no way there", next: "wait" } as const;
      yield { type: "ended", outcome: "failed", fault, text: "", calls: 0 };
    });
    const { madeAt } = await it.cron.add({ when: "in 1m", text: "Look.", name: "a" }, maker);
    await it.serve();
    await it.clock.advance(60 * minute);
    const at = tries.map((time) => Math.round((time - madeAt) / minute));
    assert.deepEqual(at, [1, 6, 21, 51]);
    assert.partialDeepStrictEqual(await it.cron.runs("a", 9), [{ state: "failed", reason: "no way there" }]);
  });

  test("that goes wrong again and again is paused, which is said once", async () => {
    await using it = await workWorld(async function* (): AsyncIterable<TurnEvent> {
      const fault = { code: "auth", message: "the key was refused", next: "set another" } as const;
      yield { type: "ended", outcome: "failed", fault, text: "", calls: 0 };
    });
    await it.cron.add({ when: "every 1m", text: "Look.", name: "a" }, maker);
    await it.serve();
    await it.clock.advance(10 * minute);
    assert.deepEqual(states(await it.cron.runs("a", 9)), ["failed", "failed", "failed"]);
    assert.match(await why(it, "a"), /3 runs in a row did not go well; the last one: the key was refused/);
    const told = (await said(it)).filter((line) => line.includes("is paused now"));
    assert.equal(told.length, 1);
  });

  test("stays within the budget of a day, which is reserved before it begins and told of at its marks", async () => {
    await using it = await workWorld(async function* (turn) {
      yield* says("Done.", turn);
    });
    await it.cron.add({ when: "every 1m", text: "Look.", name: "a" }, maker);
    await it.serve({ settings: { ...settings, budget: { day: { turns: 4 }, origins: {}, job: {} } } });
    await it.clock.advance(6 * minute + 1000);
    assert.deepEqual(states((await it.cron.runs("a", 9)).toReversed()), [
      "ran",
      "ran",
      "ran",
      "ran",
      "skipped",
      "skipped",
    ]);
    const told = await said(it);
    assert.equal(told.filter((line) => line.startsWith("50 % of work.budget.day.turns")).length, 1);
    assert.equal(told.filter((line) => /does not allow it: 4 of 4 turns/.test(line)).length, 2);
  });

  test("is skipped while its run before goes on, or waits for it", async () => {
    const hold = Promise.withResolvers<void>();
    await using it = await workWorld(async function* () {
      await hold.promise;
      yield done("Late.");
    });
    await it.cron.add({ when: "every 1m", text: "Look.", name: "skips" }, maker);
    await it.cron.add({ when: "every 1m", text: "Look.", name: "waits", overlap: "queue" }, maker);
    await it.serve({ settings: { ...settings, maxMs: 60 * minute } });
    await it.clock.advance(2 * minute + 1000);
    assert.deepEqual(states(await it.cron.runs("skips", 9)), ["skipped", "planned"]);
    assert.deepEqual(states(await it.cron.runs("waits", 9)), ["planned", "planned"]);
    hold.resolve();
    await it.clock.advance(20_000);
    assert.deepEqual(states(await it.cron.runs("waits", 9)), ["ran", "ran"]);
  });
});

describe("a host that is killed", () => {
  test("between any two statements leaves a time that was due with one row, which the next host settles", async () => {
    const all = (await killedAt(Number.POSITIVE_INFINITY)).statements;
    assert.ok(all > 30, `${all} statements`);
    for (let at = 1; at <= all; at += Math.ceil(all / killed)) {
      const { runs, turns, waiting } = await killedAt(at);
      assert.equal(runs.length, 1, `killed at ${at}`);
      assert.ok(["ran", "failed"].includes(runs[0]!.state), `killed at ${at}: ${runs[0]!.state}`);
      assert.equal(turns, 1, `killed at ${at}: ${turns} turns`);
      assert.equal(waiting, 0, `killed at ${at}`);
    }
  });
});

/** How many of the statements are tried: all of them take a minute. */
const killed = Number(process.env["TALARIA_TEST_KILLS"] ?? 12);

async function killedAt(at: number): Promise<{
  readonly statements: number;
  readonly runs: readonly Occurrence[];
  readonly turns: number;
  readonly waiting: number;
}> {
  await using it = await workWorld();
  const { id } = await it.cron.add({ when: "in 1m", text: "Look." }, maker);
  let statements = 0;
  let isDead = false;
  let isOpen = false;
  const store = await it.home.store({
    onStatement: (_sql, when) => {
      if (!isOpen) return;
      if (when === "before") statements += 1;
      if (statements >= at) isDead = true;
      if (isDead) throw new Error("killed");
    },
  });
  isOpen = true;
  const first = await it.serve({ pid: 1, store }).catch(() => undefined);
  await it.clock.advance(minute + 100);
  const used = statements;
  isDead = true;
  first?.stop();
  await it.serve({ pid: 2, isGone: ({ pid }) => pid === 1 });
  await it.clock.advance(20_000);
  const runs = await it.cron.runs(id, 9);
  const turns = await Promise.all(
    (await it.disk.sessions.list({ limit: 9 })).map((session) => it.disk.sessions.turns(session.id)),
  );
  return {
    statements: used,
    runs,
    turns: turns.flat().length,
    waiting: (await it.disk.inbox.inState("waiting")).length,
  };
}
