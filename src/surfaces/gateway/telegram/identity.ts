import { Refusal } from "../../../core/host.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Calls } from "./calls.ts";
import { tokenAdvice, whyOf } from "./failures.ts";
import { integer, text, type TelegramBot } from "./wire.ts";

const [tries, callMs, pauseMs, longestPauseMs] = [3, 20_000, 2_000, 60_000];

/** Who the bot is. Rejects with a Refusal if the token is wrong, or Telegram is not reached after some tries, each of which is told. */
export async function identify(
  calls: Calls,
  clock: Clock,
  signal: AbortSignal,
  failed: (why: string) => void,
): Promise<TelegramBot> {
  for (let left = tries - 1; ; left -= 1) {
    const asked = await calls.run((api, stop) => api.getMe(stop), { signal, ms: callMs });
    if ("answer" in asked) return botOf(asked.answer);
    const { failure } = asked;
    if (failure.kind === "token")
      throw new Refusal("auth", "Telegram does not accept the bot token.", tokenNext);
    if (left === 0 || signal.aborted) {
      throw new Refusal("network", `Telegram cannot be reached. ${whyOf(failure)}`, networkNext);
    }
    failed(`Telegram cannot be reached. ${whyOf(failure)} It is tried again.`);
    calls.drop();
    await clock
      .sleep(failure.kind === "held" ? Math.min(failure.ms, longestPauseMs) : pauseMs, signal, { hold: true })
      .catch(() => {});
  }
}

const tokenNext = tokenAdvice.replace(/^.*?\. /, "");
const networkNext =
  "Check the connection to the internet, and the setting gateway.telegram.api if it is set.";

function botOf(user: unknown): TelegramBot {
  const { id, username } = user as { readonly id?: unknown; readonly username?: unknown };
  const [known, name] = [integer(id), text(username)];
  if (known !== undefined && name !== undefined) return { id: known, username: name };
  throw new Refusal("protocol", "Telegram did not say who the bot is.", networkNext);
}
