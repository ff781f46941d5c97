import { env } from "node:process";
import type { Host } from "../../src/core/host.ts";
import { type SessionId, asId, newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { ModelEvent } from "../../src/models/model.ts";
import { loopRuntime } from "../../src/runtimes/loop/loop.ts";
import type { Runtime } from "../../src/runtimes/runtime.ts";
import { mostMessages } from "../../src/surfaces/tui/transcript/past.ts";
import type { StatementHook } from "../../src/store/sqlite/connection.ts";
import { asOwner, send } from "../../test/owners-host.ts";
import { says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";

/** The session in which turns are measured. */
export const measured = asId<"ses">("ses_measured");

const route = { name: "none", protocol: "responses", url: "", headers: {}, model: "none" } as const;

/** The real host and loop with a model in memory: what is measured is what is ours. `keeps`: a runtime that, like codex, keeps the conversation itself. */
export const runtimes = {
  loop: loopRuntime({ stream: answers, routes: async () => [route] }),
  keeps: Object.assign(
    scriptedRuntime((asked) => says("Yes.", asked)),
    { name: "keeps", compact: async () => ({ done: false, text: "" }) },
  ) as unknown as Runtime,
};

async function* answers(): AsyncGenerator<ModelEvent> {
  yield { type: "delta", item: 0, of: "text", text: "Yes." };
  yield { type: "item", item: { kind: "text", item: 0, text: "Yes." } };
  yield { type: "usage", input: 10, cached: 0, output: 1, reasoning: 0 };
  yield { type: "completed", skipped: 0 };
}

export type RuntimeName = keyof typeof runtimes;

export const openMeasured = (home: string, onStatement?: StatementHook): Promise<Host> =>
  openHost({
    env: { PATH: env["PATH"], HOME: home, TALARIA_HOME: home },
    homeDir: home,
    cwd: home,
    version: "bench",
    seams: { runtimes, ...(onStatement === undefined ? {} : { store: { onStatement } }) },
  });

let inputs = 0;

/** One turn, to its end. Without a session: in a new one. */
export async function runTurn(
  host: Host,
  runtime: RuntimeName,
  session?: SessionId,
  cwd = "/",
): Promise<void> {
  inputs += 1;
  const id = session ?? newId("ses", systemClock.now());
  const known = await asOwner(host)
    .call("sessions.get", { session: id })
    .then(
      () => id,
      () => ({ id, cwd, surface: "cli", runtime, audience: "owner" as const }),
    );
  const unsubscribe = host.subscribe(id, () => {});
  const { ended } = await send(host, {
    key: { surface: "cli", account: "", chat: String(process.pid), messageId: String(inputs) },
    session: known,
    input: [{ type: "text", text: "Is the owl awake?" }],
    whenBusy: "queue",
    attended: "none",
    choices: { runtime },
  });
  const end = await ended;
  unsubscribe();
  if (end?.outcome !== "done") throw new Error(`the turn ended as ${JSON.stringify(end)}`);
}

/** Of sessions: the newest, and those of a folder. */
export async function lists(host: Host, limit: number): Promise<void> {
  await asOwner(host).call("sessions.list", { limit });
  await asOwner(host).call("sessions.list", { limit: 1, cwd: "/nowhere" });
}

/** What a terminal asks for when a session is gone on with. */
export async function screen(host: Host): Promise<void> {
  const client = asOwner(host);
  const session = measured;
  await Promise.all([
    client.call("sessions.get", { session }),
    client.call("sessions.past", { session, last: mostMessages }),
    client.call("sessions.turns", { session, last: 20 }),
    client.call("usage.total", { session }),
  ]);
}
