import type { Setup, SetupChoice, SetupFindings } from "../../../core/maintenance.ts";
import { FaultError } from "../../../core/faults.ts";
import { systemClock } from "../../../lib/clock.ts";
import { exitCodeOf, usage } from "../failure.ts";
import type { CliPorts, ExitCode } from "../ports.ts";
import { withProgress } from "../progress.ts";
import type { SetupOptions } from "./setup.ts";
import { choiceText, commandsFor, foundLines, currentSetupText, writtenLines } from "./words.ts";

/** No terminal and no options: shows what was found, and the commands that would set it up. */
export async function explain(
  ports: CliPorts,
  setup: Setup,
  json: boolean,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { stdout } = ports;
  const found = await withProgress(ports, systemClock, "Looking around", () => setup.look(signal));
  const commands = commandsFor(found);
  if (json) {
    stdout.write(`${JSON.stringify({ type: "found", now: setup.now, ...forPrograms(found), commands })}\n`);
    return 2;
  }
  const lines = [
    "Found on this machine:",
    ...foundLines(found).map((line) => `  ${line}`),
    "",
    `Now: ${currentSetupText(setup.now)} (${setup.files.config}).`,
    "",
    "Nobody can be asked here, and nothing was written. Say what you want, or run talaria setup in a terminal:",
    ...commands.map((command) => `  ${command}`),
  ];
  stdout.write(`${lines.join("\n")}\n`);
  return 2;
}

/** Does what the options say, after one real turn with it. Nothing is written when that fails. */
export async function setUp(
  ports: CliPorts,
  setup: Setup,
  options: SetupOptions & { readonly provider: string },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { stdout, stderr } = ports;
  const json = options.json === true;
  const write = (value: object): void => void stdout.write(`${JSON.stringify(value)}\n`);
  const asked = choiceOf(options);
  const problem = await setup.problem(asked);
  if (problem !== undefined) throw new FaultError(problem);
  const choice = await withModel(setup, asked, signal);
  if (options.test) {
    const text = `Trying one turn with ${choiceText(choice)}`;
    const tried = await withProgress(ports, systemClock, text, () => setup.attempt(choice, signal));
    if (json) write({ type: "tried", ...tried });
    if (!tried.ok) {
      const { code, message, next } = tried.fault;
      if (!json)
        stderr.write(
          `talaria: ${message}\n         ${next}\n         Nothing was written; --no-test writes it anyway.\n`,
        );
      return exitCodeOf(code);
    }
    if (!json)
      stdout.write(`A turn with ${choiceText(choice)} worked (${(tried.ms / 1000).toFixed(1)} s).\n`);
  }
  const written = await setup.write(choice);
  if (json) write({ type: "written", ...written });
  if (!json) stdout.write(`${writtenLines(written).join("\n")}\n`);
  return 0;
}

function choiceOf(options: SetupOptions & { readonly provider: string }): SetupChoice {
  const { provider, api, model, keyEnv } = options;
  const runtime = oneOf("--runtime", options.runtime, ["loop", "codex"] as const);
  const protocol = oneOf("--protocol", options.protocol, ["responses", "chat"] as const);
  return {
    provider,
    ...(api === undefined ? {} : { api }),
    ...(model === undefined ? {} : { model }),
    ...(keyEnv === undefined ? {} : { keyEnv }),
    ...(runtime === undefined ? {} : { runtime }),
    ...(protocol === undefined ? {} : { protocol }),
  };
}

function oneOf<Word extends string>(
  option: string,
  given: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (given === undefined) return undefined;
  const word = words.find((one) => one === given);
  if (word === undefined) throw usage(`${option} ${given}: not a choice.`, `Use ${words.join(" or ")}.`);
  return word;
}

/** Where the provider has one model alone, there is nothing to choose. */
async function withModel(setup: Setup, choice: SetupChoice, signal: AbortSignal): Promise<SetupChoice> {
  if (!setup.needsModel(choice)) return choice;
  const models = await setup.models(choice, signal);
  const [only, ...more] = models;
  if (only !== undefined && more.length === 0) return { ...choice, model: only };
  const list = models.length === 0 ? "" : ` It has: ${models.slice(0, 20).join(", ")}.`;
  throw usage(`${choice.provider} needs a model.${list}`, "Name one: --model NAME");
}

/** Programs read these names. */
function forPrograms({ codex, keys, unusedKeys, servers, sandbox }: SetupFindings): object {
  const { confined, ...rest } = sandbox;
  return { codex, keys, strangers: unusedKeys, servers, sandbox: { fenced: confined, ...rest } };
}
