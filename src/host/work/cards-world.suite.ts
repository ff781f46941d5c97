import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import type { Card, CardState } from "../../core/cards/cards.ts";
import type { Host } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import type { Store } from "../../store/store.ts";
import { openHost } from "../index.ts";
import { emptyDatabase } from "../../../test/postgres.ts";
import { testEngine } from "../../../test/stores.ts";

export const call = (tool: string, args: object): object => ({ reply: [{ call: { tool, args } }] });
export const says = (text: string): object => ({ reply: [{ text }] });

export type CardsWorld = Awaited<ReturnType<typeof cardsWorld>>;

/** A home on the loop, a repository with one commit, and a host that works on cards as this script says. */
export async function cardsWorld(
  t: TestContext,
  steps: readonly object[],
  settings = "terminal: {security_mode: unrestricted}",
  more: Parameters<typeof openHost>[0]["seams"] = {},
) {
  // Codex does not like its home among temporary files.
  const cache = join(import.meta.dirname, "../../../node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const made = await tempFolder(cache);
  t.after(() => made[Symbol.asyncDispose]());
  const folder = made.path;
  const [home, repository] = [join(folder, "home"), join(folder, "repository")];
  for (const each of [home, repository]) await mkdir(each, { mode: 0o700 });
  const gitEnv = { PATH: "/usr/bin:/bin", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const git = async (...args: readonly string[]): Promise<string> => {
    const ran = await runCommand({
      command: "git",
      args: ["-c", "user.name=t", "-c", "user.email=t@t", ...args],
      cwd: repository,
      env: gitEnv,
      clock: systemClock,
      signal: new AbortController().signal,
    });
    if (ran.code !== 0) throw new Error(ran.stderr);
    return ran.stdout.trim();
  };
  await git("init", "-q", "-b", "main");
  await writeFile(join(repository, "roof.txt"), "leaks\n");
  await git("add", "-A");
  await git("commit", "-q", "-m", "begin");
  const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });
  t.after(() => model[Symbol.asyncDispose]());
  const database = testEngine === "postgres" ? await emptyDatabase() : undefined;
  t.after(() => database?.[Symbol.asyncDispose]());
  const config = [
    "model: {provider: mine, default: gpt-5.5}",
    `providers:\n  mine: {api: "${model.url}", protocol: responses}`,
    "auxiliary: {title_generation: {enabled: false}}",
    ...(database === undefined ? [] : [`database: {url: "${database.url}"}`]),
    settings,
  ];
  await writeFile(join(home, "config.yaml"), config.join("\n"), { mode: 0o600 });
  const bin = join(import.meta.dirname, "../../../node_modules/.bin");
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, TALARIA_HOME: home };
  const watching = watched();
  const seams = { wrapStore: watching.wrap, ...more };
  const open = (executor = true): Promise<Host> =>
    openHost({ env, homeDir: folder, cwd: folder, version: "test", executor, longLived: executor, seams });
  return { folder, home, repository, git, model, env, open, becomes: watching.becomes };
}

/** Says when a card is written in a state. */
function watched() {
  const waiting: { readonly states: readonly CardState[]; readonly resolve: (card: Card) => void }[] = [];
  return {
    wrap: (store: Store): Store => ({
      ...store,
      cards: {
        ...store.cards,
        async change(wanted, decide) {
          const said = await store.cards.change(wanted, decide);
          const card = said as Partial<Card> | undefined;
          for (const one of waiting)
            if (card?.state !== undefined && one.states.includes(card.state)) one.resolve(card as Card);
          return said;
        },
      },
    }),
    becomes: (...states: readonly CardState[]): Promise<Card> =>
      new Promise((resolve) => waiting.push({ states, resolve })),
  };
}
