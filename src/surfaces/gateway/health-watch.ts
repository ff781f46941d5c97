import type { Adapter, AdapterHealth } from "../../core/gateway/chat.ts";
import { counted, sentence } from "../../core/plain-text.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { type BotParts, say } from "./bot-parts.ts";
import { ownersChat } from "./owners-chat.ts";

/** Nothing heard for so long is out of order, whatever can still be sent. */
const deafMs = 120_000;
const lookMs = 15_000;

/** Why it is out of order; `undefined`: it is not. */
export function troubleOf({ state, receivedAt, detail }: AdapterHealth, now: number): string | undefined {
  if (state === "stopped" || state === "starting") return undefined;
  const silence = receivedAt === undefined ? undefined : now - receivedAt;
  const isDeaf = silence !== undefined && silence > deafMs;
  if (state === "connected" && !isDeaf) return undefined;
  const heard =
    silence === undefined
      ? "nothing was received yet"
      : `nothing was received for ${counted(Math.round(silence / 60_000), "minute")}`;
  return detail ?? heard;
}

/** The owner hears on another surface when a bot is out of order, once each time. */
export function watchHealth(
  parts: Omit<BotParts, "adapter"> & { readonly adapter: Pick<Adapter, "surface" | "health"> },
): Disposable {
  const { adapter, clock, gateway, log } = parts;
  const over = new AbortController();
  let since: number | undefined;
  let isTold = false;
  const look = async (): Promise<void> => {
    const now = clock.now();
    const trouble = troubleOf(adapter.health(), now);
    if (trouble === undefined) {
      if (isTold) log(`${adapter.surface} works again`);
      [since, isTold] = [undefined, false];
      return;
    }
    since ??= now;
    // It mostly recovers by itself, and sooner than anybody could do something about it.
    if (isTold || (now - since < deafMs && adapter.health().state !== "failed")) return;
    isTold = true;
    // What has failed for good waits for a person, and its reason says what to do.
    const andNow = adapter.health().state === "failed" ? "" : " It goes on trying.";
    const text = `The ${adapter.surface} bot is out of order: ${sentence(trouble)}${andNow} \`talaria gateway status\` says more.`;
    log(text);
    const elsewhere = await ownersChat(parts, adapter.surface);
    if (elsewhere !== undefined) await say(parts, elsewhere, text);
    else await gateway.alert(`${adapter.surface} ${since}`, text);
  };
  void (async () => {
    while (!over.signal.aborted) {
      await clock.sleep(lookMs, over.signal).catch(() => {});
      if (!over.signal.aborted)
        await look().catch((error: unknown) => log(`health of ${adapter.surface}: ${String(error)}`));
    }
  })();
  return { [Symbol.dispose]: () => over.abort(noLongerNeeded) };
}
