import type { Adapter, BotIdentity } from "../../../core/gateway/chat.ts";
import { Refusal } from "../../../core/host.ts";
import type { ServeLog } from "../../../core/serving/door.ts";
import type { Clock } from "../../../lib/clock.ts";
import { noLongerNeeded } from "../../../lib/no-longer-needed.ts";
import { type Calls, defaultApi, telegramCalls } from "./calls.ts";
import { fetchFile } from "./fetch-file.ts";
import { type Health, newHealth } from "./health.ts";
import { identify } from "./identity.ts";
import { type Intake, newIntake } from "./intake.ts";
import { poll } from "./polling.ts";
import { render, renderQuestion } from "./render.ts";
import { callMs, edit, remove, send } from "./sending.ts";
import { chatId, threadOf } from "./target.ts";
import { takeWebhook, watchWebhook, type WebhookSettings } from "./webhook.ts";

export type TelegramDeps = {
  readonly token: string;
  /** Another address than Telegram's own. */
  readonly api?: string;
  readonly clock: Clock;
  readonly log: ServeLog;
  /** Telegram delivers there; missing: it is polled. */
  readonly webhook?: WebhookSettings;
};

export type TelegramAdapter = Adapter & {
  /** What was posted to the webhook, answered with a status. `read` is called only if the secret of the header is right. */
  handleWebhook(secret: string | undefined, read: () => Promise<string>): Promise<number>;
};

const typingMs = 5_000;
const longestNotice = 200;

export function telegramAdapter(deps: TelegramDeps): TelegramAdapter {
  const { clock, webhook } = deps;
  const over = new AbortController();
  const health = newHealth(clock);
  // What is received has connections of its own, which are given up when it fails.
  const [inbound, outbound] = [0, 1].map(() => telegramCalls({ ...deps, api: deps.api ?? defaultApi })) as [
    Calls,
    Calls,
  ];
  const ours = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, over.signal]);
  let intake: Intake | undefined;
  let receiving: Promise<void> | undefined;

  return {
    surface: "telegram",
    async start(take) {
      if (receiving !== undefined)
        throw new Refusal("bug", "The Telegram adapter was started twice.", "Please report this.");
      const self = await identify(inbound, clock, over.signal, (why) => health.trouble("starting", why));
      intake = newIntake({ ...deps, self, take, health, over: over.signal });
      receiving = receive({ deps, calls: inbound, intake, health, over: over.signal });
      return { account: String(self.id), name: self.username } satisfies BotIdentity;
    },
    render,
    renderQuestion,
    send: (to, sending, signal) => send(outbound, to, sending, ours(signal)),
    edit: (to, messageId, part, signal) => edit(outbound, to, messageId, part, ours(signal)),
    remove: (to, messageId, signal) => remove(outbound, to, messageId, ours(signal)),
    async typing(to, signal) {
      await outbound.run(
        (api, stop) => api.sendChatAction({ chat_id: chatId(to), ...threadOf(to), action: "typing" }, stop),
        { signal: ours(signal), ms: typingMs },
      );
    },
    async acknowledge(press, text, signal) {
      const notice = text.slice(0, longestNotice).toWellFormed();
      await outbound.run(
        (api, stop) => api.answerCallbackQuery({ callback_query_id: press, text: notice }, stop),
        {
          signal: ours(signal),
          ms: callMs,
        },
      );
    },
    fetchFile: (file, most, signal) => fetchFile(outbound, file, most, ours(signal)),
    health: () => health.read(),
    async handleWebhook(secret, read) {
      return webhook === undefined ? 404 : await takeWebhook(webhook, secret, read, intake, health);
    },
    async [Symbol.asyncDispose]() {
      over.abort(noLongerNeeded);
      health.stopped();
      await receiving;
      for (const calls of [inbound, outbound]) calls[Symbol.dispose]();
    },
  };
}

async function receive(receiving: {
  readonly deps: TelegramDeps;
  readonly calls: Calls;
  readonly intake: Intake;
  readonly health: Health;
  readonly over: AbortSignal;
}): Promise<void> {
  const { webhook, clock, log } = receiving.deps;
  if (webhook === undefined) return await poll({ ...receiving, clock, log });
  await watchWebhook({ ...receiving, webhook, clock });
}
