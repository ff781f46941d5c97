import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import type { Clock } from "../../lib/clock.ts";
import { type Child, type ProcessRegistry, spawnChild } from "../../lib/process/child.ts";
import { isAlive, selfIdentity } from "../../lib/process/process-identity.ts";
import { newMark } from "../../lib/process/process-mark.ts";
import { setVariables } from "../../lib/process/variables.ts";
import type { NetGuard } from "../net/guard.ts";
import { cdpPipe } from "./cdp-pipe.ts";
import { chromiumSwitches } from "./chromium-switches.ts";
import { type GuardProxy, startGuardProxy } from "./guard-proxy.ts";

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
  const given = setVariables(env, (name) => /^(?:PATH|LANG|LC_[A-Z]+|TZ)$/.test(name));
  return { ...given, HOME: profile, TMPDIR: join(profile, "t") };
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

type ProfileFolder = AsyncDisposable & { readonly path: string };

const prefix = "talaria-";
const ownerFile = "owner.json";

/** Chromium makes a socket 62 characters deeper, and the path of a socket has at most 107. */
const longestParent = 45;

/**
 * A folder for one run of the browser, gone afterwards; those of processes that were killed go when the next one is
 * made. It stands in `parent`, or in `spare` when that path is too long for Chromium.
 */
export async function profileFolder(parent: string, spare = tmpdir()): Promise<ProfileFolder> {
  const folder = parent.length <= longestParent ? parent : spare;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeLeftOver(folder);
  const path = await mkdtemp(join(folder, prefix));
  await writeFile(join(path, ownerFile), JSON.stringify(selfIdentity()));
  return { path, [Symbol.asyncDispose]: () => remove(path) };
}

async function removeLeftOver(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  for (const name of names) if (await isLeftOver(join(folder, name))) await remove(join(folder, name));
}

async function isLeftOver(path: string): Promise<boolean> {
  try {
    const owner = JSON.parse(await readFile(join(path, ownerFile), "utf8")) as Record<string, unknown>;
    const { pid, startTime, host } = owner;
    if (typeof pid !== "number" || typeof startTime !== "string") return false;
    return host === selfIdentity().host && !isAlive({ pid, startTime });
  } catch {
    return false; // it is being made just now, or is nobody's
  }
}

/** The browser's last processes may still write while it is removed. */
const remove = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
