import assert from "node:assert/strict";
import { test } from "node:test";
import { says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestHome, testHome } from "../../../test/fakes/test-agent.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import type { Card } from "../../core/cards/cards.ts";
import type { Store } from "../../store/store.ts";
import { cardsOf } from "../cards/cards.ts";
import { settings } from "../work-world.suite.ts";
import { cardRuns } from "./card-runs.ts";
import type { CardRunDeps } from "./parts.ts";
import { workspaces } from "./workspaces.ts";

test("an attempt goes on when its next step could not be written at first", async () => {
  await using it = await world();
  it.broken = "inbox";
  assert.equal(await it.run(), "done");
  assert.deepEqual(await it.due(), [], "its worker could not be asked");
  const before = it.home.clock.now();
  const next = (await it.plan()) ?? assert.fail("nobody would look again");
  assert.ok(next <= before + 60_000);
  it.broken = undefined;
  await it.plan();
  assert.equal((await it.due()).length, 1);
});

test("an attempt ends when its end could not be written at first, and its card is nobody's then", async () => {
  await using it = await world();
  await it.run();
  it.broken = "cards";
  assert.equal(await it.run(), "done");
  assert.equal((await it.card()).state, "running");
  assert.notEqual(await it.plan(), undefined);
  it.broken = undefined;
  await it.plan();
  assert.equal((await it.card()).state, "review");
  assert.deepEqual(await it.home.disk.cards.open(), []);
});

test("an attempt has failed when nobody can say whether its worker could report", async () => {
  await using it = await world({ whyMute: () => Promise.reject(new Error("a file is gone")) });
  assert.equal(await it.run(), "done");
  const { runs, failures } = (await it.home.disk.cards.details((await it.card()).id)) ?? assert.fail();
  assert.partialDeepStrictEqual(runs, [{ outcome: "spawn_failed", error: "a file is gone" }]);
  assert.equal(failures, 1);
});

test("a claim is worked on whose writing was told to have failed", async () => {
  await using it = await world({}, "silent");
  assert.equal(await it.run(), "later");
  it.broken = undefined;
  await it.plan();
  assert.equal(await it.run(), "done");
});

type Part = "inbox" | "cards" | "silent";

/** A home with a card that is claimed, whose worker never says how it went. */
async function world(more: Partial<CardRunDeps> = {}, claimed?: Part) {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await testHome());
  const folder = opened.use(await tempFolder());
  const agent = await home.open(
    scriptedRuntime((turn) => says("Hm.", turn)),
    { pid: 1, answering: () => "read" },
  );
  const state: { broken: Part | undefined } = { broken: undefined };
  const store = unreliable(agent.store, state);
  const runs = cardRuns({
    store,
    agent,
    owner: agent.owner,
    clock: home.clock,
    settings: { ...settings, workers: 1 },
    workspaces: workspaces({ root: folder.path, env: {}, clock: home.clock }),
    check: () => assert.fail("there is no check"),
    whyMute: async () => undefined,
    endLeft: async () => {},
    closing: new AbortController().signal,
    isGone: () => false,
    log: () => {},
    ...more,
  });
  const card = await newCard(home);
  const plan = () => runs.plan({} as never);
  state.broken = claimed;
  await plan().catch(() => {});
  const due = () => store.inbox.due(home.clock.now());
  opened.defer(() => runs.release());
  const kept = opened.move();
  return {
    home,
    plan,
    due,
    run: async () => runs.run((await due())[0] ?? assert.fail("nothing is due")),
    card: async (): Promise<Card> => (await home.disk.cards.get(card)) ?? assert.fail(),
    get broken() {
      return state.broken;
    },
    set broken(part: Part | undefined) {
      state.broken = part;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function newCard(home: TestHome): Promise<Card["id"]> {
  const person = { is: "person", name: "you" } as const;
  const wanted = { title: "Try", workspace: "scratch" } as const;
  const card = await cardsOf(home.disk.cards).add(person, wanted, home.clock.now());
  return "no" in card ? assert.fail(card.message) : card.id;
}

/** `silent`: it is written, but the word of that gets lost. */
const unreliable = (store: Store, state: { readonly broken: Part | undefined }): Store => ({
  ...store,
  inbox: {
    ...store.inbox,
    admit: (...given) =>
      state.broken === "inbox" ? Promise.reject(new Error("the disk is full")) : store.inbox.admit(...given),
  },
  cards: {
    ...store.cards,
    async change(...given) {
      if (state.broken === "cards") throw new Error("the disk is full");
      const said = await store.cards.change(...given);
      if (state.broken === "silent") throw new Error("the connection was closed");
      return said;
    },
  },
});
