import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CardId, CardState } from "../../src/core/cards/cards.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { runCommand } from "../../src/lib/process/command.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import { serving } from "../../test/e2e/attached/serving.ts";
import { configure } from "../../test/e2e/endpoint.ts";
import { type Started, talaria } from "../../test/e2e/talaria.ts";
import { codexHome, quietSettings } from "../../test/fakes/real-codex-home.ts";
import { type CardModel, startCardModel } from "./card-model.ts";
import { processesOf } from "./processes.ts";
import { type Strike, type Struck, strike } from "./strike.ts";

/** A home with a host, the real codex and a repository. */
export type CardsHome = AsyncDisposable & {
  readonly model: CardModel;
  readonly store: Store;
  git(...args: readonly string[]): Promise<string>;
  /** A new card, during which something is killed. Resolves when nobody works on it any more. */
  killed(strike: Strike): Promise<Struck & { readonly card: CardId }>;
  /** Ends the host. What is left then, in words. */
  end(): Promise<readonly string[]>;
};

export async function newHome(): Promise<CardsHome> {
  await using parts = new AsyncDisposableStack();
  const codex = parts.use(await codexHome());
  await writeFile(join(codex.path, "config.toml"), quietSettings);
  const model = parts.use(await startCardModel());
  const it = parts.use(await talaria());
  await configure(it.home, model.url);
  await writeFile(join(it.home, ".env"), "MINE_KEY=none\n", { mode: 0o600 });
  const settings = join(it.home, "config.yaml");
  const more = "work: { budget: { day: { turns: 10000, tokens: 1000000000 } } }\n";
  await writeFile(settings, `${await readFile(settings, "utf8")}${more}`);
  // Codex does not like its home to be inside the folder for temporary files.
  const env = { CODEX_HOME: codex.path, TMPDIR: join(it.folder, "tmp") };
  await mkdir(env.TMPDIR);
  const repository = join(it.folder, "repository");
  const git = await newRepository(repository, it.folder);
  let host: Started = await serving(it, env);
  const store = parts.use(await openSqliteStore(join(it.home, "talaria.db")));
  const kept = parts.move();
  return {
    model,
    store,
    git,
    async killed(wanted) {
      const words = [
        "kanban",
        "add",
        "--json",
        "--runtime",
        "codex",
        "--workspace",
        `worktree:${repository}`,
        "Mend it",
      ];
      const added = await it.run(words, { env });
      if (added.code !== 0) throw new Error(`kanban add: ${added.stdout}${added.stderr}`);
      const card = (JSON.parse(added.stdout) as { id: CardId }).id;
      const isOver = async (): Promise<boolean> =>
        over.has((await store.cards.get(card))?.state ?? "archived");
      await Promise.race([model.request(card, wanted.request), until(isOver)]);
      await systemClock.sleep(wanted.plusMs, undefined, { hold: true });
      const late = await isOver();
      const killed = await strike(wanted, { folder: it.folder, host: host.pid, card }, isOver);
      if (wanted.victim === "host") {
        await host.finished;
        host = await serving(it, env);
      }
      await until(isOver).catch(async (cause: unknown) => {
        const left = await store.cards.details(card);
        throw new Error(
          `${JSON.stringify(wanted)}: ${JSON.stringify(left)}\n${JSON.stringify(await store.inbox.inState("waiting"))}`,
          { cause },
        );
      });
      return { card, victim: wanted.victim, killed, late };
    },
    async end() {
      host.signal("SIGTERM");
      const { code } = await host.finished;
      const left = await processesOf(it.folder);
      return [
        ...(code === 0 ? [] : [`the host ended with ${code}`]),
        ...left.map(({ command }) => `still runs when all is over: ${command.slice(0, 200)}`),
      ];
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const over: ReadonlySet<CardState> = new Set(["done", "blocked", "review", "triage", "archived"]);

/** Another process writes it, and a bench may look now and then. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const last = systemClock.monotonic() + patienceMs;
  while (!(await holds())) {
    if (systemClock.monotonic() > last) throw new Error("the card does not go on");
    await systemClock.sleep(20, undefined, { hold: true });
  }
}

const patienceMs = 90_000;

async function newRepository(cwd: string, home: string): Promise<CardsHome["git"]> {
  await mkdir(cwd);
  const env = { PATH: "/usr/bin:/bin", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const git = async (...args: readonly string[]): Promise<string> => {
    const signal = new AbortController().signal;
    const named = ["-c", "user.name=t", "-c", "user.email=t@t", ...args];
    const ran = await runCommand({ command: "git", args: named, cwd, env, clock: systemClock, signal });
    if (ran.code !== 0) throw new Error(ran.stderr);
    return ran.stdout.trim();
  };
  await git("init", "-q", "-b", "main");
  await git("commit", "-q", "--allow-empty", "-m", "begin");
  return git;
}
