import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EndedEvent } from "../../../src/core/events.ts";
import type { Item } from "../../../src/core/items.ts";
import type { DemoModel } from "../../../src/models/demo/server.ts";
import { codexHome } from "../../fakes/real-codex-home.ts";
import { talariaOn } from "../endpoint.ts";
import type { Line, Result, StartOptions, Talaria } from "../talaria.ts";

/** The real program on the real codex, with a scripted model. Nothing of it may be left when the test is over. */
export type CodexTalaria = Talaria & {
  readonly model: DemoModel;
  readonly codexHome: string;
  /** What the program has in its environment besides what every test gives it. */
  readonly env: Readonly<Record<string, string>>;
  /** One turn: `talaria run --runtime codex --json` with these words. */
  turn(args: readonly string[], options?: StartOptions): Promise<Told>;
};

/** A turn as the lines tell it. */
export type Told = Result & {
  readonly items: readonly Item[];
  readonly ended: EndedEvent;
  notices(code: string): readonly string[];
};

export const onCodex = ["run", "--runtime", "codex", "--json"] as const;

export async function talariaOnCodex(script: readonly object[] | object): Promise<CodexTalaria> {
  await using parts = new AsyncDisposableStack();
  const home = parts.use(await codexHome());
  await writeFile(join(home.path, "config.toml"), quietSettings);
  const it = parts.use(await talariaOn(script));
  const env = { CODEX_HOME: home.path, TMPDIR: join(it.folder, "tmp") };
  await mkdir(env.TMPDIR);
  const kept = parts.move();
  const within = <How extends StartOptions>(how: How): How => ({ ...how, env: { ...env, ...how.env } });
  const run: Talaria["run"] = (args, how = {}) => it.run(args, within(how));
  return {
    ...it,
    codexHome: home.path,
    env,
    run,
    start: (args, how = {}) => it.start(args, within(how)),
    shell: (line, how = {}) => it.shell(line, within(how)),
    turn: async (args, how) => told(await run([...onCodex, ...args], how)),
    async [Symbol.asyncDispose]() {
      const left = await processesOf(it);
      await kept.disposeAsync();
      assert.deepEqual(left, [], "no process is left");
    },
  };
}

/** Codex looks for its catalogue of plugins in the network otherwise. */
export const quietSettings = `check_for_update_on_startup = false
[features]
plugins = false
apps = false
[analytics]
enabled = false
`;

export function told(result: Result): Told {
  const { lines } = result;
  const ended = lines.at(-1);
  assert.equal(ended?.type, "ended", `${result.stdout}\n${result.stderr}`);
  return {
    ...result,
    lines,
    items: itemsOf(lines),
    ended: ended as unknown as EndedEvent,
    notices: (code) =>
      lines.filter((line) => line.type === "notice" && line.code === code).map(({ text = "" }) => text),
  };
}

export const itemsOf = (lines: readonly Line[]): readonly Item[] =>
  lines.filter(({ type }) => type === "item").map((line) => line["item"] as Item);

/** Its processes: the program, codex and what that runs all have its folder as their HOME. */
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
