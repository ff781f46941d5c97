import type { BehindDoor, Entrance } from "../../core/serving/door.ts";
import type { Platform } from "../../core/gateway/chat.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { type Bot, openBot } from "./bot.ts";
import { type WantedBot, wantedBots } from "./platforms.ts";
import { notices } from "./notices.ts";

export type OpenGateway = Pick<BehindDoor, "host"> & {
  readonly log?: BehindDoor["log"];
  readonly clock?: Clock;
  /** Instead of those that the settings name. */
  readonly bots?: readonly WantedBot[];
};

/** Lets people in from chat apps. `undefined`: the settings name none. */
export async function openGateway({
  host,
  log = () => {},
  clock = systemClock,
  bots: given,
}: OpenGateway): Promise<Entrance | undefined> {
  const { gateway } = host;
  const tell = (text: string): void => log("gateway", { text });
  const tellAll: BehindDoor["log"] = (event, fields) =>
    tell(fields === undefined ? event : `${event} ${JSON.stringify(fields)}`);
  const wanted = given ?? (await wantedBots(gateway, { clock, log: tellAll }));
  if (wanted.length === 0) return undefined;
  const bots: Bot[] = [];
  const find = (surface: Platform): Bot | undefined => bots.find((bot) => bot.surface === surface);
  const shared = {
    host,
    gateway,
    adapterOf: (surface: Platform) => find(surface)?.adapter(),
    clock,
    log: tell,
  };
  await using open = new AsyncDisposableStack();
  for (const bot of wanted) bots.push(open.use(openBot({ ...shared, ...bot })));
  const telling = notices({ ...shared, accountOf: (surface) => find(surface)?.identity()?.account });
  open.defer(() => telling.settled());
  open.defer(telling.stop);
  open.defer(
    gateway.report({
      receive(surface, posted) {
        const adapter = bots.find((bot) => bot.surface === surface)?.adapter();
        return adapter?.receiveHttp?.(posted);
      },
      bots: () => bots.map((bot) => ({ surface: bot.surface, ...bot.identity(), ...bot.health() })),
    }),
  );
  const owned = open.move();
  return {
    attached: () => 0,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
