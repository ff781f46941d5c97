import { parsedJson } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import { hashOf, isSecretOf } from "../../../lib/secret.ts";
import type { Calls } from "./calls.ts";
import { tokenAdvice, whyOf } from "./failures.ts";
import type { Health } from "./health.ts";
import type { Intake } from "./intake.ts";
import { allowedUpdates } from "./polling.ts";

export type WebhookSettings = { readonly url: string; readonly secret: string };

export type Watched = {
  readonly webhook: WebhookSettings;
  readonly calls: Calls;
  readonly health: Health;
  readonly clock: Clock;
  readonly over: AbortSignal;
};

const lookMs = 60_000;
const callMs = 30_000;
const recentMs = 120_000;

/** Sees to it that Telegram delivers to our address, and asks it again and again whether it can, until it is over. */
export async function watchWebhook({ webhook, calls, health, clock, over }: Watched): Promise<void> {
  const limits = { signal: over, ms: callMs };
  const set = () =>
    calls.run(
      (api, stop) =>
        api.setWebhook(
          // One at a time, so that they come in order.
          {
            url: webhook.url,
            secret_token: webhook.secret,
            max_connections: 1,
            allowed_updates: [...allowedUpdates],
          },
          stop,
        ),
      limits,
    );
  const look = async (): Promise<string | undefined> => {
    const asked = await calls.run((api, stop) => api.getWebhookInfo(stop), limits);
    if ("failure" in asked) return asked.failure.kind === "token" ? tokenAdvice : whyOf(asked.failure);
    const {
      url,
      pending_update_count: waiting,
      last_error_date: at = 0,
      last_error_message: why,
    } = asked.answer;
    if (url !== webhook.url) {
      health.restarted();
      const done = await set();
      if ("failure" in done) return whyOf(done.failure);
    }
    if (waiting > 0 && clock.now() - at * 1000 < recentMs) {
      return `Telegram cannot deliver to the webhook: ${why ?? "it does not say why"}. Check that its address is reachable from outside.`;
    }
    health.received();
    return undefined;
  };
  while (!over.aborted) {
    const trouble = await look();
    if (trouble === undefined) health.connected();
    if (trouble !== undefined) health.trouble(trouble === tokenAdvice ? "failed" : "recovering", trouble);
    await clock.sleep(lookMs, over).catch(() => {});
  }
}

/**
 * What Telegram posts, answered with a status. `read`: reads the body, within the door's limit, and is called only when the secret is right,
 * which takes the same time whatever was given.
 */
export async function takeWebhook(
  { secret }: WebhookSettings,
  given: string | undefined,
  read: () => Promise<string>,
  intake: Intake | undefined,
  health: Health,
): Promise<number> {
  if (!isSecretOf(hashOf(secret), given ?? "")) return 401;
  if (intake === undefined) return 503;
  const update = parsedJson(await read());
  if (update === undefined) return 400;
  health.received();
  // Anything but 200 makes Telegram deliver it again.
  return (await intake(update)) ? 200 : 503;
}
