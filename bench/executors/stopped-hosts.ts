import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { leaseExpiryMs } from "../../src/store/store.ts";
import { serving } from "../../test/e2e/attached/serving.ts";
import { says, talariaOn } from "../../test/e2e/endpoint.ts";
import type { Started, Talaria } from "../../test/e2e/talaria.ts";
import { frameProxy } from "../attach/frame-proxy.ts";

export type Stopped = {
  readonly stops: number;
  /** Stopped in the middle of a write, and once more after it. */
  readonly held: number;
  /** Turns that the one who took over has closed, and that the one who was stopped then wanted to go on with. */
  readonly cutOff: number;
  readonly broken: readonly string[];
};

/** Real hosts, each stopped (SIGSTOP) while it runs a turn, replaced by another one, and let go on (SIGCONT). */
export async function stoppedHosts(
  lines: readonly number[],
  atOnce: number,
  log: (line: string) => void,
): Promise<Stopped> {
  const left = [...lines];
  const all: Awaited<ReturnType<typeof stopped>>[] = [];
  const worker = async (): Promise<void> => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) {
      const one = await stopped(at);
      all.push(one);
      log(`stopped at line ${at}: ${JSON.stringify(one)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return {
    stops: all.length,
    held: all.filter(({ held }) => held > 0).length,
    cutOff: all.filter(({ cutOff }) => cutOff).length,
    broken: all.flatMap(({ broken }) => broken),
  };
}

const calls = { reply: [{ call: { tool: "terminal", args: { command: "echo one" } } }] };
const script = [calls, says("An answer."), ...Array.from({ length: 4 }, () => says("Another one."))];

/** `at`: how many lines it had said to its client. */
async function stopped(at: number) {
  const unaccounted = "what a host that was replaced had asked for is nobody's to count";
  await using it = await talariaOn(script, { unaccounted });
  const old = await serving(it);
  const reached = Promise.withResolvers<void>();
  await using proxy = await frameProxy(it.home, (number) => {
    if (number === at) {
      old.signal("SIGSTOP");
      reached.resolve();
    }
    return number < at;
  });
  const client = await it.start(["run", "--json", "the first words"]);
  client.closeInput();
  await Promise.race([reached.promise, client.finished]);
  // It has said all that it had to say: then it is stopped while it waits.
  old.signal("SIGSTOP");
  client.signal("SIGKILL");
  await client.finished;
  const held = expireLeases(it, old);
  const young = await serving(it);
  const before = rows(it);
  old.signal("SIGCONT");
  const { code } = await old.finished;
  // A message that was not taken in yet begins a session of its own when it goes on, which nobody else has.
  const after = rows(it);
  const { code: isServed } = await it.run(["serve", "--status"]);
  const next = await it.run(["run", "-q", "the second words"]);
  young.signal("SIGTERM");
  await young.finished;
  return {
    frames: proxy.frames(),
    held,
    cutOff: before.turns.some(({ state }) => state === "interrupted"),
    broken: [
      ...(before.inputs.length === 0 || isDeepStrictEqual(before, after)
        ? []
        : [`stale: ${JSON.stringify({ before, after })}`]),
      ...(code === 1 ? [] : [`who was replaced ended with ${code}`]),
      ...(isServed === 0 ? [] : ["who took over cannot be reached any more"]),
      ...(next.code === 0 ? [] : [`the next message ended with ${next.code}: ${next.stderr}`]),
      ...doubled(rows(it)),
    ].map((line) => `stopped at line ${at}: ${line}`),
  };
}

/**
 * As if so much time had passed: nobody waits half a minute a hundred times. Who is stopped in the middle of a write keeps
 * everybody else from writing, so that nobody can replace it: it goes on to its end, and is stopped there. How often that was.
 */
function expireLeases({ home }: Talaria, host: Started): number {
  using db = new DatabaseSync(join(home, "talaria.db"), { timeout: 100 });
  for (let held = 0; ; held += 1) {
    try {
      db.exec(`UPDATE lease SET heartbeat = heartbeat - ${leaseExpiryMs + 1000}`);
      return held;
    } catch (error) {
      if (held > 50) throw error;
      host.signal("SIGCONT");
      using again = new DatabaseSync(join(home, "talaria.db"), { timeout: 5000 });
      again.exec("BEGIN IMMEDIATE; ROLLBACK");
      host.signal("SIGSTOP");
    }
  }
}

function rows({ home }: Talaria) {
  using db = new DatabaseSync(join(home, "talaria.db"), { readOnly: true, timeout: 5000 });
  const all = (sql: string) => db.prepare(sql).all();
  return {
    turns: all("select id, inbox_id, state, epoch from turn order by id"),
    items: all("select * from item"),
    inputs: all("select id, state, turn_id from inbox order by id"),
    messages: all("select turn_id, seq from message order by turn_id, seq"),
  };
}

const doubled = ({ turns }: ReturnType<typeof rows>): readonly string[] =>
  turns.flatMap(({ id, inbox_id: input }) =>
    turns.some((other) => other["id"] !== id && other["inbox_id"] === input)
      ? [`doubled: ${String(input)}`]
      : [],
  );
