import type { Platform } from "../../src/core/gateway/chat.ts";
import type { Platforms } from "./chats.ts";

export type PostFault = { readonly surface: Platform; readonly isDone: boolean; readonly times: number };

/**
 * The platform is about to be asked to show messages. It answers to all of them but one, which it shows (`isDone`) or not. Resolves when it was
 * asked for that one.
 */
export async function unheardPost(
  { surface, isDone, times }: PostFault,
  { telegram, slack, discord }: Platforms,
): Promise<void> {
  switch (surface) {
    case "telegram":
      return unheardCall(telegram.faults, "sendMessage", { isDone, times });
    case "slack":
      return unheardCall(slack.faults, "chat.postMessage", { isDone, times });
    case "discord":
      return discordPost(discord, isDone, times);
  }
}

/** What Telegram and Slack have in common. */
type HangingFaults = {
  decide(choose: (method: string) => { readonly kind: "hang"; readonly done: boolean } | undefined): void;
  none(): void;
};

async function unheardCall(
  faults: HangingFaults,
  posting: string,
  { isDone, times }: Pick<PostFault, "isDone" | "times">,
): Promise<void> {
  let left = times;
  const struck = Promise.withResolvers<void>();
  faults.decide((method) => {
    if (method !== posting) return undefined;
    left -= 1;
    if (left !== 0) return undefined;
    setImmediate(struck.resolve);
    return { kind: "hang", done: isDone };
  });
  await struck.promise;
  faults.none();
}

async function discordPost(fake: Platforms["discord"], isDone: boolean, times: number): Promise<void> {
  let left = times;
  const struck = Promise.withResolvers<void>();
  const end = fake.faults.on(
    ({ method, path }) => {
      if (method !== "POST" || !/^\/channels\/\d+\/messages$/.test(path)) return false;
      left -= 1;
      if (left === 0) setImmediate(struck.resolve);
      return left === 0;
    },
    { kind: isDone ? "hang after" : "hang" },
  );
  await struck.promise;
  end();
}
