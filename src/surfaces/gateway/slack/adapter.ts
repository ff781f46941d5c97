import type { Adapter, AdapterHealth, ChatEvent } from "../../../core/gateway/chat.ts";
import { Refusal } from "../../../core/host.ts";
import type { ServeLog } from "../../../core/serving/door.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withinTime } from "../../../lib/time-limit.ts";
import { type Call, defaultApi, slackCalls } from "./calls.ts";
import { slackDownload } from "./downloads.ts";
import type { HttpEvents } from "./http-events.ts";
import { whyOf } from "./failures.ts";
import { escaped } from "./mrkdwn.ts";
import { pressPlace } from "./parse.ts";
import { patient } from "./patience.ts";
import { type Receiving, slackReceiving } from "./receiving.ts";
import { renderAsQuestion, renderParts } from "./render.ts";
import { slackSending } from "./sending.ts";
import { signIn } from "./sign-in.ts";

/** `appToken`: events come over a socket. `signingSecret`: Slack brings them by HTTP, to `receive`. */
export type SlackDeps = {
  readonly botToken: string;
  readonly appToken?: string;
  readonly signingSecret?: string;
  readonly api?: string;
  readonly clock: Clock;
  readonly log: ServeLog;
};

export type SlackAdapter = Adapter & {
  /** For the door over HTTP, when Slack brings events that way. */
  receive: HttpEvents;
};

/** How long the end waits for what is being stored. */
const closeMs = 5000;

export function slackAdapter(deps: SlackDeps): SlackAdapter {
  const { clock, log, api = defaultApi, botToken } = deps;
  const over = new AbortController();
  const call = slackCalls({ token: botToken, api, clock, log, over: over.signal });
  let receiving: Receiving | undefined;
  let failed: string | undefined;
  let troubled: string | undefined;
  const noted: Call = async (...asked) => {
    const answered = await call(...asked);
    troubled = "failure" in answered ? `${whyOf(answered.failure)} It is tried again.` : undefined;
    return answered;
  };
  const sending = slackSending({ call, clock, company: () => receiving?.company });

  async function start(take: (event: ChatEvent) => Promise<void>, seen: ReadonlyMap<string, string>) {
    if (deps.appToken === undefined && deps.signingSecret === undefined) throw noWayIn();
    const { self, lacking } = await signIn(patient(noted, clock, over.signal, 3));
    if (lacking.length > 0) log("slack: the app lacks scopes", { scopes: lacking.join(", ") });
    receiving = slackReceiving({ ...deps, api, call, self, lacking, over: over.signal }, take, seen);
    await receiving.start();
    return { account: self.account, name: self.name };
  }

  return {
    surface: "slack",
    async start(take, seen) {
      try {
        return await start(take, seen);
      } catch (error) {
        failed = error instanceof Error ? error.message : String(error);
        throw error;
      }
    },
    render: renderParts,
    renderQuestion: renderAsQuestion,
    ...sending,
    async typing() {}, // Slack has no such sign for bots
    acknowledge: (press, text, signal) => acknowledge(call, press, text, signal),
    fetchFile: slackDownload({ call, clock, token: botToken, api }),
    health: () => (over.signal.aborted ? { ...healthOf(), state: "stopped" } : healthOf()),
    receive: async (request) => (await receiving?.receive(request)) ?? { status: 503, body: "not started" },
    async [Symbol.asyncDispose]() {
      over.abort(new Error("the Slack adapter is closed"));
      await withinTime(closeMs, clock, new AbortController().signal, async () => receiving?.stopped());
    },
  };

  function healthOf(): AdapterHealth {
    if (failed !== undefined) return { state: "failed", restarts: 0, detail: failed };
    const starting = {
      state: "starting",
      restarts: 0,
      ...(troubled === undefined ? {} : { detail: troubled }),
    } as const;
    return receiving?.health() ?? starting;
  }
}

const noWayIn = (): Refusal =>
  new Refusal(
    "config",
    "Slack has no way to bring messages: there is neither an app token nor a signing secret.",
    "Set the variable of gateway.slack.app_token_env (Socket Mode), or that of gateway.slack.signing_secret_env (HTTP).",
  );

/** The press itself is acknowledged by its envelope; what is said about it is seen by whoever pressed. */
async function acknowledge(call: Call, press: string, text: string, signal: AbortSignal): Promise<void> {
  const place = pressPlace(press);
  if (place === undefined || text === "") return;
  const { channel, user, thread } = place;
  await call("chat.postEphemeral", { channel, user, text: escaped(text), thread_ts: thread }, { signal });
}
