import { Argument, Command, CommanderError } from "commander";
import { short } from "../../core/plain-text.ts";
import { closest } from "../../core/suggestion.ts";
import type { CliGrammar } from "../../operations/operation.ts";
import { cliWords, operations } from "../../operations/table.ts";
import type { Options } from "./action.ts";
import { codexArguments, runCodex } from "./codex-command.ts";
import { reportFailure, usage } from "./failure.ts";
import type { ChatOptions } from "./chat.ts";
import type { CliPorts, ExitCode } from "./ports.ts";

/** Runs the command line to its exit code. Parts are loaded when they are used, so that start-up stays short. */
export async function runCli(ports: CliPorts): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = describeProgram(ports, (exit) => (code = exit));
  try {
    const forCodex = codexArguments(ports.argv);
    if (forCodex !== undefined) return await runCodex(ports, forCodex);
    await program.parseAsync([...ports.argv], { from: "user" });
    return code;
  } catch (error) {
    const json = ports.argv.includes("--json");
    if (!(error instanceof CommanderError)) return reportFailure(error, { ...ports, json });
    // Commander has already told people, and help and version end with 0; a program reads lines.
    if (error.exitCode === 0) return 0;
    return json ? reportFailure(usage(error.message.replace(/^error: /, "")), { ...ports, json }) : 2;
  }
}

function describeProgram(ports: CliPorts, exit: (code: ExitCode) => void): Command {
  const program = new Command("talaria")
    .description("A personal agent that remembers, on the runtime you choose.\nWithout a command: a chat.")
    .version(ports.version, "-v, --version")
    .option("-p, --profile <name>", "use the profile NAME (a separate home)")
    .option("-r, --resume [id]", "go on with this session, or choose one")
    .option("-c, --continue", "go on with the newest session of this folder")
    .option("--plain", "lines only, also on a terminal")
    .option("--no-attach", "run turns in this process, also while `talaria serve` runs")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void ports.stdout.write(text),
      writeErr: (text) => void ports.stderr.write(text),
    })
    .showHelpAfterError("(talaria --help lists the commands)")
    .allowExcessArguments()
    .action(async (options: ChatOptions, { args, commands }: Command) => {
      if (args[0] !== undefined) throw unknownCommand(args[0], commands);
      exit(await (await import("./chat.ts")).chat(ports, options));
    });
  const grammars = operations.flatMap(({ cli = [], help }) =>
    [cli].flat().map((grammar: CliGrammar) => ({ help, ...grammar })),
  );
  for (const [word, about] of Object.entries(cliWords)) {
    const parent = about === "" ? program : program.command(word).description(about);
    for (const grammar of grammars)
      if (grammar.usage.split(" ", 1).includes(word)) describe(parent, program, grammar, ports, exit);
  }
  return program;
}

function describe(
  parent: Command,
  program: Command,
  grammar: CliGrammar & { readonly help: string },
  ports: CliPorts,
  exit: (code: ExitCode) => void,
): void {
  const {
    usage: typed,
    help,
    options = {},
    json,
    isDefault = false,
    anyWords = false,
    choices,
    argument: about,
  } = grammar;
  const [first = "", second = ""] = typed.split(" ");
  const ownWords = parent === program ? typed : typed.slice(first.length + 1);
  const [name = "", ...args] = ownWords.split(" ");
  const command = parent.command(name, { isDefault }).description(help).allowExcessArguments(anyWords);
  for (const one of args) {
    const argument = new Argument(one, about);
    command.addArgument(choices === undefined ? argument : argument.choices([...choices]));
  }
  for (const [flags, meaning] of Object.entries(options))
    if (meaning.endsWith("may be repeated")) command.option(flags, meaning, collect, []);
    else command.option(flags, meaning);
  if (json !== undefined) command.option("--json", json === true ? "JSON lines" : json);
  command.action(async () => {
    const { perform } = await import("./perform.ts");
    const said = { words: command.args, options: command.optsWithGlobals<Options>(), ports };
    exit(await perform(first, parent === program ? "" : second, said, program));
  });
}

function unknownCommand(word: string, commands: readonly Command[]): Error {
  const near = closest(
    word,
    commands.map((command) => command.name()),
  );
  const hint = near === undefined ? "" : `Did you mean talaria ${near}? `;
  return usage(
    `There is no command ${short(word, 60)}.`,
    `${hint}talaria --help lists the commands; talaria run "…" asks something.`,
  );
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value];
