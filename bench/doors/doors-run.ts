import { once } from "node:events";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { pinnedCodex } from "../../test/codex-schema/pinned-codex.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { asOwner, send } from "../../test/owners-host.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openHttp } from "../../src/surfaces/http/index.ts";
import { protocolVersion, schemaVersion } from "../../src/surfaces/socket/protocol.ts";
import { openSocket } from "../../src/surfaces/socket/server.ts";

export type Row = {
  readonly runtime: "loop" | "codex";
  readonly attended: "ask" | "none";
  readonly network: boolean;
};

/** What forty ways into a host came to, for a command that a model has run. */
export type Attacked = Row & {
  readonly tried: number;
  /** Ways that have reached the socket. */
  readonly connected: number;
  /** Callers that the host has let in, over the socket or HTTP. */
  readonly accepted: number;
  /** Ways that have got the token. */
  readonly tokenSeen: readonly string[];
  /** Ways that have got something of the host's own process. */
  readonly hostSeen: readonly string[];
};

const nobodyAsks = (): Promise<never> => Promise.reject(new Error("nobody asks"));

const root = join(import.meta.dirname, "../..");

/** `isHidden: false`: the door is where nobody expects it, as if nothing hid it. */
export async function attack(row: Row, isHidden = true): Promise<Attacked> {
  await using stack = new AsyncDisposableStack();
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  // Not among temporary files: codex's sandbox lets those be written.
  const { path: folder } = stack.use(await tempFolder(cache));
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  const run = join(isHidden ? home : folder, "run");
  await mkdir(home, { mode: 0o700 });
  await mkdir(run, { mode: 0o700 });
  await mkdir(cwd);
  const shortWay = stack.use(await tempFolder());
  await symlink(run, join(shortWay.path, "run"));
  let model: Awaited<ReturnType<typeof startDemoModel>> | undefined;
  const settings = async (command: string): Promise<void> => {
    const call =
      row.runtime === "loop"
        ? { tool: "terminal", args: { command } }
        : { tool: "exec_command", args: { cmd: command, yield_time_ms: 30_000 } };
    const steps = [{ reply: [{ call }] }, { reply: [{ text: "Tried." }] }];
    model = stack.use(await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) }));
    await writeFile(
      join(home, "config.yaml"),
      `model: {provider: mine, default: big, codex_bin: ${JSON.stringify(pinnedCodex())}}
terminal: {network: ${row.network}}
providers:
  mine: {api: "${model.url}", protocol: responses, key_env: MINE_KEY}
`,
      { mode: 0o600 },
    );
    await writeFile(join(home, ".env"), "MINE_KEY=hunter2hunter2\n", { mode: 0o600 });
  };
  // The port is known before the command is: a host of its own opens it.
  const listening = createServer();
  await once(listening.listen(0, "127.0.0.1"), "listening");
  const { port } = listening.address() as { port: number };
  listening.close();
  const target = {
    home: isHidden ? home : folder,
    run,
    socket: join(run, "serve.sock"),
    shortWay: join(shortWay.path, "run/serve.sock"),
    port,
    pid: process.pid,
    protocol: protocolVersion,
    schema: schemaVersion,
  };
  const program = join(import.meta.dirname, "attack.child.ts");
  await settings(`${process.execPath} --no-warnings ${program} '${JSON.stringify(target)}'`);
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const host = stack.use(await openHost({ env, homeDir: folder, cwd, version: "bench" }));
  let accepted = 0;
  const as: typeof host.as = (...caller) => ((accepted += 1), host.as(...caller));
  const counted = { ...host, about: { ...host.about, run }, as };
  stack.use(
    await openSocket({ host: counted, env: {}, version: "bench", status: nobodyAsks, log: () => {} }),
  );
  const http = await openHttp({ host: counted, port });
  if (http !== undefined) stack.use(http);
  const { token } = JSON.parse(await readFile(join(run, "serve.json"), "utf8")) as { token: string };
  const { ended } = await send(host, {
    key: { surface: "cli", account: "", chat: "", messageId: "1" },
    session: { id: newId("ses", systemClock.now()), cwd, surface: "cli", audience: "owner" },
    input: [{ type: "text", text: "go" }],
    whenBusy: "refuse",
    attended: row.attended,
    choices: { runtime: row.runtime },
  });
  const how = await ended;
  const evidence = await readFile(join(cwd, "evidence.json"), "utf8").catch(() => undefined);
  if (evidence === undefined) {
    const items = how === undefined ? [] : await asOwner(host).call("sessions.items", { turn: how.turn });
    throw new Error(`${JSON.stringify(row)}: the command left nothing: ${JSON.stringify(items)}`);
  }
  const found = Object.entries(JSON.parse(evidence) as Record<string, string>);
  const ways = (matches: (outcome: string, name: string) => boolean): readonly string[] =>
    found.flatMap(([name, outcome]) => (matches(outcome, name) ? [name] : []));
  return {
    ...row,
    tried: found.length,
    connected: ways((outcome, name) => name.startsWith("socket:") && outcome.startsWith("got: reached"))
      .length,
    accepted,
    tokenSeen: ways((outcome) => outcome.includes(token)),
    hostSeen: ways(
      (outcome, name) =>
        name.startsWith("proc:") && name !== "proc: every process" && outcome.startsWith("got:"),
    ),
  };
}
