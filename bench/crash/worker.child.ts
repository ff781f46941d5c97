/**
 * A Talaria process that can be killed at any instant: the real host, store, agent and loop, with a model on loopback.
 * It says on stdout what it acknowledged and showed, so that the checker can compare that with what is on the disk.
 */
import { readdirSync, writeSync } from "node:fs";
import { argv, env } from "node:process";
import { newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { stream } from "../../src/models/stream.ts";
import { loopRuntime } from "../../src/runtimes/loop/loop.ts";
import type { Runtime } from "../../src/runtimes/runtime.ts";
import type { Store } from "../../src/store/store.ts";
import type { Job, StoreMutant } from "./job.ts";
import { asOwner, send } from "../../test/owners-host.ts";

const job = JSON.parse(argv[2] ?? "{}") as Job;
const say = (fact: object): void => void writeSync(1, `${JSON.stringify(fact)}\n`);

let statements = 0;
let counting = job.countFrom === "start";
const route = { name: "demo", protocol: "responses", url: job.model, headers: {}, model: "demo" } as const;

const mutants: Readonly<Record<StoreMutant, (store: Store) => Store>> = {
  "ack-before-commit": ackBeforeCommit,
  "call-before-row": callBeforeRow,
};

await using host = await openHost({
  env: { ...env, TALARIA_HOME: job.home },
  homeDir: job.home,
  cwd: job.cwd,
  version: "bench",
  seams: {
    store: { onStatement },
    runtimes: { loop: withChildProcess(loopRuntime({ stream, routes: async () => [route] })) },
    ...(job.mutant === undefined ? {} : { wrapStore: mutants[job.mutant] }),
  },
});
counting = true;

/** Two inputs in one session, the second while the first runs, and one in another session. */
const [first, second] = [newId("ses", systemClock.now()), newId("ses", systemClock.now())];
for (const id of [first, second]) {
  host.subscribe(id, (event) => {
    if (event.type === "item") say({ shown: { turn: event.turn, item: event.item.id } });
    if (event.type === "ended") say({ ended: { turn: event.turn, outcome: event.outcome } });
  });
}
const ends = [];
for (const [at, text] of job.inputs.entries()) {
  const id = at % 3 === 2 ? second : first;
  const known = await asOwner(host)
    .call("sessions.get", { session: id })
    .then(
      (session) => session.id,
      () => ({ id, cwd: job.cwd, surface: "cli", audience: "owner" as const }),
    );
  const key = { surface: "cli", account: "", chat: "crash", messageId: text };
  const input = [{ type: "text" as const, text }];
  const sent = await send(host, { key, session: known, input, whenBusy: "queue", attended: "all" });
  say({ acked: text });
  ends.push(sent.ended);
}
await Promise.all(ends);
say({ statements });

function onStatement(_sql: string, when: "before" | "after"): void {
  if (!counting) return;
  if (when === "before") statements += 1;
  const { crashAt } = job;
  if (crashAt === undefined) return;
  const isDue =
    crashAt === "effect" ? hasEffect() : crashAt.statement === statements && crashAt.when === when;
  if (isDue) process.kill(process.pid, "SIGKILL");
}

function hasEffect(): boolean {
  return readdirSync(job.cwd).some((name) => name.startsWith("effect"));
}

/** Each turn has a child that would live on: it must be gone after the next start. It waits for a word before it does
 * anything, so that a kill before it is registered ends it too. */
function withChildProcess(runtime: Runtime): Runtime {
  return {
    ...runtime,
    async *run(turn, ports) {
      await using child = await spawnChild({
        command: "/bin/sh",
        args: ["-c", "read word && exec sleep 600"],
        cwd: job.cwd,
        env: { PATH: env["PATH"] ?? "", [job.marker]: "1" },
        kind: "crash-bench",
        registry: ports.processes,
        clock: ports.clock,
      });
      await child.write("go\n");
      yield* runtime.run(turn, ports);
    },
  };
}

/** Says "stored" first and stores afterwards. */
function ackBeforeCommit(store: Store): Store {
  return {
    ...store,
    inbox: {
      ...store.inbox,
      async admit(admission) {
        setImmediate(() => void store.inbox.admit(admission).catch(() => {}));
        const { id, key, from, input, at } = admission;
        const session = typeof admission.session === "string" ? admission.session : admission.session.id;
        return { row: { id, key, from, session, input, receivedAt: at, state: "waiting" }, fresh: true };
      },
    },
  };
}

function callBeforeRow(store: Store): Store {
  return {
    ...store,
    approvals: { ...store.approvals, add: (row, owner) => store.approvals.add(row, owner) },
    calls: { ...store.calls, begin: async () => {} },
  };
}
