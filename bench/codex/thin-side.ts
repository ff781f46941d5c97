import { residentMiB } from "./memory.ts";
import { type Place, launchIn, modelName } from "./place.ts";
import type { Side } from "./side.ts";
import { thinDriver } from "./thin-driver.ts";

export async function thinSide(place: Place): Promise<Side> {
  const driver = await thinDriver(launchIn(place));
  const threads = new Map<number, Promise<string>>();
  const threadOf = (session: number): Promise<string> => {
    const thread = threads.get(session) ?? driver.startThread({ cwd: place.cwd, model: modelName });
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
    memory: async () => ({
      ownMiB: await residentMiB(process.pid),
      codexMiB: await residentMiB(driver.pid),
    }),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}
