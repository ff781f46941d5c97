import assert from "node:assert/strict";
import { type IncomingMessage, createServer } from "node:http";
import { describe, test } from "node:test";
import { onLoopback } from "../../../test/loopback.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { asId } from "../../core/ids.ts";
import type { StoredMessage } from "../../core/session.ts";
import { skillBlock } from "../../core/skill-input.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import { openMemoryService } from "./memory-service.ts";
import { httpProvider } from "./http-provider.ts";

type Reply = { readonly status?: number; readonly body?: string; readonly location?: string } | "silence";

/** A memory service on this machine: `heard` has what it was asked, in order. */
async function service(replies: readonly Reply[]) {
  const heard: { path: string; key: string | undefined; body: Record<string, unknown> }[] = [];
  const news: (() => void)[] = [];
  const server = createServer((request, response) => {
    void answer().catch(() => response.destroy());
    async function answer(): Promise<void> {
      const text = await textOf(request);
      const reply = replies[Math.min(heard.length, replies.length - 1)] ?? {};
      const body = JSON.parse(text || "{}") as Record<string, unknown>;
      heard.push({ path: request.url ?? "", key: request.headers.authorization, body });
      for (const tell of news.splice(0)) tell();
      if (reply === "silence") return;
      response.writeHead(
        reply.status ?? 200,
        reply.location === undefined ? {} : { location: reply.location },
      );
      response.end(reply.body ?? "");
    }
  });
  const bound = await onLoopback(server);
  return {
    heard,
    url: `${bound.origin}/v1/`,
    async hears(count: number): Promise<void> {
      while (heard.length < count) await new Promise<void>((resolve) => news.push(resolve));
    },
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

const session = asId<"ses">("ses_1");
const turn = asId<"trn">("trn_1");
const fixture = { id: session, cwd: "/work" };
const input = [{ type: "text", text: "where is my key hunter2?" } as const];
const messages = [
  { turn, message: { role: "user", content: "where is it?" } },
  { turn, message: { role: "assistant", content: "", toolCalls: [{ id: "c", name: "t", arguments: "{}" }] } },
  { turn, message: { role: "tool", toolCallId: "c", content: "secret file" } },
  { turn, message: { role: "assistant", content: "In the drawer." } },
  { turn: asId<"trn">("trn_2"), message: { role: "user", content: "another" } },
] as unknown as readonly StoredMessage[];
const store = {
  sessions: {
    get: async () => ({ id: session, cwd: "/work", audience: "owner" }),
    messages: async () => messages,
  },
} as unknown as Store;

const delimited = (source: string, text: string): string => `<${source}> ${text}`;
const redact = (text: string): string => text.replaceAll("hunter2", "***");

function beside(url: string, clock: Clock = systemClock, key?: string) {
  const told: string[] = [];
  const heard = Promise.withResolvers<void>();
  const tell = (line: string): void => {
    told.push(line);
    heard.resolve();
  };
  const provider = httpProvider({ url, ...(key === undefined ? {} : { key }) });
  const it = openMemoryService({ provider, store, delimited, redact, clock, tell });
  return { it, told, isTold: heard.promise, name: new URL(url).host };
}

const never = new AbortController().signal;

describe("a memory service", () => {
  test("is asked before a turn, and what it says is marked as text from outside", async () => {
    await using fake = await service([{ body: '{"text":"It is in the drawer."}' }]);
    const { it, told, name } = beside(fake.url, systemClock, "k-1");
    assert.deepEqual(await it.before(fixture, input, never), [
      `<the memory service ${name}> It is in the drawer.`,
    ]);
    const body = { query: "where is my key ***?", session, cwd: "/work" };
    assert.deepEqual(fake.heard, [{ path: "/v1/prefetch", key: "Bearer k-1", body }]);
    assert.deepEqual(told, []);
    await it[Symbol.asyncDispose]();
  });

  test("is asked about the person's words, not about a skill that goes with them", async () => {
    await using fake = await service([{ body: '{"text":""}' }]);
    const { it } = beside(fake.url);
    const skill = { type: "text", text: skillBlock("deploy", "x".repeat(20_000)) } as const;
    await it.before(
      fixture,
      [skill, { type: "text", text: `/deploy the docs ${"😀".repeat(8_000)}` }],
      never,
    );
    const { query } = fake.heard[0]?.body ?? {};
    assert.match(String(query), /^\/deploy the docs /);
    assert.ok(String(query).isWellFormed());
    await it[Symbol.asyncDispose]();
  });

  test("that knows nothing, or is asked nothing, adds nothing", async () => {
    await using fake = await service([{ body: '{"text":"  "}' }]);
    const { it, told } = beside(fake.url);
    assert.deepEqual(await it.before(fixture, input, never), []);
    assert.deepEqual(await it.before(fixture, [], never), []);
    assert.deepEqual([fake.heard.length, told], [1, []]);
    await it[Symbol.asyncDispose]();
  });

  test("that is silent costs a turn two seconds at most, and people hear of it once", async () => {
    await using fake = await service(["silence"]);
    const clock = fakeClock();
    const { it, told } = beside(fake.url, clock);
    for (let asked = 0; asked < 2; asked++) {
      const known = it.before(fixture, input, never);
      await clock.advance(1_999);
      let isOver = false;
      void known.then(() => (isOver = true));
      await clock.advance(0);
      assert.equal(isOver, false);
      await clock.advance(1);
      assert.deepEqual(await known, []);
    }
    assert.equal(told.length, 1);
    assert.match(
      told[0] ?? "",
      /does not work: it did not answer within 2 seconds\. Turns go on without it\.$/,
    );
    await it[Symbol.asyncDispose]();
  });

  test("a turn that is stopped does not wait for it, and that is no trouble of its", async () => {
    await using fake = await service(["silence"]);
    const { it, told } = beside(fake.url);
    const stop = new AbortController();
    const known = it.before(fixture, input, stop.signal);
    await fake.hears(1);
    stop.abort(new Error("stop"));
    assert.deepEqual(await known, []);
    assert.deepEqual(told, []);
    await it[Symbol.asyncDispose]();
  });

  for (const [what, reply, why] of [
    ["is broken", { status: 500 }, /HTTP 500/],
    ["sends elsewhere", { status: 302, location: "/v1/elsewhere" }, /cannot be reached/],
    ["answers nonsense", { body: "<html>" }, /its answer is not/],
    ["answers without end", { body: `{"text":"${"x".repeat(300_000)}"}` }, /more than/],
  ] as const) {
    test(`that ${what} is left out of the turn`, async () => {
      await using fake = await service([reply, { body: '{"text":"from elsewhere"}' }]);
      const { it, told } = beside(fake.url);
      assert.deepEqual(await it.before(fixture, input, never), []);
      assert.match(told.join("\n"), why);
      assert.equal(fake.heard.length, 1);
      await it[Symbol.asyncDispose]();
    });
  }

  test("is told about a turn in the words of both sides, without what tools returned", async () => {
    await using fake = await service([{}]);
    const { it, told } = beside(fake.url);
    it.after(session, turn);
    await fake.hears(1);
    await it[Symbol.asyncDispose]();
    const body = { session, cwd: "/work", turn, user: "where is it?", assistant: "In the drawer." };
    assert.deepEqual(fake.heard, [{ path: "/v1/sync", key: undefined, body }]);
    assert.deepEqual(told, []);
  });

  test("is told again when it could not listen, and not when it does not want to", async () => {
    await using fake = await service([{ status: 503 }, { status: 429 }, {}, { status: 400 }]);
    const quick: Clock = {
      ...systemClock,
      sleep: (ms, signal) => systemClock.sleep(ms > 8_000 ? ms : 0, signal),
    };
    const { it, told, isTold } = beside(fake.url, quick);
    it.after(session, turn);
    await fake.hears(3);
    it.after(session, turn);
    await fake.hears(4);
    await isTold;
    assert.equal(fake.heard.length, 4);
    assert.match(told.join(), /HTTP 400/);
    await it[Symbol.asyncDispose]();
  });

  test("that does not listen holds the end of the program up for two seconds at most", async () => {
    await using fake = await service(["silence"]);
    const clock = fakeClock();
    const { it, told } = beside(fake.url, clock);
    it.after(session, turn);
    await fake.hears(1);
    const ended = it[Symbol.asyncDispose]();
    await clock.advance(2_000);
    await ended;
    assert.deepEqual(told, []);
  });
});
