import type { SessionId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { lanes } from "../../lib/lanes.ts";
import type { Chromium } from "./chromium.ts";
import { type Tab, openTab } from "./tab.ts";

/** The browser of this process: started when it is first used, ended when no session needs it. */
export type BrowserSessions = AsyncDisposable & {
  /** The tab of a session, opened when it has none. Rejects with why the browser does not start. */
  open(session: SessionId): Promise<OpenTab>;
  /** The tab of a session; undefined when it has none. */
  find(session: SessionId): OpenTab | undefined;
  /** Lets the time without use begin anew, and be that much longer. */
  touch(session: SessionId, longerMs?: number): void;
};

export type OpenTab = { readonly tab: Tab; readonly refusal: Chromium["refusal"] };

type SessionTab = OpenTab & { idle: AbortController };

const idleMs = 120_000;

export function browserSessions(start: () => Promise<Chromium>, clock: Clock): BrowserSessions {
  const tabs = new Map<SessionId, SessionTab>();
  const queue = lanes<"browser">();
  let running: Chromium | undefined;
  let isOver = false;

  const end = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    for (const { idle } of tabs.values()) idle.abort();
    tabs.clear();
    await ending?.[Symbol.asyncDispose]();
  };
  const ready = async (): Promise<Chromium> => {
    if (isOver) throw new Error("the program is ending");
    if (running?.isAlive() === true) return running;
    await end();
    const started = await start();
    running = started;
    void started.ended
      .then(() => queue.run("browser", () => (running === started ? end() : undefined)))
      .catch(() => {}); // what is left of it is swept at the next start
    return started;
  };
  const closeIdle = async (session: SessionId, one: SessionTab, idle: AbortController): Promise<void> => {
    if (tabs.get(session) !== one || one.idle !== idle) return; // used again meanwhile
    tabs.delete(session);
    if (tabs.size === 0) return end();
    await one.tab.close().catch(() => {}); // it goes with the browser at the latest
  };
  const startIdleTimer = (session: SessionId, one: SessionTab, ms: number): void =>
    restartIdleTimer(one, ms, clock, (idle) => queue.run("browser", () => closeIdle(session, one, idle)));
  const find = (session: SessionId, longerMs = 0): SessionTab | undefined => {
    const one = tabs.get(session);
    if (one !== undefined) startIdleTimer(session, one, idleMs + longerMs);
    return one;
  };
  const open = async (session: SessionId): Promise<OpenTab> => {
    const chromium = await ready();
    const found = find(session);
    if (found !== undefined) return found;
    const tab = openTab(await chromium.newContext());
    const one: SessionTab = { tab, refusal: chromium.refusal, idle: new AbortController() };
    tabs.set(session, one);
    startIdleTimer(session, one, idleMs);
    return one;
  };
  return {
    open: (session) => queue.run("browser", () => open(session)),
    find,
    touch: (session, longerMs) => void find(session, longerMs),
    async [Symbol.asyncDispose]() {
      isOver = true;
      await queue.run("browser", end);
    },
  };
}

/** Begins the time without use anew. */
function restartIdleTimer(
  one: SessionTab,
  ms: number,
  clock: Clock,
  then: (idle: AbortController) => Promise<void>,
): void {
  one.idle.abort();
  const idle = new AbortController();
  one.idle = idle;
  clock
    .sleep(ms, idle.signal)
    .then(() => then(idle))
    .catch(() => {}); // used again; what could not be closed is closed with the program
}
