import type { AdapterHealth, ChatEvent, ChatPress } from "../../../core/gateway/chat.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Calls } from "./calls.ts";
import { makeConnection } from "./connection.ts";
import type { SentTrace } from "./found-message.ts";
import { makeHistory } from "./history.ts";
import { Intake } from "./intake.ts";
import { eventOf, pressHandle, type Reading } from "./parse.ts";
import { makePlaces } from "./places.ts";
import { deferPress } from "./presses.ts";
import { isSnowflake } from "./snowflake.ts";

export type ReceivingDeps = {
  readonly token: string;
  readonly api: string;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly calls: Calls;
  readonly trace: SentTrace;
  account(): string;
  readonly take: (event: ChatEvent) => Promise<void>;
  readonly seen: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
};

/** The way from the gateway to `take`. */
export type Receiving = {
  /** Until it is connected. Rejects with a Refusal. */
  open(): Promise<void>;
  /** The bot takes part in this chat. */
  know(chat: string, from: string): void;
  health(): AdapterHealth;
  close(): void;
};

const lookAgainMs = 5 * 60_000;
const rememberedPresses = 500;

export function receive(deps: ReceivingDeps): Receiving {
  const { clock, log, calls, take, signal } = deps;
  const places = makePlaces(deps.account);
  const history = makeHistory({ calls, clock, places });
  const reading = (): Reading => ({ account: deps.account(), botRoles: places.botRoles, place: places.get });
  const intake = new Intake({ clock, log, history, reading, take, signal });
  const pressed = new Set<string>();
  let eventAt: number | undefined;

  const onPress = (press: ChatPress): void => {
    const handle = pressHandle(press.press);
    if (pressed.has(handle.id)) return;
    pressed.add(handle.id);
    if (pressed.size > rememberedPresses) pressed.delete([...pressed][0] ?? "");
    void deferPress(calls, clock, handle, signal).then(
      (why) => why !== undefined && log(`discord: a press could not be acknowledged: ${why}`),
      () => {}, // all this ends
    );
    intake.press(press);
  };
  const onEvent = (event: ChatEvent): void => {
    if (event.kind === "other") return void take(event).catch(() => {}); // it is only counted
    if (!event.from.isBot) eventAt = clock.now();
    if (event.kind === "press") return onPress(event);
    intake.message(event);
  };
  const connection = makeConnection({
    ...deps,
    said(type, data) {
      places.learn(type, data);
      if (type === "MESSAGE_CREATE") deps.trace.heard(data);
      const event = eventOf(type, data, reading());
      if (event !== undefined) onEvent(event);
    },
    lost() {
      intake.online(false);
      intake.missed();
    },
    joined: () => intake.online(true),
    skipped: () => intake.missed(),
  });

  return {
    async open() {
      for (const [chat, last] of deps.seen) {
        if (isSnowflake(chat) && isSnowflake(last)) intake.know(chat, last).take(last);
      }
      intake.missed();
      await connection.open();
      void everySoOften(clock, () => intake.lookAgain(), signal);
    },
    know: (chat, from) => void intake.know(chat, from),
    health: () => ({ ...connection.health(), ...(eventAt === undefined ? {} : { eventAt }) }),
    close: () => connection.close(),
  };
}

async function everySoOften(clock: Clock, job: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(lookAgainMs, signal).catch(() => {}); // all this ends
    if (!signal.aborted) job();
  }
}
