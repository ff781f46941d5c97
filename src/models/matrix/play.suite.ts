import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { startRawProvider } from "../../../test/fakes/raw-provider.ts";
import type { TurnEvent } from "../../core/events.ts";
import { asId } from "../../core/ids.ts";
import { stableJson, type Json } from "../../core/json.ts";
import { systemClock } from "../../lib/clock.ts";
import { loopRuntime } from "../../runtimes/loop/loop.ts";
import type { Ports, Turn } from "../../runtimes/runtime.ts";
import { converse, type ConverseEvent } from "../converse.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import type { ModelRequest, Route, StreamOptions } from "../model.ts";
import { good, kits } from "./kit.suite.ts";
import type { Row } from "./row.suite.ts";

/** What the person said; no request may leave it out. */
export const userText = "the person's own words";
export const canary = "sk-canary-4711";

export type Played = {
  /** What was said about the first answer. */
  readonly talk: readonly ConverseEvent[];
  readonly turn: readonly TurnEvent[];
  /** Requests for the first answer. */
  readonly requests: readonly SeenRequest[];
  readonly ran: readonly string[];
  readonly told: readonly string[];
  readonly waitedMs: number;
};

type SeenRequest = { readonly key: string | undefined; readonly body: string };

/** Runs one turn of the loop against a server that behaves as the row says. */
export async function play(row: Row, protocol: Route["protocol"]): Promise<Played> {
  const clock = fakeClock();
  const stop = new AbortController();
  const untouched = row.stopAt === undefined && row.perDeltaMs === undefined;
  const silence = (): void => void (untouched && clock.advance(120_000));
  await using server = await startServer(row, protocol, silence);
  const talk: ConverseEvent[] = [];
  const ran: string[] = [];
  const told: string[] = [];
  const first = { requests: 0, waitedMs: 0, over: false };

  async function* heard(route: Route, request: ModelRequest, options: StreamOptions) {
    const asked = row.sealed === undefined ? request : { ...request, sealed: sealedReasoning };
    const how = row.fetch === undefined ? options : { ...options, fetch: row.fetch };
    for await (const event of converse(route, asked, how)) {
      if (first.over) {
        yield event;
        continue;
      }
      talk.push(event);
      if (event.type === "retrying" && row.stopAt === undefined) void clock.advance(event.afterMs);
      if (event.type === "delta" && row.perDeltaMs !== undefined) await clock.advance(row.perDeltaMs);
      if (row.stopAt?.(event) === true) stop.abort();
      yield event;
    }
    if (first.over) return;
    Object.assign(first, { requests: server.seen().length, waitedMs: clock.monotonic(), over: true });
  }

  const route: Route = {
    name: "row",
    protocol,
    url: row.address?.(server.url) ?? server.url,
    key: canary,
    keyName: "ROW_KEY",
    headers: {},
    model: "m",
  };
  const runtime = loopRuntime({ routes: async () => [route], stream: heard });
  const ports: Ports = { ...noPorts, signal: stop.signal, clock, tools: recorder(ran) };
  const turn: TurnEvent[] = [];
  for await (const event of runtime.run(oneTurn, ports)) {
    turn.push(event);
    if (event.type === "item" && event.item.kind === "call" && !event.item.ok) told.push(event.item.output);
  }
  return {
    talk,
    turn,
    ran,
    told,
    requests: server.seen().slice(0, first.requests),
    waitedMs: first.waitedMs,
  };
}

type Server = AsyncDisposable & { readonly url: string; seen(): readonly SeenRequest[] };

async function startServer(row: Row, protocol: Route["protocol"], onHang: () => void): Promise<Server> {
  if (row.demo !== undefined) {
    const steps = row.demo.map((reply) => ({ reply }));
    const script = parseDemoScript({ steps, otherwise: row.demo.at(-1) });
    const demo = await startDemoModel({ clock: systemClock, script });
    const seen = () =>
      demo.requests.map(({ headers, body }) => ({
        key: headers["idempotency-key"],
        body: JSON.stringify(body),
      }));
    return { url: demo.url, seen, [Symbol.asyncDispose]: () => demo[Symbol.asyncDispose]() };
  }
  const kit = kits[protocol];
  // Silence after text is only felt once the text was heard: there the clock moves when the client has caught up.
  const raw = await startRawProvider(row.raw?.(kit) ?? [good(kit)], () => void caughtUp().then(onHang));
  const seen = () =>
    raw.requests.map(({ headers, body }) => ({ key: String(headers["idempotency-key"]), body }));
  return { url: raw.url, seen, [Symbol.asyncDispose]: () => raw[Symbol.asyncDispose]() };
}

/** A few rounds of the event loop: what was written on loopback has been read. */
async function caughtUp(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

const sealedReasoning = [
  { before: 0, data: { type: "reasoning", summary: [], encrypted_content: "sealed" } },
];

const recorder = (ran: string[]): Ports["tools"] => ({
  specs: [
    {
      name: "t",
      description: "",
      parameters: { type: "object" },
      interactive: false,
      deferred: false,
    } as never,
  ],
  enabled: ["t"],
  call: async (name: string, args: Json) => {
    if (name !== "t") return { ok: false, output: "There is no such tool." };
    ran.push(`${name} ${stableJson(args)}`);
    return { ok: true, output: "done" };
  },
});

const noPorts: Omit<Ports, "signal" | "clock" | "tools"> = {
  ask: async () => ({ choice: "deny", why: "not_asked" }),
  inquire: async () => undefined,
  binding: { load: async () => undefined, save: async () => {} },
  processes: { add: async () => {}, remove: async () => {} },
};

const oneTurn: Turn = {
  id: asId<"trn">("trn_1"),
  session: asId<"ses">("ses_1"),
  cwd: "/",
  past: async () => ({ history: [] }),
  input: [{ type: "text", text: userText }],
  instructions: "",
  project: "",
  context: [],
};
