import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Limit } from "../../../core/spend.ts";
import type { BatchResult, BatchStop } from "../../../core/work/batch.ts";
import { systemClock } from "../../../lib/clock.ts";
import { type Options, textOf, wholeNumber } from "../action.ts";
import { usage } from "../failure.ts";
import type { CliPorts, ExitCode } from "../ports.ts";
import { isRuntime, notARuntime } from "../runtime-option.ts";
import { unpricedWarnings } from "../unpriced.ts";
import { budgetOf } from "../work.ts";
import { isFolder } from "../../../lib/files/is-folder.ts";
import { type BatchFile, type ForAll, type Prompt, readBatch } from "./batch-file.ts";
import { type BatchProgress, batchProgress } from "./batch-progress.ts";
import { type ResultsFile, openResults } from "./results-file.ts";

/** `talaria batch`: many prompts, each done once, also when it is stopped or killed and typed again. */
export async function batch(
  ports: CliPorts,
  [file = ""]: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const path = resolve(ports.cwd, file);
  const known = await readBatch(await contentOf(path, file), await forAll(ports.cwd, options));
  if (known.problems.length > 0) throw badLines(file, known.problems);
  if (known.prompts.length === 0)
    throw usage(`There is no prompt in ${file}.`, "Write one JSON line for each.");
  const concurrency = wholeNumber("--concurrency", textOf(options["concurrency"]) ?? "4");
  const out = resolve(ports.cwd, textOf(options["out"]) ?? `${path.replace(/\.jsonl$/, "")}.results.jsonl`);
  if (out === path) throw usage("The results would replace the prompts.", "Name another file with --out.");
  const retry = options["retry"] === true;
  const { budget: total } = budgetOf(textOf(options["budget"]));
  await using results = await openResults(out, known.batch, { retry, clock: systemClock });
  const done = new Set(results.known.map(({ line }) => line));
  const left = known.prompts.filter(({ line }) => !done.has(line));
  const progress = batchProgress(ports, {
    total: known.prompts.length,
    json: options.json === true,
    before: results.known,
  });
  const stop = stopping(ports);
  using _ = stop;
  if (left.length > 0) {
    const { profile } = options;
    const where = { ...(profile === undefined ? {} : { profile }), attach: options["attach"] !== false };
    await using client = await ports.openHost(where);
    for (const warning of await unpricedWarnings(client, total, models(left)))
      ports.stderr.write(`talaria: warning: ${warning}\n`);
    const share = shareOf(total, concurrency);
    const limits = total === undefined ? {} : { total, budget: share };
    const again = retry ? { again: true } : {};
    const name = basename(path);
    const ask = ({ id: _id, ...prompt }: Prompt): Promise<BatchResult | BatchStop> =>
      client.call("batch.line", {
        batch: known.batch,
        title: `${name}:${prompt.line}`,
        ...prompt,
        ...limits,
        ...again,
      });
    await runAll({ known, left, concurrency, ask, results, progress, stop });
  }
  progress.clear();
  return summary(ports, { known, progress, stop, out, json: options.json === true });
}

async function contentOf(path: string, file: string): Promise<Buffer> {
  return readFile(path).catch((error: Error) => {
    throw usage(`${file} cannot be read: ${error.message}.`);
  });
}

async function forAll(cwd: string, options: Options): Promise<ForAll> {
  const [said, runtime, model] = ["cwd", "runtime", "model"].map((name) => textOf(options[name]));
  const folder = resolve(cwd, said ?? ".");
  if (!(await isFolder(folder))) throw usage(`--cwd ${said}: there is no such folder.`);
  if (runtime !== undefined && !isRuntime(runtime)) throw notARuntime(runtime);
  return {
    cwd: folder,
    ...(runtime === undefined ? {} : { runtime }),
    ...(model === undefined ? {} : { model }),
  };
}

const shown = 20;

function badLines(file: string, problems: readonly string[]): Error {
  const more = problems.length > shown ? [`and ${problems.length - shown} more`] : [];
  const list = [...problems.slice(0, shown), ...more].join("\n  ");
  return usage(
    `${file} cannot be run, and nothing was begun:\n  ${list}`,
    "Mend these lines, and try again.",
  );
}

const models = (prompts: readonly Prompt[]): readonly (string | undefined)[] =>
  prompts.map(({ model }) => model);

/** What one prompt may use, so that those under way at once cannot use more than there is. */
function shareOf({ tokens, usd }: Limit = {}, concurrency: number): Limit {
  return {
    ...(tokens === undefined ? {} : { tokens: Math.max(1, Math.floor(tokens / concurrency)) }),
    ...(usd === undefined ? {} : { usd: usd / concurrency }),
  };
}

type Stopping = Disposable & {
  /** Begin nothing more. */
  readonly isAsked: boolean;
  /** Why, if nobody has asked for it. */
  reason?: BatchStop | unknown;
  code: ExitCode;
};

/** The first Ctrl+C lets what is under way end; the next one ends the process, which loses nothing either. */
function stopping(ports: CliPorts): Stopping {
  let isAsked = false;
  const stop: Stopping = {
    get isAsked() {
      return isAsked || stop.reason !== undefined;
    },
    code: 1,
    [Symbol.dispose]: () => leave(),
  };
  const leave = ports.onInterrupt((signal) => {
    leave();
    isAsked = true;
    stop.code = signal === "SIGTERM" ? 143 : 130;
    ports.stderr.write("\ntalaria: stopping; what is under way ends first. Once more leaves at once.\n");
  });
  return stop;
}

type Run = {
  readonly known: BatchFile;
  readonly left: readonly Prompt[];
  readonly concurrency: number;
  readonly ask: (prompt: Prompt) => Promise<BatchResult | BatchStop>;
  readonly results: ResultsFile;
  readonly progress: BatchProgress;
  readonly stop: Stopping;
};

async function runAll({ known, left, concurrency, ask, results, progress, stop }: Run): Promise<void> {
  const waiting = left.values();
  const worker = async (): Promise<void> => {
    for (const prompt of waiting) {
      if (stop.isAsked) return;
      progress.begun();
      try {
        const answer = await ask(prompt);
        if ("stopped" in answer) return void (stop.reason ??= answer);
        const id = prompt.id === undefined ? {} : { id: prompt.id };
        const row = { batch: known.batch, ...id, ...answer };
        results.add(row);
        progress.ended(row);
      } catch (error) {
        // Nobody can say what came of it; the same command finds out.
        return void (stop.reason ??= error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

type Ended = {
  readonly known: BatchFile;
  readonly progress: BatchProgress;
  readonly stop: Stopping;
  readonly out: string;
  readonly json: boolean;
};

function summary(ports: CliPorts, { known, progress, stop, out, json }: Ended): ExitCode {
  const { prompts } = known;
  const { counts } = progress;
  const ended = [...counts.values()].reduce((sum, many) => sum + many, 0);
  const left = prompts.length - ended;
  const what = [...counts].map(([status, many]) => `${many} ${status}`);
  const line = `${prompts.length} ${prompts.length === 1 ? "prompt" : "prompts"}: ${[...what, ...(left === 0 ? [] : [`${left} left`])].join(", ")}.`;
  const say = (text: string): void => void (json ? ports.stderr : ports.stdout).write(`${text}\n`);
  say(line);
  if (ended > 0) say(`Results: ${out}`);
  const { reason } = stop;
  if (isStop(reason))
    ports.stderr.write(`talaria: it has stopped: ${reason.why}.\n         ${reason.next}\n`);
  else if (reason !== undefined) throw reason;
  else if (left > 0) ports.stderr.write("talaria: the same command goes on with what is left.\n");
  if (left > 0) return stop.code;
  const bad = ended - (counts.get("done") ?? 0);
  if (bad > 0) say(`The same command with --retry tries ${bad === 1 ? "that one" : `those ${bad}`} again.`);
  return bad === 0 ? 0 : 1;
}

const isStop = (it: unknown): it is BatchStop => typeof it === "object" && it !== null && "stopped" in it;
