import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TurnEvent, Usage } from "../../core/events.ts";
import { asId } from "../../core/ids.ts";
import type { Budgets } from "../../core/spend.ts";
import { dayMs } from "../../core/usage.ts";
import { aborted, done, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { input, sessionOf, testHome, watch } from "../../../test/fakes/test-agent.ts";
import type { AgentDeps } from "../index.ts";

const used = (tokens: number): Usage => ({
  input: tokens,
  cached: 0,
  output: 0,
  reasoning: 0,
  context: { used: tokens },
});

const spending = (budgets: Partial<Budgets>, price?: number): Pick<AgentDeps, "spending"> => ({
  spending: {
    provider: "mine",
    priceOf: () => (price === undefined ? undefined : { input: price, cached: price, output: price }),
    budgets: { turn: {}, session: {}, day: {}, ...budgets },
  },
});

/** Says some words, then step by step how much it has used; ends early only when it is stopped. */
const spends = (...steps: readonly number[]) =>
  scriptedRuntime(async function* (turn, { signal }): AsyncIterable<TurnEvent> {
    yield { type: "item", item: { id: asId<"itm">(`${turn.id}_0`), kind: "text", text: "So far." } };
    for (const step of steps) {
      yield { type: "usage", ...used(step) };
      if (signal.aborted) return yield { type: "ended", outcome: "interrupted", text: "So far.", calls: 0 };
    }
    yield { ...done("All."), usage: used(steps.at(-1) ?? 0) };
  });

/** Says this, and goes on until it is stopped. */
const stoppedAt = (...events: readonly TurnEvent[]) =>
  scriptedRuntime(async function* (_turn, { signal }): AsyncIterable<TurnEvent> {
    yield* events;
    await aborted(signal);
    yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
  });

describe("what a turn spends", () => {
  test("is in the ledger when it has ended, with what it cost", async () => {
    await using home = await testHome();
    const agent = await home.open(spends(500, 1_000_000), spending({}, 2));
    const incoming = input("hi");
    const { ended } = await agent.send(incoming);
    assert.partialDeepStrictEqual(await ended, { outcome: "done", usage: { input: 1_000_000, cost: 2 } });
    const [group] = await home.disk.usage.groups({ session: sessionOf(incoming) });
    const expected = {
      provider: "mine",
      model: "scripted",
      cause: "turn",
      rows: 1,
      input: 1_000_000,
      cost: 2,
    };
    assert.partialDeepStrictEqual(group, expected);
    const [turn] = await home.disk.sessions.turns(sessionOf(incoming));
    assert.equal(turn?.usage?.cost, 2);
  });

  test("without a price has an unknown cost, on the screen and in the ledger", async () => {
    await using home = await testHome();
    const agent = await home.open(spends(500), spending({}));
    const { ended } = await agent.send(input("hi"));
    assert.equal((await ended)?.usage?.cost, undefined);
    assert.partialDeepStrictEqual(await home.disk.usage.sum({}), { input: 500, unpriced: 1 });
  });

  test("of a request that was cut off is not nothing: the ledger has it as one that nobody counted", async () => {
    await using home = await testHome();
    const thinks = stoppedAt({ type: "status", state: "thinking" });
    const agent = await home.open(thinks, spending({}));
    const incoming = input("hi");
    const status = watch(agent, sessionOf(incoming)).next("status");
    const { ended } = await agent.send(incoming);
    await status;
    await agent.stop(sessionOf(incoming));
    assert.equal((await ended)?.outcome, "interrupted");
    assert.partialDeepStrictEqual(await home.disk.usage.sum({}), { rows: 1, input: 0, uncounted: 1 });
  });

  test("before a tool is kept while that runs, and Stop cuts off no request then", async () => {
    await using home = await testHome();
    const works = stoppedAt(
      { type: "status", state: "thinking" },
      { type: "usage", ...used(300) },
      { type: "status", state: "tool" },
    );
    const agent = await home.open(works, spending({}));
    const incoming = input("hi");
    const seen = watch(agent, sessionOf(incoming));
    const { ended } = await agent.send(incoming);
    await seen.next("status");
    await seen.next("status");
    const [open] = await home.disk.turns.listOpen();
    assert.equal(open?.usage?.input, 300);
    await agent.stop(sessionOf(incoming));
    await ended;
    assert.partialDeepStrictEqual(await home.disk.usage.sum({}), { rows: 1, input: 300, uncounted: 0 });
  });

  test("is in the ledger too when the runtime breaks off", async () => {
    await using home = await testHome();
    const breaks = scriptedRuntime(async function* () {
      yield { type: "usage", ...used(700) };
    });
    const agent = await home.open(breaks, spending({}, 1));
    const { ended } = await agent.send(input("hi"));
    assert.partialDeepStrictEqual(await ended, { outcome: "failed", usage: { input: 700 } });
    assert.partialDeepStrictEqual(await home.disk.usage.sum({}), { rows: 1, input: 700 });
  });

  test("survives a crash up to the last item, and is counted once", async () => {
    await using home = await testHome();
    const hangs = scriptedRuntime(async function* (turn, { signal }) {
      yield { type: "usage", ...used(300) };
      yield { type: "item", item: { id: asId<"itm">(`${turn.id}_0`), kind: "text", text: "One." } };
      await aborted(signal);
      yield done("never");
    });
    const crashed = await home.open(hangs, { pid: 1, ...spending({}, 1) });
    const incoming = input("hi");
    const item = watch(crashed, sessionOf(incoming)).next("item");
    await crashed.send(incoming);
    await item;
    const next = await home.open(spends(), { pid: 2, isGone: () => true, ...spending({}, 1) });
    assert.equal((await next.reconcile()).turns, 1);
    assert.equal((await next.reconcile()).turns, 0);
    assert.partialDeepStrictEqual(await home.disk.usage.sum({}), { rows: 1, input: 300, cost: 0.0003 });
    const [turn] = await home.disk.sessions.turns(sessionOf(incoming));
    assert.partialDeepStrictEqual(turn, { state: "interrupted", usage: { input: 300 } });
  });
});

describe("a budget that one turn was given", () => {
  const limit = { section: "delegation", tokens: 1000, usd: 1 } as const;

  test("ends it, and names the setting that it came from", async () => {
    await using home = await testHome();
    const agent = await home.open(spends(999, 1001, 9999), spending({ turn: { tokens: 5000 } }));
    const { ended } = await agent.send(input("hi", { choices: { budget: limit } }));
    const end = await ended;
    assert.partialDeepStrictEqual(end, { outcome: "failed", text: "So far.", usage: { input: 1001 } });
    assert.equal(end?.fault?.code, "refused");
    assert.match(end?.fault?.message ?? "", /it has used 1,001 tokens of its budget of 1,000 tokens\./);
    assert.match(end?.fault?.next ?? "", /raise delegation\.budget\.tokens in config\.yaml/);
  });

  test("does not lift what every turn has, and is not there for the next one", async () => {
    await using home = await testHome();
    const agent = await home.open(spends(400, 600), spending({ turn: { tokens: 500 } }));
    const incoming = input("hi", { choices: { budget: limit } });
    const { ended } = await agent.send(incoming);
    assert.match((await ended)?.fault?.next ?? "", /raise budgets\.turn\.tokens/);
    const free = await home.open(spends(400, 1200));
    const next = await free.send(input("again", { session: sessionOf(incoming) }));
    assert.equal((await next.ended)?.outcome, "done");
  });

  test("in USD says so when it cannot be counted", async () => {
    await using home = await testHome();
    const agent = await home.open(spends(1), spending({}));
    const incoming = input("hi", { choices: { budget: limit } });
    const notice = watch(agent, sessionOf(incoming)).next("notice");
    await agent.send(incoming);
    assert.match(JSON.stringify(await notice), /delegation\.budget\.usd does not hold here/);
  });
});

describe("a budget of a turn", () => {
  test("ends it when it is overspent, keeps what is finished and says how to go on", async () => {
    await using home = await testHome();
    const agent = await home.open(spends(999, 1001, 9999), spending({ turn: { tokens: 1000 } }));
    const incoming = input("hi");
    const { ended } = await agent.send(incoming);
    assert.partialDeepStrictEqual(await ended, {
      outcome: "failed",
      text: "So far.",
      usage: { input: 1001 },
      fault: {
        code: "refused",
        message: "The turn was ended: it has used 1,001 tokens of its budget of 1,000 tokens.",
        next: "What it finished is kept. Send “go on”, or raise budgets.turn.tokens in config.yaml.",
      },
    });
    const rows = await home.disk.sessions.messages(sessionOf(incoming));
    assert.equal(rows.at(-1)?.message.content, "So far.");
    assert.equal((await home.disk.usage.sum({})).input, 1001);
  });

  test("lets a turn that used exactly its budget finish, and one that is done stays done", async () => {
    await using home = await testHome();
    const answersAnyway = scriptedRuntime(async function* () {
      yield { type: "usage", ...used(5000) };
      yield done("All.");
    });
    const budget = spending({ turn: { tokens: 1000 } });
    const agent = await home.open(spends(1000), budget);
    assert.equal((await (await agent.send(input("hi"))).ended)?.outcome, "done");
    const other = await home.open(answersAnyway, { pid: 2, ...budget });
    assert.equal((await (await other.send(input("hi"))).ended)?.outcome, "done");
  });

  test("in USD counts the price, and says once that it cannot where there is none", async () => {
    await using home = await testHome();
    const budget: Partial<Budgets> = { turn: { usd: 0.5 } };
    const agent = await home.open(spends(100_000, 600_000, 700_000), spending(budget, 1));
    assert.partialDeepStrictEqual(await (await agent.send(input("hi"))).ended, {
      fault: { message: "The turn was ended: it has used 0.6000 USD of its budget of 0.5000 USD." },
    });
    const other = await home.open(spends(600_000, 700_000), { pid: 2, ...spending(budget) });
    const incoming = input("hi");
    const seen = watch(other, sessionOf(incoming));
    assert.equal((await (await other.send(incoming)).ended)?.outcome, "done");
    assert.deepEqual(
      seen.events.flatMap((event) => (event.type === "notice" ? [event.text] : [])),
      [
        "budgets.turn.usd does not hold here: no price of scripted at mine is known. Set providers.mine.prices in config.yaml, or a budget of tokens.",
      ],
    );
  });

  test("does not turn a Stop by the person into a failure", async () => {
    await using home = await testHome();
    const gate = Promise.withResolvers<void>();
    const waits = scriptedRuntime(async function* () {
      yield { type: "usage", ...used(5000) };
      await gate.promise;
      yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
    });
    const agent = await home.open(waits, spending({ turn: { tokens: 1000 } }));
    const incoming = input("hi");
    const usage = watch(agent, sessionOf(incoming)).next("usage");
    const { ended } = await agent.send(incoming);
    await usage;
    const stopped = agent.stop(sessionOf(incoming));
    await home.clock.advance(0); // the Stop has reached the turn
    gate.resolve();
    assert.equal((await ended)?.outcome, "interrupted");
    await stopped;
  });
});

describe("a budget of a session or a day", () => {
  test("that is used up refuses the next turn before a model is asked, and keeps the message", async () => {
    await using home = await testHome();
    let asked = 0;
    const runtime = scriptedRuntime(async function* () {
      asked += 1;
      yield { ...done("All."), usage: used(1000) };
    });
    const agent = await home.open(runtime, spending({ session: { tokens: 1000 } }));
    const first = input("one");
    const session = sessionOf(first);
    assert.equal((await (await agent.send(first)).ended)?.outcome, "done");
    const refused = await (await agent.send(input("two", { session }))).ended;
    assert.partialDeepStrictEqual(refused, {
      outcome: "failed",
      fault: {
        code: "quota",
        message:
          "The turn was not started: this session has used 1,000 tokens of its budget of 1,000 tokens.",
        next: "Your message is kept. Start a new session, or raise budgets.session.tokens in config.yaml.",
      },
    });
    assert.equal(asked, 1);
    assert.equal((await home.disk.sessions.messages(session)).at(-1)?.message.role, "user");
    assert.equal((await (await agent.send(input("elsewhere"))).ended)?.outcome, "done");
    assert.equal((await home.disk.usage.sum({})).rows, 2, "a turn that was not started cost nothing");
  });

  test("of a day counts all sessions and small calls, names when it ends, and then it has ended", async () => {
    await using home = await testHome();
    const now = home.clock.now();
    const small = { cause: "title_generation", runtime: "loop", provider: "mine", model: "s" } as const;
    const row = { at: now, ...small, input: 900, cached: 0, output: 100, reasoning: 0 };
    await home.disk.usage.add({ ...row, at: now - dayMs });
    await home.disk.usage.add(row);
    const agent = await home.open(spends(10), spending({ day: { tokens: 1000 } }));
    const midnight = dayMs - (now % dayMs);
    const refused = await (await agent.send(input("one"))).ended;
    assert.match(
      refused?.fault?.message ?? "",
      /today has used 1,000 tokens of its budget of 1,000 tokens\.$/,
    );
    const hours = `${Math.floor(midnight / 3_600_000)} h ${Math.ceil(midnight / 60_000) % 60} min`;
    assert.equal(
      refused?.fault?.next,
      `Your message is kept. The next day begins at 00:00 UTC, in ${hours}; wait for it, or raise budgets.day.tokens in config.yaml.`,
    );
    await home.clock.advance(midnight - 1);
    assert.equal((await (await agent.send(input("two"))).ended)?.outcome, "failed");
    await home.clock.advance(1);
    assert.equal((await (await agent.send(input("three"))).ended)?.outcome, "done");
  });

  test("ends a running turn that goes over it, also by what others spend meanwhile", async () => {
    await using home = await testHome();
    const row = {
      at: home.clock.now(),
      cause: "compression",
      runtime: "loop",
      provider: "mine",
      model: "s",
      input: 400,
      cached: 0,
      output: 0,
      reasoning: 0,
    } as const;
    const runtime = scriptedRuntime(async function* (_turn, { signal }) {
      yield { type: "usage", ...used(300) };
      await home.disk.usage.add(row);
      await home.disk.usage.add(row);
      yield { type: "usage", ...used(400) };
      await aborted(signal);
      yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
    });
    const agent = await home.open(runtime, spending({ day: { tokens: 1000 } }));
    assert.partialDeepStrictEqual(await (await agent.send(input("hi"))).ended, {
      outcome: "failed",
      fault: {
        code: "quota",
        message: "The turn was ended: today has used 1,200 tokens of its budget of 1,000 tokens.",
      },
    });
  });
});
