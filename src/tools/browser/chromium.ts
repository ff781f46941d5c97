import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { type Child, type ProcessRegistry, spawnChild } from "../../lib/child.ts";
import type { Clock } from "../../lib/clock.ts";
import { newMark } from "../../lib/process-mark.ts";
import type { NetGuard } from "../net/guard.ts";
import { cdpPipe } from "./cdp-pipe.ts";
import { chromiumSwitches } from "./chromium-switches.ts";
import { type GuardProxy, startGuardProxy } from "./guard-proxy.ts";
import { profileFolder } from "./profile-folder.ts";

export type ChromiumOptions = {
  readonly executable: string;
  readonly guard: NetGuard;
  /** Where its profile lives while it runs. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processes: ProcessRegistry;
  /** Marks it and everything it starts. */
  readonly childVariable: string;
  readonly clock: Clock;
};

/** A running Chromium. Disposing ends it and removes all it wrote. */
export type Chromium = AsyncDisposable & {
  /** With cookies and storage of its own, which no other one sees. */
  newContext(): Promise<BrowserContext>;
  /** Why the proxy did not let a place through. */
  readonly refusal: GuardProxy["refusal"];
  /** False: it has ended, or is about to. */
  isAlive(): boolean;
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>;
};

const startMs = 30_000;

/** Rejects with a sentence that says why it did not start. */
export async function startChromium(options: ChromiumOptions): Promise<Chromium> {
  await using parts = new AsyncDisposableStack();
  const proxy = parts.use(await startGuardProxy(options.guard));
  const profile = parts.use(await profileFolder(options.folder));
  const child = parts.use(await launch(options, profile.path, proxy.server));
  const browser = await attach(child, profile.path);
  const running = parts.move();
  return {
    newContext: () => newContext(browser, proxy),
    refusal: proxy.refusal,
    isAlive: () => browser.isConnected(),
    ended: child.exited.then(() => undefined),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Its debugging pipe is on the descriptors 3 and 4; a child of ours has its input and output for that. */
const behindPipe = 'exec 3<&0 4>&1 </dev/null >&2; exec "$0" "$@"';

async function launch(options: ChromiumOptions, profile: string, proxy: string): Promise<Child> {
  const { executable, env, processes, childVariable, clock } = options;
  await mkdir(join(profile, "t"));
  return spawnChild({
    command: "/bin/sh",
    args: ["-c", behindPipe, executable, ...chromiumSwitches(join(profile, "data"), proxy)],
    cwd: profile,
    env: environment(env, profile),
    mark: newMark(childVariable),
    kind: "browser",
    registry: processes,
    clock,
    grace: { inputMs: 3_000 },
  });
}

/** Nothing of the person's: no keys, no proxy, and a home of its own. */
function environment(env: ChromiumOptions["env"], profile: string): Record<string, string> {
  const passed = Object.entries(env).filter(([name]) => /^(?:PATH|LANG|LC_[A-Z]+|TZ)$/.test(name));
  const given = passed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { ...Object.fromEntries(given), HOME: profile, TMPDIR: join(profile, "t") };
}

async function attach(child: Child, profile: string): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  const artifactsDir = join(profile, "artifacts");
  try {
    return await chromium.connectOverCDP(cdpPipe(child), { artifactsDir, timeout: startMs });
  } catch (cause) {
    await child.kill();
    const { code, signal, stderrTail } = await child.exited;
    const last = stderrTail.trim().split("\n").at(-1) ?? "";
    throw new Error(`Chromium does not start (${signal ?? `exit ${code}`}): ${last}`, { cause });
  }
}

async function newContext(browser: Browser, proxy: GuardProxy): Promise<BrowserContext> {
  const { server, username, password } = proxy;
  const context = await browser.newContext({
    acceptDownloads: false,
    proxy: { server, username, password, bypass: "<-loopback>" },
    viewport: { width: 1280, height: 900 },
  });
  await context.grantPermissions([]); // none, and nobody is asked
  return context;
}
