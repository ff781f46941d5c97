import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { aborted, says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { testHome } from "../../../test/fakes/test-agent.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Owner } from "../../store/store.ts";
import { cardsOf } from "../cards/cards.ts";
import { settings } from "../work-world.suite.ts";
import { cardRuns } from "./card-runs.ts";
import { beatMs, claimMs } from "./claim-time.ts";
import { workspaces } from "./workspaces.ts";

test("a card whose holder is not heard of goes to another host, and nothing of the old one is taken any more", async () => {
  await using home = await testHome();
  await using folder = await tempFolder();
  // A process that is stopped has a clock that stands still.
  const stopped = fakeClock(home.clock.now());
  const told: Owner[] = [];
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const hanging = scriptedRuntime(async function* (_turn, { signal }) {
    begun.resolve();
    await aborted(signal);
    ended.resolve();
    yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
  });
  const open = async (pid: number, runtime: typeof hanging, clock: Clock) => {
    const agent = await home.open(runtime, { pid, clock, answering: () => "read" });
    const { store, owner } = agent;
    const runs = cardRuns({
      store,
      agent,
      owner,
      clock,
      settings: { ...settings, workers: 1 },
      workspaces: workspaces({ root: folder.path, env: {}, clock }),
      check: () => assert.fail("there is no check"),
      whyMute: async () => undefined,
      endLeft: async (gone) => void told.push(gone),
      closing: new AbortController().signal,
      isGone: () => false,
      log: () => {},
    });
    return { store, owner, runs };
  };
  const cards = cardsOf(home.disk.cards);
  const person = { is: "person", name: "you" } as const;
  const card = await cards.add(person, { title: "Try", workspace: "scratch" }, home.clock.now());
  if ("no" in card) assert.fail(card.message);
  const { id } = card;
  const [old, young] = [
    await open(1, hanging, stopped),
    await open(
      2,
      scriptedRuntime((turn) => says("Hm.", turn)),
      home.clock,
    ),
  ];
  await old.runs.plan({} as never);
  const [first] = await old.store.inbox.due(stopped.now());
  const running = old.runs.run(first ?? assert.fail("nothing was claimed"));
  await begun.promise;

  await young.runs.plan({} as never);
  assert.equal((await home.disk.cards.get(id))?.run, `${id}.1`);
  await home.clock.advance(claimMs + 1);
  await young.runs.plan({} as never);
  assert.deepEqual(told, [old.owner]);
  const { runs, run } = (await home.disk.cards.details(id)) ?? assert.fail();
  assert.equal(run, `${id}.2`);
  assert.deepEqual(
    runs.map(({ outcome, owner }) => [outcome, owner?.pid]),
    [
      ["reclaimed", 1],
      [undefined, 2],
    ],
  );

  const late = { do: "complete", summary: "I was first." } as const;
  const said = await cards.apply({ is: "worker", run: `${id}.1` }, id, late, home.clock.now());
  assert.partialDeepStrictEqual(said, { no: "stale" });
  await stopped.advance(beatMs);
  await ended.promise;
  assert.equal(await running, "done");
  const after = await home.disk.cards.details(id);
  assert.deepEqual(after?.runs, runs);
  assert.equal(after?.state, "running");
  for (const holder of [old, young]) await holder.runs.release();
});
