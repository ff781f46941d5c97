import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EndedEvent } from "../../../src/core/events.ts";
import type { Item } from "../../../src/core/items.ts";
import type { Json } from "../../../src/core/json.ts";
import { readSide } from "../../../src/runtimes/codex/thread/turn-side.ts";
import type { RecordedRequest } from "../../fakes/request-log.ts";
import { codexHome, quietSettings } from "../../fakes/real-codex-home.ts";
import { type OnEndpoint, talariaOn } from "../endpoint.ts";
import type { Line, Result, Started, StartOptions, Talaria } from "../talaria.ts";
import { whenChanged } from "./watching.ts";

/** The real program on the real codex, with a scripted model. No process of it may be left when the test is over. */
export type CodexTalaria = OnEndpoint & {
  readonly codexHome: string;
  /** What the program gets in its environment besides what every test gives it. */
  readonly env: Readonly<Record<string, string>>;
  /** `talaria run --runtime codex --json` with these words and options, to its end. */
  turn(args: readonly string[], options?: StartOptions): Promise<Told>;
  /** The same, while it runs. */
  startTurn(args: readonly string[]): Promise<Started>;
};

/** A turn as the lines tell it. */
export type Told = Result & {
  readonly items: readonly Item[];
  readonly ended: EndedEvent;
  /** The thread of codex on which it ran. */
  readonly thread: string | undefined;
  /** The texts of the notices with this code. */
  notices(code: string): readonly string[];
};

type Options = {
  readonly onRequest?: (request: RecordedRequest) => unknown;
  /** Why the ledger need not have what the model reported. */
  readonly unaccounted?: string;
};

export async function talariaOnCodex(
  script: readonly object[] | object,
  options: Options = {},
): Promise<CodexTalaria> {
  await using parts = new AsyncDisposableStack();
  const home = parts.use(await codexHome());
  await writeFile(join(home.path, "config.toml"), quietSettings);
  const it = parts.use(await talariaOn(script, options));
  // Codex does not like its home to be inside the folder for temporary files.
  const env = { CODEX_HOME: home.path, TMPDIR: join(it.folder, "tmp") };
  await mkdir(env.TMPDIR);
  const kept = parts.move();
  const within = <How extends StartOptions>(how: How): How => ({ ...how, env: { ...env, ...how.env } });
  const start: Talaria["start"] = (args, how = {}) => it.start(args, within(how));
  const run: Talaria["run"] = (args, how = {}) => it.run(args, within(how));
  return {
    ...it,
    codexHome: home.path,
    env,
    world: { ...it.world, env: { ...it.world.env, ...env } },
    run,
    start,
    shell: (line, how = {}) => it.shell(line, within(how)),
    turn: async (args, how) => told(await run([...runOnCodex, ...args], how)),
    startTurn: (args) => start([...runOnCodex, ...args]),
    async [Symbol.asyncDispose]() {
      await it.endHost();
      const left = await processesOf(it);
      await kept.disposeAsync();
      assert.deepEqual(left, [], "no process is left");
    },
  };
}

/** Codex has a provider of its own; Talaria, by these settings, knows only that codex has a login. */
export async function ownProvider(it: Pick<CodexTalaria, "codexHome" | "model">): Promise<string> {
  const settings = `model = "gpt-5.5"
model_provider = "own"
${quietSettings}
[model_providers.own]
name = "own"
base_url = "${it.model.url}"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`;
  await writeFile(join(it.codexHome, "config.toml"), settings);
  return "model: { provider: openai-codex, openai_runtime: codex_app_server }\n";
}

const runOnCodex = ["run", "--runtime", "codex", "--json"] as const;

export function told(result: Result): Told {
  const { lines } = result;
  const ended = lines.at(-1);
  assert.equal(ended?.type, "ended", `${result.stdout}\n${result.stderr}`);
  return {
    ...result,
    lines,
    items: itemsOf(lines),
    ended: ended as unknown as EndedEvent,
    thread: readSide(ended?.["side"] as Json | undefined)?.thread,
    notices: (code) =>
      lines.filter((line) => line.type === "notice" && line.code === code).map(({ text = "" }) => text),
  };
}

export const itemsOf = (lines: readonly Line[]): readonly Item[] =>
  lines.filter(({ type }) => type === "item").map((line) => line["item"] as Item);

/** A part of a reply: codex's own tool for commands. It is waited for as long as codex can, else the model goes on. */
export const runs = (cmd: string): object => ({
  call: { tool: "exec_command", args: { cmd, yield_time_ms: 30_000 } },
});

/** A command that does not end by itself, and what it starts neither. */
export const endless = runs("setsid sleep 600 & sleep 601 & touch begun; sleep 602");

/** Resolves when it runs, and the program knows. */
export async function endlessBegun({ cwd }: Talaria, child: Started): Promise<void> {
  await child.shows(/"type":"begin".*touch begun/);
  await whenChanged(cwd, async () => (await readdir(cwd)).includes("begun"));
}

/** Pid and command of its processes: the program, codex and what that runs all have its folder as their HOME. */
export async function processesOf({ folder }: Talaria): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      if (!environment.split("\0").includes(`HOME=${folder}`)) return [];
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return [`${pid} ${command.replaceAll("\0", " ").slice(0, 200)}`];
    }),
  );
  return found.flat();
}

/** The one process of it whose command looks like that. */
export async function pidOf(it: Talaria, command: RegExp): Promise<number> {
  const [found, ...more] = (await processesOf(it)).filter((line) => command.test(line));
  assert.ok(found !== undefined && more.length === 0, `one process like ${command}`);
  return Number.parseInt(found, 10);
}
