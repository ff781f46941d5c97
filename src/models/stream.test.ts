import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { closedPort } from "../../test/closed-port.ts";
import { systemClock } from "../lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { startDemoModel, type DemoModel } from "../../test/fakes/demo-model.ts";
import type { ModelEvent, ModelRequest, Route, StreamOptions } from "./model.ts";
import { stream } from "./stream.ts";

const request: ModelRequest = {
  model: "demo",
  instructions: "Be brief.",
  messages: [{ role: "user", content: "hello" }],
  tools: [
    { name: "read_file", description: "", parameters: { type: "object", properties: { path: {} } } },
    { name: "näme with spaces", description: "", parameters: { type: "object" } },
  ],
};

const routeTo = (url: string, protocol: Route["protocol"], more: Partial<Route> = {}): Route => ({
  name: "demo",
  protocol,
  url,
  headers: {},
  model: "demo",
  ...more,
});

const options = (more: Partial<StreamOptions> = {}): StreamOptions => ({
  signal: new AbortController().signal,
  clock: systemClock,
  ...more,
});

const demoOf = (...reply: readonly object[]): Promise<DemoModel> =>
  startDemoModel({ clock: systemClock, script: parseDemoScript({ steps: [{ reply }] }) });

/** Asks a demo model that answers with this reply, on one protocol. */
async function ask(protocol: Route["protocol"], ...reply: readonly object[]): Promise<readonly ModelEvent[]> {
  await using demo = await demoOf(...reply);
  return await Array.fromAsync(stream(routeTo(demo.url, protocol), request, options()));
}

const itemsOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "item" ? [event.item] : []));
const deltasOf = (events: readonly ModelEvent[], of: "text" | "thinking") =>
  events.flatMap((event) => (event.type === "delta" && event.of === of ? [event.text] : [])).join("");
const isTerminal = ({ type }: ModelEvent): boolean =>
  type === "completed" || type === "failed" || type === "aborted";

function faultOf(events: readonly ModelEvent[]): string {
  const last = events.at(-1);
  assert.equal(events.filter(isTerminal).length, 1, "one terminal event");
  assert.ok(last?.type === "failed", `last is ${JSON.stringify(last)}`);
  return `${last.fault.code}: ${last.fault.message} ${last.fault.next}`;
}

for (const protocol of ["responses", "chat"] as const) {
  describe(`a model on ${protocol}`, () => {
    test("says text in pieces, then whole, then what it cost, then that it is complete", async () => {
      const events = await ask(protocol, { text: "one two three four", chunks: 4 });
      assert.deepEqual(
        events.map(({ type }) => type),
        ["delta", "delta", "delta", "delta", "item", "usage", "completed"],
      );
      assert.equal(deltasOf(events, "text"), "one two three four");
      assert.partialDeepStrictEqual(itemsOf(events), [{ kind: "text", text: "one two three four" }]);
      const usage = events.find(({ type }) => type === "usage");
      assert.ok(usage?.type === "usage" && usage.input > 0 && usage.output === 5);
    });

    test("thinks in a summary or in raw words", async () => {
      const events = await ask(protocol, { reasoning: { summary: ["First.", "Second."] } }, { text: "ok" });
      assert.partialDeepStrictEqual(itemsOf(events)[0], { kind: "thinking", text: "First.\n\nSecond." });
      assert.equal(deltasOf(events, "thinking"), "First.\n\nSecond.");
      const raw = await ask(protocol, { reasoning: { raw: "hm hm" } }, { text: "ok" });
      assert.partialDeepStrictEqual(itemsOf(raw)[0], { kind: "thinking", text: "hm hm" });
    });

    test("calls two tools at once, found in the request's own list, by the names they have here", async () => {
      const events = await ask(
        protocol,
        { call: { tool: "?read", args: { path: "a.txt" } } },
        { call: { tool: "?n_me", args: "not json" } },
      );
      const calls = itemsOf(events).flatMap((item) => (item.kind === "call" ? [item] : []));
      assert.deepEqual(
        calls.map((call) => [call.name, call.arguments]),
        [
          ["read_file", '{"path":"a.txt"}'],
          ["näme with spaces", "not json"],
        ],
      );
      assert.equal(new Set(calls.map(({ callId }) => callId)).size, 2);
      assert.equal(events.at(-1)?.type, "completed");
    });

    test("may answer whole instead of streaming, and begin with an unusual frame", async () => {
      const whole = await ask(
        protocol,
        { text: "all at once" },
        { call: { tool: "read_file" } },
        { whole: true },
      );
      assert.deepEqual(
        itemsOf(whole).map(({ kind }) => kind),
        ["text", "call"],
      );
      assert.equal(whole.at(-1)?.type, "completed");
      const odd = await ask(protocol, { wrongFirst: "codex.rate_limits" }, { text: "fine" });
      assert.partialDeepStrictEqual(itemsOf(odd), [{ text: "fine" }]);
      assert.deepEqual(odd.at(-1), { type: "completed", skipped: 1 });
    });

    test("that fails is a fault with its own words", async () => {
      const body = { error: { code: "rate_limit_exceeded", message: "too fast" } };
      const limited = await ask(protocol, { http: { status: 429, headers: { "retry-after": "7" }, body } });
      assert.match(faultOf(limited), /^rate_limited: .*too fast.*7 seconds/);
      assert.partialDeepStrictEqual(limited.at(-1), { retryAfterMs: 7000 });
      const error = { errorFrame: { code: "server_error", message: "it broke" } };
      assert.match(faultOf(await ask(protocol, { text: "so far" }, error)), /^overloaded: .*it broke/);
      assert.match(faultOf(await ask(protocol, error)), /it broke/);
    });

    test("that sends the request elsewhere is not followed: the key stays here", async () => {
      const location = protocol === "chat" ? "/v1/chat/completions" : "/v1/responses";
      await using demo = await demoOf({ http: { status: 307, headers: { location } } });
      const events = await Array.fromAsync(stream(routeTo(demo.url, protocol), request, options()));
      assert.match(faultOf(events), /^config: .*redirects to/);
      assert.equal(demo.total, 1);
    });

    test("that answers nothing usable is a fault: empty, a web page, garbage, no end", async () => {
      assert.match(faultOf(await ask(protocol, { empty: true })), /^protocol: .*returned nothing/);
      assert.match(faultOf(await ask(protocol, { html: true })), /^protocol: .*a web page/);
      assert.match(
        faultOf(await ask(protocol, { malformed: true }, { noCompleted: true }, { wrongFirst: "x" })),
        /^protocol: /,
      );
      const open = await ask(protocol, { text: "never finished" }, { noCompleted: true });
      assert.match(faultOf(open), /^network: .*127\.0\.0\.1.*before the answer was complete/);
    });

    test("may send garbage between good frames", async () => {
      const events = await ask(protocol, { malformed: true }, { text: "still here" });
      assert.partialDeepStrictEqual(itemsOf(events), [{ text: "still here" }]);
      assert.equal(events.at(-1)?.type, "completed");
    });

    test("whose connection breaks is a fault, and a call cut in its arguments is never said", async () => {
      const call = { call: { tool: "write_file", args: { path: "a", content: "y".repeat(300) } } };
      for (const cut of [{ afterFrames: 0 }, { afterFrames: 2 }, { afterFrames: 4 }, { afterBytes: 700 }]) {
        const events = await ask(protocol, call, { cut });
        assert.match(faultOf(events), /^network: /, JSON.stringify(cut));
        assert.deepEqual(itemsOf(events), [], JSON.stringify(cut));
      }
    });

    test("may be slow, and what it says arrives as it says it", async () => {
      const clock = fakeClock();
      await using demo = await startDemoModel({
        clock,
        script: parseDemoScript({
          steps: [{ reply: [{ text: "a b c", chunks: 3 }, { slow: { ms: 1000 } }] }],
        }),
      });
      const progress = { over: false };
      const answer = Array.fromAsync(stream(routeTo(demo.url, protocol), request, options()));
      void answer.then(() => (progress.over = true));
      while (!progress.over) await clock.advance(1000);
      const all = await answer;
      assert.equal(deltasOf(all, "text"), "a b c");
      assert.ok(clock.monotonic() >= 4000, "every frame took its second");
    });

    test("that falls silent is given up after 120 seconds", async () => {
      const clock = fakeClock();
      await using demo = await demoOf({ text: "one moment" }, { hang: true });
      const events: ModelEvent[] = [];
      for await (const event of stream(routeTo(demo.url, protocol), request, options({ clock }))) {
        events.push(event);
        if (deltasOf(events, "text") === "one moment") void clock.advance(120_000);
      }
      assert.match(faultOf(events), /^network: .*nothing for 120 seconds/);
    });

    test("is not given up while the listener itself takes its time", async () => {
      const clock = fakeClock();
      await using demo = await demoOf({ text: "patience", chunks: 2 });
      const events: ModelEvent[] = [];
      for await (const event of stream(routeTo(demo.url, protocol), request, options({ clock }))) {
        await clock.advance(200_000);
        events.push(event);
      }
      assert.equal(events.at(-1)?.type, "completed");
    });

    test("is stopped by the signal, before, between and while it is silent", async () => {
      assert.deepEqual(
        await Array.fromAsync(
          stream(
            routeTo("http://127.0.0.1:9/v1", protocol),
            request,
            options({ signal: AbortSignal.abort() }),
          ),
        ),
        [{ type: "aborted" }],
      );
      await using demo = await demoOf({ text: "one moment" }, { hang: true });
      const stop = new AbortController();
      const events: ModelEvent[] = [];
      for await (const event of stream(
        routeTo(demo.url, protocol),
        request,
        options({ signal: stop.signal }),
      )) {
        events.push(event);
        if (deltasOf(events, "text") === "one moment") setImmediate(() => stop.abort());
      }
      assert.deepEqual(events.at(-1), { type: "aborted" });
      assert.equal(events.filter(isTerminal).length, 1);
    });

    test("lets go of the connection when nobody listens any more", async () => {
      await using demo = await demoOf({ text: "one moment" }, { hang: true });
      const signals: (AbortSignal | null | undefined)[] = [];
      const spying: typeof fetch = (url, init) => {
        signals.push(init?.signal);
        return fetch(url, init);
      };
      const route = routeTo(demo.url, protocol);
      for await (const event of stream(route, request, options({ fetch: spying }))) {
        assert.equal(event.type, "delta");
        break;
      }
      assert.deepEqual(
        signals.map((signal) => signal?.aborted),
        [true],
      );
    });

    test("whose answer is whole is read to the end of the body, for the connection's sake, but not for ever", async () => {
      await using demo = await demoOf({ text: "done", chunks: 1 });
      const frames = new Uint8Array(await (await fetchAnswer(demo, protocol)).arrayBuffer());
      for (const tail of ["ends", "hangs"] as const) {
        const clock = fakeClock();
        const pulled = Promise.withResolvers<void>();
        const signals: (AbortSignal | null | undefined)[] = [];
        let pulls = 0;
        const body = new ReadableStream<Uint8Array>(
          {
            pull(controller) {
              if (++pulls === 1) return controller.enqueue(frames);
              if (tail === "ends") controller.close();
              return pulled.resolve();
            },
          },
          { highWaterMark: 0 },
        );
        const fake: typeof fetch = async (_, init) => {
          signals.push(init?.signal);
          return new Response(body);
        };
        const route = routeTo("http://x.test/v1", protocol);
        for await (const event of stream(route, request, options({ clock, fetch: fake })))
          if (event.type === "completed") break;
        await pulled.promise;
        await clock.advance(1000);
        assert.equal(signals[0]?.aborted, tail === "hangs");
        assert.equal(clock.pending(), 0);
      }
    });

    test("that nobody runs is a network fault naming the address", async () => {
      const port = await closedPort();
      const events = await Array.fromAsync(
        stream(routeTo(`http://127.0.0.1:${port}/v1`, protocol), request, options()),
      );
      assert.match(faultOf(events), new RegExp(`^network: .*127\\.0\\.0\\.1:${port}.*ECONNREFUSED`));
    });

    test("gets the key and own headers, at its address with its query", async () => {
      const asked: Request[] = [];
      const fake: typeof fetch = async (url, init) => {
        asked.push(new Request(url, init));
        return new Response("", { status: 500 });
      };
      const route = routeTo("http://x.test/v1/?tenant=1", protocol, {
        key: "sk-1",
        headers: { "x-team": "blue" },
      });
      await Array.fromAsync(stream(route, request, options({ fetch: fake })));
      const [seen] = asked;
      const path = protocol === "chat" ? "chat/completions" : "responses";
      assert.equal(seen?.url, `http://x.test/v1/${path}?tenant=1`);
      assert.equal(seen?.headers.get("authorization"), "Bearer sk-1");
      assert.equal(seen?.headers.get("x-team"), "blue");
      assert.partialDeepStrictEqual(await seen?.json(), { model: "demo", stream: true });
    });

    test("that repeats the key in its refusal does not bring it to the screen", async () => {
      const events = await ask(protocol, {
        http: { status: 401, body: { error: { message: "canary-4711 is wrong" } } },
      });
      assert.match(faultOf(events), /^auth: .*canary-4711/, "a value nobody knows as a key stays");
      await using demo = await demoOf({
        http: { status: 401, body: { error: { message: "canary-4711 is wrong" } } },
      });
      const route = routeTo(demo.url, protocol, { key: "canary-4711", keyName: "DEMO_KEY" });
      const safe = await Array.fromAsync(stream(route, request, options()));
      assert.match(faultOf(safe), /^auth: .*DEMO_KEY/);
      assert.doesNotMatch(JSON.stringify(safe), /canary/);
    });

    test("with an impossible address or key is a config fault", async () => {
      for (const route of [
        routeTo("not an address", protocol),
        routeTo("http://127.0.0.1/v1", protocol, { key: "a\nb" }),
      ])
        assert.match(faultOf(await Array.fromAsync(stream(route, request, options()))), /^config: /);
    });

    test("is cut off at 32 MiB", async () => {
      const events = await ask(protocol, { huge: { bytes: 33 * 1024 * 1024 } });
      assert.match(faultOf(events), /^protocol: .*32 MiB/);
    });
  });
}

const fetchAnswer = (demo: DemoModel, protocol: Route["protocol"]): Promise<Response> =>
  fetch(demo.url + (protocol === "chat" ? "/chat/completions" : "/responses"), {
    method: "POST",
    body: JSON.stringify({ stream: true }),
  });
