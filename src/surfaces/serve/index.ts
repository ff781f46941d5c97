import type { BehindDoor, Entrance, ServeStatus } from "../../core/serving/door.ts";
import { type Host, Refusal } from "../../core/host.ts";
import { localOwner } from "../../core/principal.ts";
import { systemClock } from "../../lib/clock.ts";
import { closingHost } from "./closing-host.ts";
import { loginEnvironment } from "./login-environment.ts";
import type { ServeOptions, ServePorts } from "./ports.ts";
import { statusText } from "./status-text.ts";
import { voiceFor } from "./voice.ts";

export { service } from "./service/service.ts";

/** How long turns that run may go on after the first signal. */
const graceMs = 3000;

/** `talaria serve`: a host that stays, until it is told to end. 0 ended · 1 nothing runs (`--status`), replaced, or its home is gone */
export async function serve(ports: ServePorts, options: ServeOptions): Promise<0 | 1> {
  const named = options.profile === undefined ? {} : { profile: options.profile };
  const port = portOf(options.port);
  if (options.status === true) return await showStatus(ports, options);
  const tell = (line: string): void => void ports.stderr.write(`talaria: ${line}\n`);
  // In a terminal it has what the person has.
  const isTyped = ports.stdin.isTTY === true;
  const env = isTyped ? ports.env : await loginEnvironment(ports.env, systemClock, tell);
  const early: string[] = [];
  let onLog = (line: string): void => void early.push(line);
  const how = { ...named, executor: true, longLived: true, env } as const;
  await using open = new AsyncDisposableStack();
  const host = open.use(await ports.openHost({ ...how, onLog: (line) => onLog(line) }));
  const ending = signals(ports, host.executing?.replaced);
  const doors: Entrance[] = [];
  const startedAt = systemClock.now();
  const addresses = (): readonly string[] => doors.flatMap(({ address }) => address ?? []);
  const isStopping = (): boolean => ending.why() !== undefined;
  const status = async (): Promise<ServeStatus> => ({
    version: ports.version,
    home: host.about.home,
    pid: process.pid,
    startedAt,
    ...(await host.activity()),
    attached: doors.reduce((sum, door) => sum + door.attached(), 0),
    doors: addresses(),
    ...botsOf(host),
    stopping: isStopping(),
  });
  using voice = voiceFor(ports, systemClock, host.redact, status);
  const { log } = voice;
  onLog = (text) => log("log", { text });
  for (const line of early) onLog(line);
  const { warnings } = await host.as(localOwner("cli")).call("host.status", {});
  for (const text of warnings) log("warning", { text });
  const behind: BehindDoor = {
    host: closingHost(host, ending.why),
    env,
    version: ports.version,
    ...(port === undefined ? {} : { port }),
    status,
    isStopping,
    end: ending.end,
    log,
  };
  for (const openDoor of ports.doors) {
    const door = await openDoor(behind);
    if (door !== undefined) doors.push(open.use(door));
  }
  log("serving", { version: ports.version, pid: process.pid, doors: addresses() });
  open.use(keepAwake());
  const why = await ending.first;
  log("stopping", { why });
  host.takeNoMore();
  if (!host.executing?.replaced.aborted && !ending.isLost())
    await lastWork(host, options.drain === true, ending.second);
  // That may have to wait for what hangs, such as codex.
  await open.disposeAsync();
  log("stopped", {});
  return host.executing?.replaced.aborted === true || ending.isLost() ? 1 : 0;
}

function botsOf({ gateway }: Host): Pick<ServeStatus, "bots"> {
  const live = gateway.live();
  return live === undefined ? {} : { bots: live.bots() };
}

/** What runs may end by itself for a while, or as long as it takes; then closing the host interrupts and keeps it. */
async function lastWork(host: Host, drain: boolean, atOnce: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const grace = drain ? [] : [systemClock.sleep(graceMs, over.signal, { hold: true }).catch(() => {})];
  await Promise.race([host.drain(), atOnce, ...grace]);
  over.abort();
}

type Ending = {
  readonly first: Promise<string>;
  readonly second: Promise<void>;
  /** Why no more work is taken; `undefined`: it is. */
  why(): string | undefined;
  /** It cannot go on. */
  end(why: string): void;
  isLost(): boolean;
};

/** The first signal ends the host gently, the second at once; the third ends the process, whatever we are stuck in. */
function signals(ports: ServePorts, replaced: AbortSignal | undefined): Ending {
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<void>();
  let why: string | undefined;
  const end = (reason: string, words: string): void => {
    if (why !== undefined) second.resolve();
    why ??= words;
    first.resolve(reason);
  };
  let count = 0;
  const ignore = ports.onSignal(["SIGINT", "SIGTERM", "SIGHUP"], (signal) => {
    count += 1;
    if (count === 2) ignore();
    end(signal, "Talaria is being stopped.");
  });
  const lost = (): void => end("replaced", "Another process runs this home now.");
  if (replaced?.aborted === true) lost();
  replaced?.addEventListener("abort", lost, { once: true });
  let isLost = false;
  return {
    first: first.promise,
    second: second.promise,
    why: () => why,
    end(words) {
      isLost = true;
      end(words, words);
    },
    isLost: () => isLost,
  };
}

/** Nothing else may keep the process while nobody is connected. */
function keepAwake(): Disposable {
  const over = new AbortController();
  const stay = (): void =>
    void systemClock.sleep(2 ** 31 - 1, over.signal, { hold: true }).then(stay, () => {});
  stay();
  return { [Symbol.dispose]: () => over.abort() };
}

async function showStatus(ports: ServePorts, { profile, json }: ServeOptions): Promise<0 | 1> {
  const found = await ports.status(profile === undefined ? {} : { profile });
  if (json === true) ports.stdout.write(`${JSON.stringify(found ?? { running: null })}\n`);
  else if (found === undefined) ports.stdout.write("Nothing serves this home. Start it: talaria serve\n");
  else ports.stdout.write(`${statusText(found, systemClock.now())}\n`);
  return found === undefined ? 1 : 0;
}

function portOf(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const port = typed.trim() === "" ? Number.NaN : Number(typed);
  if (Number.isSafeInteger(port) && port >= 0 && port < 65_536) return port;
  throw new Refusal(
    "usage",
    `--port ${typed === "" ? '""' : typed}: not a port.`,
    "Use a number from 0 to 65535.",
  );
}
