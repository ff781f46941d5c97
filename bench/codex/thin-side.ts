import { ourOpening } from "./our-opening.ts";
import { type Place, launchIn, modelName } from "./place.ts";
import type { Side } from "./side.ts";
import { type ThinDriver, thinDriver } from "./thin-driver.ts";

/** Asks of codex as little as it can. */
export async function thinSide(place: Place): Promise<Side> {
  const driver = await thinDriver(launchIn(place));
  return sideOf(driver, { cwd: place.cwd, model: modelName });
}

/** As thin, but codex is told what Talaria tells it: what that costs is codex's and not ours. */
export async function equalSide(place: Place): Promise<Side> {
  const { capabilities, thread } = await ourOpening(place);
  return sideOf(await thinDriver(launchIn(place), capabilities), thread);
}

function sideOf(driver: ThinDriver, start: object): Side {
  const threads = new Map<number, Promise<string>>();
  const threadOf = (session: number): Promise<string> => {
    const thread = threads.get(session) ?? driver.startThread(start);
    threads.set(session, thread);
    return thread;
  };
  return {
    async turn(session) {
      const { asked, started, text, ended, status } = await driver.turn(await threadOf(session), "go on");
      return {
        startedMs: started - asked,
        textMs: text - asked,
        endedMs: ended - asked,
        afterMs: 0,
        done: status === "completed",
      };
    },
    codex: () => driver.pid,
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}
