import type { ElicitRequestParams, ElicitResult, ProgressCallback } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Json } from "../../core/json.ts";
import { withinTime } from "../../lib/time-limit.ts";
import { addressLink } from "./address-link.ts";
import { type Offer, readOffer } from "./definition.ts";
import type { Link, LinkDeps } from "./link.ts";
import { programLink } from "./program-link.ts";
import type { ServerSettings } from "./settings.ts";
import { McpTrouble, troubleOf } from "./trouble.ts";
import { utilitiesOf } from "./utility.ts";

/** A server that was greeted and answers. Disposing ends it. */
export type Connection = {
  [Symbol.asyncDispose](): Promise<void>;
  isOpen(): boolean;
  /** Why it is over, once it is. Never rejects. */
  readonly over: Promise<string>;
  list(signal: AbortSignal): Promise<Offer>;
  /** Rejects as the library does, or with the signal's reason as words. */
  request(
    method: string,
    params: { readonly [key: string]: Json },
    options: { readonly signal: AbortSignal; readonly onprogress?: ProgressCallback },
  ): Promise<{ readonly [key: string]: unknown }>;
};

export type ConnectionDeps = LinkDeps & { readonly version: string };

export type Listeners = {
  /** The server says that its tools are others now. */
  onToolsChanged(): void;
  onElicit(asked: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult>;
};

const maxPages = 64;
/** The library counts by its own clock; ours ends a request by its signal. */
const timeout = 2 ** 31 - 1;

const anything = z.looseObject({});
const page = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional().catch(undefined),
});

/** Rejects with `McpTrouble`, and then nothing is left of it. */
export async function openConnection(
  settings: ServerSettings,
  deps: ConnectionDeps,
  listeners: Listeners,
  signal: AbortSignal,
): Promise<Connection> {
  const { endpoint, name, connectMs } = settings;
  signal.throwIfAborted();
  let link: Link | undefined;
  try {
    link = await (endpoint.kind === "program"
      ? programLink(name, endpoint, deps)
      : addressLink(endpoint, deps));
    const opened = link;
    const greeted = await withinTime(connectMs, deps.clock, signal, (inner) =>
      greet(settings, deps, opened, listeners, inner),
    );
    if (greeted.end === "done") return greeted.value;
    if (greeted.end === "stopped") throw new McpTrouble("was stopped before it had started");
    throw new McpTrouble(`did not answer its greeting within ${connectMs / 1000} s`);
  } catch (error) {
    const failureDetail = link?.failureDetail() ?? "";
    await link?.[Symbol.asyncDispose]().catch(() => {});
    throw troubleOf(error, failureDetail);
  }
}

async function greet(
  settings: ServerSettings,
  { version }: ConnectionDeps,
  link: Link,
  listeners: Listeners,
  signal: AbortSignal,
): Promise<Connection> {
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "talaria", version },
    {
      capabilities: settings.elicitation ? { elicitation: { form: {} } } : {},
      // Nobody but the model reads what a tool returns, and it can read what does not fit.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  const over = Promise.withResolvers<string>();
  let open = true;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  client.onclose = () => {
    open = false;
    over.resolve(link.failureDetail());
  };
  client.setNotificationHandler("notifications/tools/list_changed", () => listeners.onToolsChanged());
  if (settings.elicitation)
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) =>
      listeners.onElicit(params, mcpReq.signal),
    );
  await client.connect(link.transport, { signal, timeout });
  const capabilities = client.getServerCapabilities() ?? {};
  return {
    isOpen: () => open,
    over: over.promise,
    async list(stop) {
      const tools: unknown[] = [];
      let cursor: string | undefined;
      for (let pages = 0; capabilities.tools !== undefined && pages < maxPages; pages += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const found = await client.request({ method: "tools/list", params }, page, { signal: stop, timeout });
        tools.push(...found.tools);
        if (found.nextCursor === undefined || found.nextCursor === cursor) break;
        cursor = found.nextCursor;
      }
      return readOffer(tools, utilitiesOf(capabilities));
    },
    request: (method, params, options) =>
      client.request({ method, params }, anything, { ...options, timeout }),
    async [Symbol.asyncDispose]() {
      open = false;
      await link[Symbol.asyncDispose]();
      await client.close().catch(() => {});
    },
  };
}

type Trial = ConnectionDeps & { readonly limitMs: number; readonly signal: AbortSignal };

/** Starts a server, asks for its tools and ends it. Nothing is kept. `why` goes after "it". */
export async function tryServer(
  settings: ServerSettings,
  { limitMs, signal, ...deps }: Trial,
): Promise<{ readonly tools: number } | { readonly why: string }> {
  try {
    const bounded = { ...settings, connectMs: Math.min(settings.connectMs, limitMs) };
    const listeners = { onToolsChanged: () => {}, onElicit: async () => ({ action: "decline" as const }) };
    await using connection = await openConnection(bounded, deps, listeners, signal);
    const { tools } = await connection.list(signal);
    return { tools: tools.length };
  } catch (error) {
    return { why: troubleOf(error).message };
  }
}
