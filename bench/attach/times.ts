import { appendFile, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { localOwner } from "../../src/core/principal.ts";
import type { Client } from "../../src/core/calls.ts";
import { newId } from "../../src/core/ids.ts";
import { openClient } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { spawnChild } from "../../src/lib/process/child.ts";
import { findCodex } from "../../src/runtimes/codex/process/binary.ts";
import { attachOrOpen } from "../../src/surfaces/socket/index.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { buildPublished } from "../loop/published.ts";
import { median, rounded } from "../medians.ts";
import { type Home, homeMaker } from "../start/home.ts";
import { answer, programs, talaria } from "../start/start.ts";
import { wholeRun } from "../whole-run.ts";

/** Medians in milliseconds, of runs in turns. */
export type Times = {
  readonly node: number;
  readonly loop: number;
  readonly codex: number;
  readonly exec: number;
  readonly loopRatio: number;
  readonly codexRatio: number;
  readonly warmInProcess: number;
  readonly warmAttached: number;
  readonly warmMoreMs: number;
};

const script = parseDemoScript({ maxRequests: 1_000_000, otherwise: [{ text: answer, chunks: 4 }] });

export async function attachedTimes(runs: number, log: (line: string) => void): Promise<Times> {
  const { signal } = new AbortController();
  const codex = await findCodex({ env: {}, ownRoot: resolve("."), clock: systemClock, signal });
  if ("code" in codex) throw new Error(codex.message);
  await using parts = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "talaria-bench-attach-")));
  parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const model = parts.use(await startDemoModel({ clock: systemClock, script }));
  const newHome = homeMaker(folder, codex.path, model.url);
  const [home, bare] = [parts.use(await newHome("codex")), parts.use(await newHome("exec"))];
  // A title is made when the answer is there: it would be measured with the next start.
  await appendFile(join(home.state, "config.yaml"), "auxiliary: { title_generation: { enabled: false } }\n");
  parts.use(await servingIn(home));
  // As npm installs it: a clone looks first whether a source has changed since it was built.
  const program = await buildPublished(folder);
  const named = programs(codex.path);
  const whole = {
    ...named,
    loop: { ...named.loop, command: program },
    codex: { ...named.codex, command: program },
  };
  const ways = { node: bare, loop: home, codex: home, exec: bare } as const;
  const all: Record<keyof typeof ways, number[]> = { node: [], loop: [], codex: [], exec: [] };
  for (let at = -2; at < runs; at += 1)
    for (const name of ["node", "loop", "codex", "exec"] as const) {
      const { ms, done } = await wholeRun({ ...whole[name], cwd: ways[name].cwd, env: ways[name].env });
      if (at >= 0 && done) all[name].push(ms);
    }
  log(`${runs} runs of each, attached where they are ours`);
  const warm = await warmTurns(home, runs * 10);
  log(`${runs * 10} warm turns of each`);
  const [node, loop, ours, exec] = [all.node, all.loop, all.codex, all.exec].map(median) as [
    number,
    number,
    number,
    number,
  ];
  return {
    node: rounded(node, 1),
    loop: rounded(loop, 1),
    codex: rounded(ours, 1),
    exec: rounded(exec, 1),
    loopRatio: rounded(loop / node),
    codexRatio: rounded(ours / exec),
    ...warm,
  };
}

async function servingIn({ cwd, env }: Home): Promise<AsyncDisposable> {
  const child = await spawnChild({
    command: "/bin/sh",
    args: ["-c", 'exec "$0" serve 2>&1', talaria],
    cwd,
    env,
    kind: "serve",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  let text = "";
  const ready = Promise.withResolvers<void>();
  void (async () => {
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"serving"')) ready.resolve();
    }
    ready.reject(new Error(`it does not serve: ${text}`));
  })();
  await ready.promise;
  return child;
}

/** From sending to the end of the turn, in this process and in the host, in turns. */
async function warmTurns(
  { cwd, env }: Home,
  turns: number,
): Promise<Pick<Times, "warmInProcess" | "warmAttached" | "warmMoreMs">> {
  // Only the same version attaches.
  const { version } = JSON.parse(await readFile(resolve("package.json"), "utf8")) as { version: string };
  const options = { env, homeDir: env["HOME"] ?? "", cwd, version };
  const open = () => openClient(options, localOwner("cli"));
  await using own = await open();
  let unattached = "";
  const tell = (line: string): void => void (unattached = line);
  await using attached = await attachOrOpen({ ...options, surface: "cli" }, { open, tell });
  if (unattached !== "") throw new Error(unattached);
  const ways = [own, attached].map((client) => ({ say: conversation(client, cwd), ms: [] as number[] }));
  for (let at = -10; at < turns; at += 1)
    for (const { say, ms } of ways) {
      const began = systemClock.monotonic();
      await say();
      if (at >= 0) ms.push(systemClock.monotonic() - began);
    }
  const [inProcess = Number.NaN, overSocket = Number.NaN] = ways.map(({ ms }) => median(ms));
  return {
    warmInProcess: rounded(inProcess, 1),
    warmAttached: rounded(overSocket, 1),
    warmMoreMs: rounded(overSocket - inProcess, 1),
  };
}

function conversation(client: Client, cwd: string): () => Promise<void> {
  const id = newId("ses", systemClock.now());
  let count = 0;
  return async () => {
    const { inbox } = await client.call("turns.send", {
      key: { surface: "cli", account: "", chat: id, messageId: String((count += 1)) },
      session: count === 1 ? { id, cwd, surface: "cli", audience: "owner", runtime: "loop" } : id,
      input: [{ type: "text", text: "hi" }],
      whenBusy: "queue",
      attended: "none",
    });
    const ended = await client.call("turns.wait", { inbox });
    if (ended?.outcome !== "done")
      throw new Error(`a turn ended as ${ended?.outcome}: ${ended?.fault?.message}`);
  };
}
