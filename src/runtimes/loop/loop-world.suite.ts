import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { EndedEvent, TurnEvent } from "../../core/events.ts";
import { asId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import type { ConverseEvent } from "../../models/converse.ts";
import type { ModelRequest, Route } from "../../models/model.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { Ports, Runtime, Turn } from "../runtime.ts";
import type { LoopDeps } from "./ask.ts";
import type { Candidates } from "./fallback.ts";
import { loopRuntime } from "./loop.ts";

/** A model in memory: what it says to its nth request, counted from 0 over all routes. */
export type Model = (request: ModelRequest, at: number, route: Route) => Iterable<ConverseEvent>;

export type World = {
  readonly model: Model;
  readonly routes?: Candidates;
  readonly tool?: (name: string, args: unknown, runtime: Runtime) => Promise<ToolResult> | ToolResult;
  readonly ports?: Partial<Ports>;
  readonly turn?: Partial<Turn>;
  readonly words?: LoopDeps["baseInstructions"];
};

export type Played = {
  readonly events: readonly TurnEvent[];
  readonly items: readonly Item[];
  readonly ended: EndedEvent;
  readonly requests: readonly (ModelRequest & { readonly route: string })[];
  readonly notices: readonly string[];
};

export const routeTo = (name: string): Route => ({
  name,
  protocol: "chat",
  url: "",
  headers: {},
  model: `${name}-model`,
});

/** A loop that can play several turns. */
export function loopWorld(world: World): {
  readonly runtime: Runtime;
  readonly ports: Ports;
  readonly play: () => Promise<Played>;
  readonly sideTurn: () => AsyncIterable<TurnEvent> | undefined;
} {
  const requests: (ModelRequest & { readonly route: string })[] = [];
  const runtime = loopRuntime({
    routes: async () => world.routes ?? [routeTo("main")],
    ...(world.words === undefined ? {} : { baseInstructions: world.words }),
    async *stream(route, request) {
      requests.push({ ...request, messages: [...request.messages], route: route.name });
      yield* world.model(request, requests.length - 1, route);
    },
  });
  const ports: Ports = {
    signal: new AbortController().signal,
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
    tools: {
      specs: [{ name: "t", description: "", parameters: {}, interactive: false, deferred: false }],
      enabled: ["t"],
      call: async (name, args) => (await world.tool?.(name, args, runtime)) ?? { ok: true, output: "fine" },
    },
    binding: { load: async () => undefined, save: async () => {} },
    processes: { add: async () => {}, remove: async () => {} },
    clock: fakeClock(1_700_000_000_000),
    ...world.ports,
  };
  return {
    runtime,
    ports,
    sideTurn: () => runtime.sideTurn?.({ ...plainTurn, ...world.turn }, ports),
    async play() {
      const events = await Array.fromAsync(runtime.run({ ...plainTurn, ...world.turn }, ports));
      const ended = events.at(-1);
      if (ended?.type !== "ended") throw new Error("the turn did not end");
      return {
        events,
        ended,
        requests: [...requests],
        items: events.flatMap((event) => (event.type === "item" ? [event.item] : [])),
        notices: events.flatMap((event) => (event.type === "notice" ? [`${event.code}: ${event.text}`] : [])),
      };
    },
  };
}

export const plainTurn: Turn = {
  id: asId<"trn">("trn_1"),
  session: asId<"ses">("ses_1"),
  cwd: "/",
  past: async () => ({ history: [] }),
  input: [{ type: "text", text: "go" }],
  instructions: "",
  project: "",
  context: [],
};

const completed: ConverseEvent = { type: "completed", skipped: 0 };

export const answers = (text: string): readonly ConverseEvent[] => [
  { type: "delta", item: 0, of: "text", text },
  { type: "item", item: { kind: "text", item: 0, text } },
  completed,
];

export const calls = (...args: readonly string[]): readonly ConverseEvent[] => [
  ...args.map((raw, item): ConverseEvent => ({
    type: "item",
    item: { kind: "call", item, callId: `c${item}`, name: "t", arguments: raw },
  })),
  completed,
];

export const fails = (
  code: "quota" | "overloaded" | "auth" | "context_full" | "refused" | "network",
  retryAfterMs?: number,
): readonly ConverseEvent[] => [
  {
    type: "failed",
    fault: { code, message: `It failed: ${code}.`, next: "Wait." },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  },
];

/** What the model was told of the calls in a request, oldest first. */
export const results = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).flatMap((message) => (message.role === "tool" ? [message.content] : []));
