import type { AdapterHealth, ChatEvent } from "../../../core/gateway/chat.ts";
import type { ServeLog } from "../../../core/serving/door.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Call } from "./calls.ts";
import { type CatchUp, slackCatchUp } from "./catch-up.ts";
import { type Company, slackCompany } from "./company.ts";
import { type HttpEvents, httpEvents } from "./http-events.ts";
import type { SlackIdentity } from "./identity.ts";
import { slackIntake } from "./intake.ts";
import { type Line, keepLine } from "./line.ts";
import { newMarks } from "./marks.ts";
import { appToken as appTokenNext, refusalOf } from "./sign-in.ts";
import { SocketFailure, openSocket } from "./socket.ts";

/** All that comes in: over a socket that is kept alive, or by HTTP, and what was missed. */
export type Receiving = {
  readonly company: Company;
  readonly receive: HttpEvents;
  /** Rejects with a Refusal. */
  start(): Promise<void>;
  health(): AdapterHealth;
  /** Resolves when nothing more is handed over. */
  stopped(): Promise<void>;
};

type Deps = {
  readonly appToken?: string;
  readonly signingSecret?: string;
  readonly api: string;
  readonly clock: Clock;
  readonly log: ServeLog;
  readonly call: Call;
  readonly self: SlackIdentity;
  readonly lacking: readonly string[];
  readonly over: AbortSignal;
};

const sweepMs = 10 * 60_000;

export function slackReceiving(
  deps: Deps,
  take: (event: ChatEvent) => Promise<void>,
  seen: ReadonlyMap<string, string>,
): Receiving {
  const { clock, log, call, self, over } = deps;
  const last: { eventAt?: number; receivedAt?: number; detail?: string } = {};
  const [company, marks] = [slackCompany(call, clock, self), newMarks(seen)];
  const intake = slackIntake({
    self,
    company,
    marks,
    missed: (channel) => catchUp.soon(channel),
    async take(event) {
      if (event.kind !== "other") last.eventAt = clock.now();
      await take(event);
    },
  });
  const catchUp: CatchUp = slackCatchUp({ call, clock, log, marks, intake, over });
  const line = lineOf(deps, intake.hand, (isGap) => (isGap ? catchUp.everywhere() : catchUp.lately()));

  return {
    company,
    receive: httpDoor(deps, intake.hand, last),
    async start() {
      await line?.start().catch((error: unknown) => {
        throw error instanceof SocketFailure ? refusalOf(error.failure, appTokenNext) : error;
      });
      if (line === undefined) catchUp.everywhere();
      void sweep(catchUp, clock, over);
    },
    health: () => ({
      ...(line?.health() ?? { state: "connected" as const, restarts: 0 }),
      ...withDetail(deps.lacking, line?.health().detail ?? last.detail),
      ...(line === undefined && last.receivedAt !== undefined ? { receivedAt: last.receivedAt } : {}),
      ...(last.eventAt === undefined ? {} : { eventAt: last.eventAt }),
    }),
    async stopped() {
      await line?.stopped();
      await intake.lanes.drain();
    },
  };
}

/** Without a token of the app there is none. */
function lineOf(
  { appToken, api, clock, log, over }: Deps,
  handed: ReturnType<typeof slackIntake>["hand"],
  connected: (isGap: boolean) => void,
): Line | undefined {
  if (appToken === undefined) return undefined;
  return keepLine({
    clock,
    log,
    over,
    handed,
    connected,
    open: (events, signal) => openSocket({ appToken, api, log }, events, signal),
  });
}

function httpDoor(
  { signingSecret, clock }: Deps,
  handed: ReturnType<typeof slackIntake>["hand"],
  last: { receivedAt?: number; detail?: string },
): HttpEvents {
  if (signingSecret === undefined) return async () => ({ status: 404, body: "Slack is not expected here" });
  return httpEvents({
    secret: signingSecret,
    clock,
    handed,
    alive() {
      last.receivedAt = clock.now();
      delete last.detail;
    },
    skewed: (seconds) =>
      void (last.detail = `A request of Slack was ${seconds} s off the clock of this machine. Set the clock.`),
  });
}

async function sweep(catchUp: CatchUp, clock: Clock, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await clock.sleep(sweepMs, over).catch(() => {}); // it is over
    if (!over.aborted) catchUp.lately();
  }
}

function withDetail(lacking: readonly string[], detail?: string): { readonly detail?: string } {
  if (detail !== undefined) return { detail };
  return lacking.length === 0 ? {} : { detail: `The Slack app lacks the scopes ${lacking.join(", ")}.` };
}
