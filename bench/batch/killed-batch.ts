import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Written } from "../../src/surfaces/cli/batch/results-file.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { serving } from "../../test/e2e/attached/serving.ts";
import { configure } from "../../test/e2e/endpoint.ts";
import { type Started, type Talaria, talaria } from "../../test/e2e/talaria.ts";
import { startAnsweringModel } from "../answering-model.ts";
import type { Random } from "../random.ts";

export type Killed = {
  readonly prompts: number;
  readonly kills: number;
  /** Of these, of a host to which the command was attached. */
  readonly hostKills: number;
  /** Last lines of results that were cut off on purpose. */
  readonly torn: number;
  readonly results: number;
  /** What the model was asked. */
  readonly requests: number;
  readonly broken: readonly string[];
};

const answerTo = (prompt: string): string => `You said: ${prompt}`;
const promptOf = (line: number): string => `This is prompt ${line}.`;

/** Kills the command, or the host that it is attached to, again and again, and looks at what is there in the end. */
export async function killedBatch(
  { prompts, kills }: { readonly prompts: number; readonly kills: number },
  random: Random,
  log: (line: string) => void,
): Promise<Killed> {
  let requests = 0;
  await using model = await startAnsweringModel(({ userTexts }) => {
    requests += 1;
    return {
      content: [{ kind: "text", text: answerTo(userTexts.at(-1) ?? ""), chunks: 3 }],
      delivery: { slowMs: 10 },
    };
  });
  await using it = await talaria();
  await configure(it.home, model.url);
  await writeFile(join(it.home, ".env"), "MINE_KEY=none\n", { mode: 0o600 });
  await writeFile(
    join(it.home, "config.yaml"),
    `${await readFile(join(it.home, "config.yaml"), "utf8")}work: { budget: { day: { turns: 10000, tokens: 1000000000 } } }\n`,
  );
  const lines = Array.from({ length: prompts }, (_, at) => JSON.stringify({ prompt: promptOf(at + 1) }));
  await writeFile(join(it.cwd, "many.jsonl"), `${lines.join("\n")}\n`);
  const out = join(it.cwd, "many.results.jsonl");
  const share = Math.max(1, Math.floor(prompts / (kills + 1)));
  let [hostKills, torn] = [0, 0];
  for (let kill = 1; kill <= kills; kill += 1) {
    const host = random.oneIn(3) ? await serving(it) : undefined;
    const child = await it.start(command);
    const seen = random.below(2 * share);
    await results(child, seen);
    const victim = host !== undefined && random.oneIn(2) ? host : child;
    victim.signal("SIGKILL");
    if (victim === host) hostKills += 1;
    await victim.finished;
    // A command whose host is gone goes on by itself: it is killed in its turn.
    for (const left of [child, host]) left?.signal("SIGKILL");
    await Promise.all([child.finished, host?.finished]);
    if (random.oneIn(4) && (await tear(out, random))) torn += 1;
    log(`kill ${kill}: after ${seen} results, ${victim === host ? "the host" : "the command"}`);
  }
  const last = await it.run(command);
  const broken = last.code === 0 ? [] : [`the last run ended with ${last.code}: ${last.stderr}`];
  const written = (await readFile(out, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Written);
  return {
    prompts,
    kills,
    hostKills,
    torn,
    results: written.length,
    requests,
    broken: [...broken, ...wrongResults(written, prompts), ...(await doneTwice(it, written))],
  };
}

const command = ["batch", "many.jsonl", "--concurrency", "8"];

/** Until so many were told, or it has ended. */
async function results(child: Started, many: number): Promise<void> {
  if (many === 0) return;
  await child.shows(new RegExp(`(?:^[0-9]+/[0-9]+ line.*\\n){${many}}`, "m")).catch(() => {});
}

/** As a machine that loses its power might leave it. */
async function tear(out: string, random: Random): Promise<boolean> {
  const text = await readFile(out).catch(() => Buffer.alloc(0));
  const start = text.lastIndexOf("\n", text.length - 2) + 1;
  if (text.length === 0) return false;
  await truncate(out, start + random.below(text.length - start));
  return true;
}

function wrongResults(written: readonly Written[], prompts: number): readonly string[] {
  const byLine = Map.groupBy(written, ({ line }) => line);
  return Array.from({ length: prompts }, (_, at) => at + 1).flatMap((line) => {
    const [first, ...more] = byLine.get(line) ?? [];
    if (first === undefined) return [`line ${line} has no result`];
    if (more.length > 0) return [`line ${line} has ${more.length + 1} results`];
    const isRight = first.status === "done" && first.answer === answerTo(promptOf(line));
    return isRight ? [] : [`line ${line}: ${JSON.stringify(first)}`];
  });
}

/** An answer that was there, and was asked for again. */
async function doneTwice({ home }: Talaria, written: readonly Written[]): Promise<readonly string[]> {
  await using store = await openSqliteStore(join(home, "talaria.db"));
  const broken: string[] = [];
  for (const { batch, line } of written) {
    const states: string[] = [];
    for (;;) {
      const messageId = `${line} ${states.length + 1}`;
      const input = await store.inbox.named({ surface: "batch", account: "", chat: batch, messageId });
      if (input === undefined) break;
      states.push((input.turn && (await store.turns.get(input.turn))?.state) ?? input.state);
    }
    if (states.filter((state) => state === "done").length !== 1 || states.at(-1) !== "done")
      broken.push(`line ${line}: attempts were ${states.join(", ")}`);
  }
  return broken;
}
