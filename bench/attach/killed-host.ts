import { systemClock } from "../../src/lib/clock.ts";
import { serving } from "../../test/e2e/attached/serving.ts";
import { onDisk } from "../../test/e2e/on-disk.ts";
import type { Line, Result, Talaria } from "../../test/e2e/talaria.ts";
import { frameProxy } from "./frame-proxy.ts";

/** What is said, and what is asked of the model after it. */
export const [first, second] = ["the first words", "the second words"];

export type Killed = {
  /** Lines that the host said before it was killed, or in all. */
  readonly frames: number;
  readonly wasKilled: boolean;
  /** From the kill until the client said so. */
  readonly toldMs: number;
  /** What must not be. */
  readonly faults: readonly string[];
};

/** One attached message; the host is killed when it has said so many lines, and the last one may still arrive. */
export async function killAtFrame(
  it: Talaria,
  at: number,
  arrives: boolean,
  words: readonly string[] = [],
): Promise<Killed> {
  const host = await serving(it);
  let killedAt = Number.NaN;
  await using proxy = await frameProxy(it.home, (number) => {
    if (number !== at) return true;
    killedAt = systemClock.monotonic();
    host.signal("SIGKILL");
    return arrives;
  });
  const command = ["run", "--json", ...words, first].map((word) => `'${word}'`).join(" ");
  const child = await it.shell(`exec "$0" ${command} 2>&1`);
  child.closeInput();
  // Before it follows its session it says so elsewhere; what it had all of by then it says nothing of.
  const told = child.shows(/host that ran this has gone/).then(
    () => systemClock.monotonic() - killedAt,
    () => Number.NaN,
  );
  const result = await child.finished;
  const wasKilled = !Number.isNaN(killedAt);
  host.signal("SIGKILL");
  await host.finished;
  const faults = [...faultsIn(result), ...(await unseen(it, result)), ...(await goesOn(it, words))];
  return { frames: proxy.frames(), wasKilled, toldMs: await told, faults };
}

function faultsIn({ stdout, code }: Result): readonly string[] {
  const lines = eventsIn(stdout);
  const names = namesOf(lines);
  const doubled = names.filter((name, index) => names.indexOf(name) !== index);
  const isEnded = lines.some(({ type }) => type === "ended");
  return [
    ...doubled.map((name) => `shown twice: ${name}`),
    ...(isEnded ? [] : [`ended with ${code} and no end of the turn: ${stdout}`]),
    ...(/Error:/.test(stdout) ? [`said what nobody can use: ${stdout}`] : []),
  ];
}

/** Whatever is in the log was shown, from either host. */
async function unseen(it: Talaria, { stdout }: Result): Promise<readonly string[]> {
  const log = await it.run(["events", "--json"]);
  const shown = new Set(namesOf(eventsIn(stdout)));
  const missing = namesOf(eventsIn(log.stdout)).filter((name) => !shown.has(name));
  return missing.map((name) => `kept and not shown: ${name}`);
}

const eventsIn = (text: string): readonly Line[] =>
  text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []));

/** What is told once, by name. */
const namesOf = (lines: readonly Line[]): readonly string[] =>
  lines.flatMap((line) => {
    const { id = "" } = (line["item"] ?? {}) as { id?: string };
    const isOnce = line.type === "started" || line.type === "ended" || line.type === "item";
    return isOnce ? [`${line.type} ${line.turn} ${id}`] : [];
  });

/** The session is sound: the message is there once, and the next one is answered. */
async function goesOn(it: Talaria, words: readonly string[]): Promise<readonly string[]> {
  const next = await it.run(["run", "-q", ...words, "--continue", second]);
  const sessions = await onDisk(it.home);
  const said = sessions.flatMap((session) => session.said);
  const count = (text: string): number => said.filter((line) => line === `user ${text}`).length;
  return [
    ...(next.code === 0 ? [] : [`the next message ended with ${next.code}: ${next.stdout}${next.stderr}`]),
    ...(sessions.length === 1 ? [] : [`${sessions.length} sessions`]),
    ...(count(first) === 1 ? [] : [`the first message is kept ${count(first)} times`]),
    ...(count(second) === 1 ? [] : [`the second message is kept ${count(second)} times`]),
  ];
}
