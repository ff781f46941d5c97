import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { BehindDoor } from "../../core/serving/door.ts";
import type { Clock } from "../../lib/clock.ts";
import { readServeFile } from "./place.ts";

/** Where it is, and which file it is there. */
export type OwnSocket = { readonly path: string; readonly ino: number };

type Where = {
  readonly home: string;
  readonly run: string;
  readonly token: string;
  readonly socket: () => OwnSocket;
};

type Ways = Pick<BehindDoor, "log" | "end"> & {
  /** Makes the socket and its file once more. */
  readonly renew: () => Promise<void>;
  readonly clock: Clock;
};

/** How often it is looked. */
const lookMs = 2000;

/**
 * Whoever removes the socket, its file or their folder would leave a host that nobody finds and that keeps every other one from
 * starting. They are made again, and that is said; without its home a host ends.
 */
export function keepFindable(where: Where, { log, end, renew, clock }: Ways): AsyncDisposable {
  const over = new AbortController();
  const { home } = where;
  let said = "";
  const say = (text: string, error?: unknown): void => {
    const line = { text, ...(error === undefined ? {} : { error: String(error) }) };
    if (JSON.stringify(line) !== said) log("socket", line);
    said = error === undefined ? "" : JSON.stringify(line);
  };
  const keep = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(lookMs, over.signal);
      const missing = await missingOf(where);
      if (missing === undefined) continue;
      if (missing === home) return end?.(`The home ${home} is not there any more.`);
      await renew().then(
        () => say(`${missing} was taken away. It is there again.`),
        (error: unknown) => say(`${missing} was taken away, and cannot be made again.`, error),
      );
    }
  };
  const kept = keep().catch(() => {}); // it is closed
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await kept;
    },
  };
}

/** What another host has put there is that one's: the lease says who of the two goes on. */
async function missingOf({ home, run, token, socket }: Where): Promise<string | undefined> {
  const { path, ino } = socket();
  for (const folder of [home, run]) if ((await inodeOf(folder)) === undefined) return folder;
  const file = await readServeFile(run);
  if (file === undefined) return join(run, "serve.json");
  return file.token === token && (await inodeOf(path)) !== ino ? path : undefined;
}

const inodeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ ino }) => ino,
    () => undefined,
  );
