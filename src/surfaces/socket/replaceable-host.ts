import { type OpenClient, Refusal } from "../../core/host.ts";
import { PeerClosedError } from "../../lib/rpc/rpc-peer.ts";
import type { SocketClient } from "./client.ts";

/** A host that may go, and another one in its place. */
export type ReplaceableHost = AsyncDisposable & {
  current(): Promise<OpenClient>;
  /** Whoever notices first that it is lost opens another one, for all. */
  replace(lost: OpenClient): Promise<OpenClient>;
  /**
   * Once more with the next host: when the first one goes meanwhile, unless this may be done `once` only, and when it is being stopped
   * and has not taken it. `isAgain`: it is not the first one.
   */
  attempt<Value>(
    work: (client: OpenClient, isAgain: boolean) => Promise<Value>,
    times?: "once",
  ): Promise<Value>;
  /** Somebody follows a session, and is told there that its host has gone. */
  followed(): Disposable;
  /** Somebody waits for a turn, and can stop it where it runs: nobody moves on from there because it is being stopped. */
  waited(): Disposable;
  /** What has become of it. */
  gone(): string;
  /** Of all sessions, from before anything was asked. */
  readonly cursor: string;
  isClosed(): boolean;
};

export type Again = {
  /** Opens another one. */
  readonly open: () => Promise<OpenClient>;
  /** It has gone, and nobody followed a session who would have heard of it. */
  readonly onGone: (line: string) => void;
};

export const hostGone = "The host that ran this has gone. Going on without it.";
const hostStopping = "The host that ran this is being stopped. Going on without it.";

/** It takes no more work, and has not taken this. */
export const isStopping = (error: unknown): boolean => error instanceof Refusal && error.code === "stopping";

export function replaceableHost(first: SocketClient, again: Again): ReplaceableHost {
  let used: { readonly client: OpenClient | undefined; readonly opened: Promise<OpenClient> } = {
    client: first,
    opened: Promise.resolve(first),
  };
  let closed = false;
  let followers = 0;
  let waiting = 0;
  let words = hostGone;
  const replace = (lost: OpenClient): Promise<OpenClient> => {
    if (lost !== used.client || closed) return used.opened;
    if (followers === 0) again.onGone(words);
    const opened = again.open().then((client) => {
      used = { client, opened };
      return client;
    });
    opened.catch(() => {}); // told to whoever asks
    used = { client: undefined, opened };
    return opened;
  };
  /** What is still followed there goes on here. */
  const moveOn = async (): Promise<OpenClient> => {
    words = hostStopping;
    const next = replace(first);
    await first[Symbol.asyncDispose]();
    return next;
  };
  return {
    current: () => used.opened,
    replace,
    async attempt(work, times) {
      const client = await used.opened;
      try {
        return await work(client, client !== first);
      } catch (error) {
        if (closed) throw error;
        if (isStopping(error) && client === first && waiting === 0) return await work(await moveOn(), true);
        if (!(error instanceof PeerClosedError) || times === "once") throw error;
        return await work(await replace(client), true);
      }
    },
    followed() {
      followers += 1;
      return { [Symbol.dispose]: () => void (followers -= 1) };
    },
    waited() {
      waiting += 1;
      return { [Symbol.dispose]: () => void (waiting -= 1) };
    },
    gone: () => words,
    cursor: first.welcome.cursor,
    isClosed: () => closed,
    async [Symbol.asyncDispose]() {
      closed = true;
      await (await used.opened.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
