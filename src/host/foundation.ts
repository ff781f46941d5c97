import { appendFile, mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { AgentDeps, Answering } from "../agent/index.ts";
import type { TieOf } from "../approvals/tie.ts";
import { type Loaded, loadConfig, prepareHome } from "../config/config.ts";
import type { LiveBot } from "../core/gateway/gateway.ts";
import { FaultError } from "../core/faults.ts";
import type { Executing } from "../core/host.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { hostIdIn, isGoneFrom } from "../lib/process/host-id.ts";
import { selfIdentity } from "../lib/process/process-identity.ts";
import { type Redactor, redactor } from "../lib/redact/redact.ts";
import type { ExpectedTurn, Runtime } from "../runtimes/runtime.ts";
import { type StoreOptions, openStoreAt } from "../store/open.ts";
import { storageFault } from "../store/sqlite/faults.ts";
import type { Store, Upgrade } from "../store/store.ts";
import { becomeExecutor } from "./executor.ts";
import { type Routes, routes } from "./models/routes.ts";
import { type StoreNews, withNews } from "./gateway/store-news.ts";
import { type Terminals, terminals } from "./sessions/terminals.ts";
import { spendingOf } from "./models/usage-access.ts";
import { type Allowance, allowance } from "../work/index.ts";

export type OpenHost = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly cwd: string;
  readonly version: string;
  readonly profile?: string;
  /** Does not repair what a crash left: for whoever runs no turn. */
  readonly skipRepair?: boolean;
  /** With that: processes that one which is gone has left running are ended all the same, beside everything else. */
  readonly endsOrphans?: true;
  /** It runs what nobody at a terminal waits for: input of chats. One for each home and machine. */
  readonly executor?: boolean;
  /** The program stays after a turn: sessions get titles and are reviewed in the background. */
  readonly longLived?: boolean;
  /** A turn will be asked for at once: its runtime may get ready while the rest is opened. */
  readonly firstTurn?: FirstTurn;
  /** What bots of another process that runs this home say of themselves; `undefined`: there is none that could be asked. */
  readonly botsElsewhere?: () => Promise<readonly LiveBot[] | undefined>;
  /** Hears what goes into the log file, which may be on a full disk. Not masked. */
  readonly onLog?: (line: string) => void;
  /** The seams: what tests and fault runs put something else into. */
  readonly seams?: {
    readonly clock?: Clock;
    readonly store?: StoreOptions;
    readonly wrapStore?: (store: Store) => Store;
    readonly runtimes?: Readonly<Record<string, Runtime>>;
    readonly tieOf?: TieOf;
  };
};

/** What is known of it; the rest is as the settings say. */
type FirstTurn = ExpectedTurn & { readonly runtime?: string };

/** What every part of the host stands on. */
export type Foundation = Pick<OpenHost, "env" | "homeDir" | "cwd" | "version"> &
  Pick<AgentDeps, "store" | "processes" | "spending" | "owner" | "isGone" | "clock" | "log"> & {
    readonly options: OpenHost;
    readonly loaded: Loaded;
    /** What this start has changed in the home, for people. */
    readonly upgrades: readonly string[];
    readonly routes: Routes;
    readonly redact: Redactor;
    readonly longLived: boolean;
    readonly terminals: Terminals;
    readonly storeNews: StoreNews;
    readonly executing?: Executing;
    /** What work that nobody types may take. */
    readonly allowance: Allowance;
  };

/** Reads the settings and opens the store. What was opened is closed with `stack`. */
export async function openFoundation(options: OpenHost, stack: AsyncDisposableStack): Promise<Foundation> {
  const { env, homeDir, cwd, version, profile, seams = {}, longLived = false } = options;
  const { clock = systemClock, wrapStore = (store) => store } = seams;
  const loaded = await loadConfig({ ...options, flags: profile === undefined ? {} : { profile } });
  await prepareHome(loaded.config);
  const { paths } = loaded.config;
  const machine = await machineId(paths.hosts, loaded.database !== undefined);
  const place = { file: paths.db, url: loaded.database };
  const opened = wrapStore(stack.use(await openStoreAt(place, { clock, machine, ...seams.store })));
  const { store, storeNews } = withNews(opened);
  const redact = redactor(loaded.secrets);
  loaded.onSecret(redact.add);
  const owner = selfIdentity(machine);
  const toFile = fileLog(paths.logs, clock, redact);
  const log = (line: string): void => {
    toFile(line);
    options.onLog?.(line);
  };
  const isGone = isGoneFrom(machine);
  const executor = { store, owner, isGone, clock, log };
  return {
    ...(options.executor === true ? { executing: await becomeExecutor(executor, stack) } : {}),
    options,
    env,
    homeDir,
    cwd,
    version,
    longLived,
    terminals: terminals(),
    storeNews,
    loaded,
    upgrades: store.upgraded === undefined ? [] : [upgradeLine(store.upgraded)],
    store,
    routes: stack.use(routes(loaded, clock)),
    redact,
    allowance: allowance({ store, settings: loaded.config.work, clock }),
    clock,
    log,
    owner,
    isGone,
    processes: {
      add: (child) => store.processes.add({ ...child, owner }),
      remove: (pid, startTime) => store.processes.remove({ pid, startTime, owner }),
    },
    spending: spendingOf(loaded.config),
  };
}

/**
 * A full disk is for the store to tell. Its file has one machine, for which the plain name serves meanwhile; of several
 * without ids, each would take the other's sessions for its own.
 */
const machineId = (file: string, isShared: boolean): Promise<string> =>
  hostIdIn(file).catch((error: unknown) => {
    if (!isShared) return hostname();
    const fault = storageFault(file, error);
    throw fault === undefined ? error : new FaultError(fault, error);
  });

const upgradeLine = ({ from, to, backup }: Upgrade): string =>
  `This home was upgraded from schema ${from} to ${to}.${backup === undefined ? "" : ` As it was before, it is kept in ${backup}.`}`;

/** Where people or we ourselves wait, where programs ask; everything else is a chat. */
export function answering(surface: string): Answering {
  if (awaited.has(surface)) return "awaited";
  return reading.has(surface) ? "read" : "posted";
}

const awaited: ReadonlySet<string> = new Set([
  "cli",
  "tui",
  "acp",
  "mcp",
  "delegate",
  "goal",
  "fork",
  "codex",
]);
const reading: ReadonlySet<string> = new Set(["api", "web", "webhook", "schedule", "card", "batch"]);

/** Whoever types there sits at the machine. */
export const ownersSurfaces: ReadonlySet<string> = new Set(["cli", "tui", "acp"]);

/** Appends to the log file, secrets masked. Logging gives way first: a full disk must not end a turn. */
export function fileLog(
  folder: string,
  clock: Clock,
  redact: (text: string) => string,
): (line: string) => void {
  let tail = Promise.resolve();
  return (line) => {
    const text = `${new Date(clock.now()).toISOString()} ${redact(line)}\n`;
    tail = tail
      .then(() => mkdir(folder, { recursive: true, mode: 0o700 }))
      .then(() => appendFile(join(folder, "talaria.log"), text, { mode: 0o600 }))
      .catch(() => {});
  };
}
