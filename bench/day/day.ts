import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../src/core/calls.ts";
import { newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { asOwner } from "../../test/owners-host.ts";
import { tempFolder } from "../../test/temp-folder.ts";

export type DaySize = {
  readonly hours: number;
  readonly schedules: number;
  readonly cards: number;
  readonly sessions: number;
};

export type Day = {
  /** Turns for which a model was asked. */
  readonly requests: number;
  /** What was typed, and what was due by an enumeration of its own. */
  readonly due: number;
  /** Statements of the store in the last minutes, in which nothing was due. */
  readonly idleStatements: number;
};

/** asks: it asks a model whether there is something to do · wakes: it looks every second whether something is due */
export type Polling = "asks" | "wakes";

/** Whether another process has written: that is no row's, and no work of a disk. */
const unread = "pragma data_version";
const minute = 60_000;
const hour = 60 * minute;
/** The last of the day: no schedule is due in them. */
export const idleMinutes = 10;

const stepMs = 10_000;

/** The clock of the day stands still until what was due is done: a machine that is busy is not late in it. */
async function atRest(client: Client): Promise<void> {
  for (;;) {
    const { planned } = await client.call("work.status", {});
    if (planned === 0) return;
    await systemClock.sleep(1, undefined, { hold: true });
  }
}

/** Each with how often it is due in so many hours, or in half of one, from the beginning of a day. */
const timings: readonly (readonly [when: string, count: (hours: number) => number])[] = [
  ["every 2h", (hours) => Math.floor(hours / 2)],
  ["every 30m", (hours) => hours * 2],
  ["45 9 * * *", (hours) => (hours > 9 ? 1 : 0)],
  ["15 */6 * * *", (hours) => Math.ceil(hours / 6)],
  ["in 5h", (hours) => (hours >= 5 ? 1 : 0)],
];

/** A home with all of that, and a host in it, for so long. */
export async function dayOf(size: DaySize, polling?: Polling): Promise<Day> {
  await using folder = await tempFolder();
  const home = join(folder.path, "home");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), settings, { mode: 0o600 });
  const clock = fakeClock(Date.UTC(2026, 0, 5));
  let [requests, statements, due] = [0, 0, 0];
  const runtime = scriptedRuntime((turn) => {
    requests += 1;
    return says("Done.", turn);
  });
  await using host = await openHost({
    env: { PATH: process.env["PATH"], HOME: folder.path, TALARIA_HOME: home },
    homeDir: folder.path,
    cwd: folder.path,
    version: "bench",
    executor: true,
    longLived: true,
    seams: {
      clock: polling === "wakes" ? restless(clock) : clock,
      runtimes: { loop: runtime },
      store: { onStatement: (sql) => void (sql === unread || (statements += 1)) },
    },
  });
  const client = asOwner(host);
  for (let at = 0; at < size.schedules; at += 1) {
    const [when, count] = timings[at % timings.length] as (typeof timings)[number];
    await client.call("cron.add", { when, text: "Look.", name: `schedule ${at}`, cwd: folder.path });
    due += count(size.hours);
  }
  await cards(client, size.cards);
  for (let at = 0; at < size.sessions; at += 1) await typed(client, folder.path, clock);
  due += size.sessions;
  const from = clock.now();
  for (let at = stepMs; at <= size.hours * hour; at += stepMs) {
    await clock.advance(from + at - clock.now());
    await atRest(client);
    if (polling === "asks" && at % (10 * minute) === 0) await typed(client, folder.path, clock);
  }
  statements = 0;
  await clock.advance(idleMinutes * minute);
  return { requests, due, idleStatements: statements };
}

const settings = `model: { provider: demo, openai_runtime: auto }
auxiliary: { title_generation: { enabled: false } }
work: { zone: UTC, max_concurrent: 8, budget: { day: { turns: 100000, tokens: 1000000000 } } }
`;

/** Half of them wait for a person, the others for those. */
async function cards(client: Client, many: number): Promise<void> {
  for (let at = 0; at < many; at += 2) {
    const first = await client.call("kanban.add", { title: `card ${at}` });
    await client.call("kanban.block", { card: first.id, kind: "needs_input", reason: "Say which." });
    await client.call("kanban.add", { title: `card ${at + 1}`, parents: [first.id] });
  }
}

async function typed(client: Client, cwd: string, clock: Clock): Promise<void> {
  const id = newId("ses", clock.now());
  const { inbox } = await client.call("turns.send", {
    key: { surface: "cli", account: "", chat: id, messageId: id },
    session: { id, cwd, surface: "cli", audience: "owner" },
    input: [{ type: "text", text: "Hello." }],
    whenBusy: "queue",
    attended: "none",
  });
  await client.call("turns.wait", { inbox });
}

/** No sleep of it lasts longer than ten seconds. */
const restless = (clock: Clock): Clock => ({
  ...clock,
  sleep: (ms, ...rest) => clock.sleep(Math.min(ms, 10_000), ...rest),
});
