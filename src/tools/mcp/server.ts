import { untilStopped } from "../../lib/time-limit.ts";
import type { ProgressCallback } from "@modelcontextprotocol/client";
import type { Json } from "../../core/json.ts";
import type { ToolContext } from "../tool.ts";
import { callTimer } from "./call-timer.ts";
import type { Offer } from "./definition.ts";
import { type CallInFlight, type CallsInFlight, callsInFlight } from "./calls-in-flight.ts";
import { type LiveServer, type ServerDeps, ServerLife, type ServerState } from "./server-life.ts";
import type { ServerSettings } from "./settings.ts";
import { McpTrouble, troubleOf } from "./trouble.ts";

/** One server of the settings: started when it is needed, started anew when it is gone, ended when nobody needs it. */
export type McpServer = AsyncDisposable & {
  readonly settings: ServerSettings;
  state(): ServerState;
  /** What it offers, as it said last in this process. */
  offer(): Offer | undefined;
  /** Starts it unless it runs. Rejects with `McpTrouble`, or with the signal's reason. */
  start(signal: AbortSignal): Promise<void>;
  /** Rejects with `McpTrouble`, or with the signal's reason after Stop. What may have arrived is never asked again. */
  request(asked: ServerRequest, context: ToolContext): Promise<Reply>;
  /** Ends it. It may begin again, and earlier failures do not count. */
  stop(): Promise<void>;
};

export type ServerRequest = {
  readonly method: string;
  readonly params: { readonly [key: string]: Json };
  /** Called when the server runs, right before the request is sent. Rejects with `McpTrouble` to prevent it. */
  readonly check: () => Promise<void>;
};

export type Reply = {
  readonly result: { readonly [key: string]: unknown };
  /** Each a sentence of ours. */
  readonly remarks: readonly string[];
};

export function mcpServer(settings: ServerSettings, deps: ServerDeps): McpServer {
  const inFlight = callsInFlight(settings.name);
  const life = new ServerLife(settings, deps, inFlight.answer);
  const request = async (asked: ServerRequest, context: ToolContext): Promise<Reply> => {
    const live = await untilStopped(life.begin(), context.signal);
    await asked.check();
    life.stopIdleTimer();
    try {
      return await ask(live, asked, { settings, deps, life, inFlight, context });
    } finally {
      if (inFlight.size === 0) life.startIdleTimer();
    }
  };
  return {
    settings,
    state: () => life.state,
    offer: () => life.offer,
    async start(signal) {
      await untilStopped(life.begin(), signal);
    },
    async request(asked, context) {
      try {
        return await request(asked, context);
      } catch (error) {
        // The server has forgotten the session, and so has done nothing: the one case in which asking again is safe.
        if (!(error instanceof McpTrouble) || !error.isStale) throw error;
        return await request(asked, context);
      }
    },
    async stop() {
      await life.end();
      life.renew();
    },
    [Symbol.asyncDispose]: () => life.end(),
  };
}

type CallScope = {
  readonly settings: ServerSettings;
  readonly deps: ServerDeps;
  readonly life: ServerLife;
  readonly inFlight: CallsInFlight;
  readonly context: ToolContext;
};

async function ask(live: LiveServer, { method, params }: ServerRequest, scope: CallScope): Promise<Reply> {
  const { settings, deps, life, inFlight, context } = scope;
  const { connection } = live;
  const { timeoutMs } = settings;
  using timer = callTimer(deps.clock, timeoutMs);
  const call: CallInFlight = { context, timer, remarks: [] };
  using registered = inFlight.add(call);
  const signal = AbortSignal.any([context.signal, timer.signal]);
  try {
    const result = await connection.request(method, params, { signal, ...progressTo(context) });
    return { result, remarks: registered.remarks };
  } catch (error) {
    context.signal.throwIfAborted();
    if (timer.signal.aborted) throw tooSlow(timeoutMs);
    const trouble = troubleOf(error, connection.isOpen() ? "" : await connection.over);
    if (trouble.isFinal) life.drop(live, trouble.message);
    throw trouble.isFinal && !trouble.isStale ? mayHaveHappened(trouble) : trouble;
  }
}

const progressTo = ({ progress: show }: ToolContext): { readonly onprogress?: ProgressCallback } =>
  show === undefined
    ? {}
    : {
        onprogress: ({ progress, total, message }) =>
          show(`${message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`}\n`),
      };

const tooSlow = (ms: number): McpTrouble =>
  new McpTrouble(
    `did not answer within ${ms / 1000} s and was told to stop. Part of what was asked may have happened`,
  );

const mayHaveHappened = (trouble: McpTrouble): McpTrouble =>
  new McpTrouble(
    `${trouble.message}. It was not asked again, because part of it may have happened. The next call starts it anew`,
    { cause: trouble },
  );
