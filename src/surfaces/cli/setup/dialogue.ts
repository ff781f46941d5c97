import type { SetupFindings, Setup, SetupChoice, SetupAttempt } from "../../../core/maintenance.ts";
import { toFailure } from "../../../core/failure.ts";
import { clean, short } from "../../../core/plain-text.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { CliPorts, ExitCode } from "../ports.ts";
import { withProgress } from "../progress.ts";
import { type Asker, Cancelled, asker } from "./ask.ts";
import { askBot, botSteps } from "./bot-questions.ts";
import { askChoice, askModel, askRuntime } from "./questions.ts";
import { choiceText, foundLines, currentSetupText, writtenLines } from "./words.ts";

/** Sets up by asking a person. Cancelling any question writes nothing. */
export async function setUpByAsking(ports: CliPorts, setup: Setup, signal: AbortSignal): Promise<ExitCode> {
  const ask = await asker(ports);
  ask.begin("Setting up Talaria");
  try {
    const choice = await decide(ports, setup, ask, signal);
    const bot = await askBot(setup, ask);
    const written = await setup.write(choice, bot);
    ask.tell(writtenLines(written).join("\n"));
    if (bot !== undefined) ask.tell(botSteps(bot));
    ask.end("Done. Start with: talaria");
    return 0;
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    ask.end("Nothing was written.");
    return 130;
  }
}

/** Repeats until a choice works, or the person keeps it anyway. */
async function decide(ports: CliPorts, setup: Setup, ask: Asker, signal: AbortSignal): Promise<SetupChoice> {
  for (;;) {
    const found = await withProgress(ports, systemClock, "Looking around", () => setup.look(signal));
    ask.tell([...foundLines(found), "", `Now: ${currentSetupText(setup.now)}.`].join("\n"));
    const choice = await complete(ports, setup, ask, found, signal);
    if (choice !== undefined && (await accepted(ports, setup, ask, choice, signal))) return choice;
  }
}

/** `undefined`: it cannot be, and the person was told why. */
async function complete(
  ports: CliPorts,
  setup: Setup,
  ask: Asker,
  found: SetupFindings,
  signal: AbortSignal,
): Promise<SetupChoice | undefined> {
  const first = await askChoice(setup, ask, found);
  if (first === undefined) return undefined;
  const chosen = await askRuntime(setup, ask, found, first);
  const problem = await setup.problem(chosen);
  if (problem !== undefined) {
    ask.warn(`${problem.message}\n${problem.next}`);
    return undefined;
  }
  if (!setup.needsModel(chosen)) return chosen;
  const models = await withProgress(ports, systemClock, "Asking for its models", () =>
    modelsOf(setup, chosen, signal),
  );
  if ("problem" in models) ask.warn(models.problem);
  return { ...chosen, model: await askModel(ask, "problem" in models ? [] : models.models) };
}

async function modelsOf(
  setup: Setup,
  choice: SetupChoice,
  signal: AbortSignal,
): Promise<{ readonly models: readonly string[] } | { readonly problem: string }> {
  try {
    return { models: await setup.models(choice, signal) };
  } catch (error) {
    signal.throwIfAborted();
    const { message, next } = toFailure(error);
    return { problem: `${message}\n${next}` };
  }
}

/** False: the person wants to choose again. */
async function accepted(
  ports: CliPorts,
  setup: Setup,
  ask: Asker,
  choice: SetupChoice,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const text = `Trying one turn with ${choiceText(choice)}`;
    ask.tell(`${text}.`);
    const tried = await withProgress(ports, systemClock, text, () => setup.attempt(choice, signal));
    if (tried.ok) {
      ask.tell(workedText(tried));
      return true;
    }
    ask.warn(`It did not work: ${clean(tried.fault.message)}\n${clean(tried.fault.next)}`);
    const next = await ask.select("What now?", [
      { value: "again", label: "Try again" },
      { value: "other", label: "Choose something else" },
      { value: "save", label: "Save it anyway" },
      { value: "leave", label: "Leave; nothing is written" },
    ]);
    if (next === "leave") throw new Cancelled();
    if (next !== "again") return next === "save";
  }
}

const workedText = ({ ms, text }: Extract<SetupAttempt, { readonly ok: true }>): string =>
  `It works: an answer after ${(ms / 1000).toFixed(1)} s (“${short(text, 60)}”).`;
