import { Argument, Command, CommanderError, Option } from "commander";
import { short } from "../../core/plain-text.ts";
import { closest } from "../../core/suggestion.ts";
import { systemClock } from "../../lib/clock.ts";
import { codexArguments, runCodex } from "./codex-command.ts";
import { describeCodexRuntime } from "./codex-runtime.ts";
import { reportFailure, usage } from "./failure.ts";
import type { ApprovalsOptions } from "./approvals.ts";
import type { ChatOptions } from "./chat.ts";
import type { EventsOptions } from "./events.ts";
import type { DoctorOptions } from "./doctor.ts";
import { describeLearned, describeSkills } from "./describe-learned.ts";
import { listing } from "./listing.ts";
import type { McpServersOptions } from "./mcp-servers.ts";
import type { AcpOptions, CliPorts, ExitCode, McpOptions } from "./ports.ts";
import { withProgress } from "./progress.ts";
import type { RunOptions } from "./run.ts";
import type { SelftestOptions } from "./selftest.ts";
import type { SessionsOptions } from "./sessions.ts";
import type { SetupOptions } from "./setup/setup.ts";
import type { ToolsOptions } from "./tools.ts";
import type { ContextOptions } from "./context.ts";
import type { UsageOptions } from "./usage.ts";

export type { CliPorts, ExitCode, HostOptions, ScreenOptions, Settings } from "./ports.ts";

/** Runs the command line to its exit code. Parts are loaded when they are used, so that start-up stays short. */
export async function runCli(given: CliPorts): Promise<ExitCode> {
  const ports: CliPorts = {
    ...given,
    openHost: (options) =>
      withProgress(given, systemClock, "Opening the store", () => given.openHost(options)),
  };
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

function describeProgram(ports: CliPorts, exit: (code: ExitCode) => void): Command {
  const program = new Command("talaria")
    .description("A personal agent that remembers, on the runtime you choose.\nWithout a command: a chat.")
    .version(ports.version, "-v, --version")
    .option("-p, --profile <name>", "use the profile NAME (a separate home)")
    .option("-r, --resume [id]", "go on with this session, or choose one")
    .option("-c, --continue", "go on with the newest session of this folder")
    .option("--plain", "lines only, also on a terminal")
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
  describeRun(program, ports, exit);
  describeSessions(program, ports, exit);
  describeApprovals(program, ports, exit);
  describeTools(program, ports, exit);
  describeLearned(program, ports, exit);
  describeSkills(program, ports, exit);
  describeConfig(program, ports, exit);
  describeProfiles(program, ports);
  describeCodex(program, ports, exit);
  describeUsage(program, ports, exit);
  describeContext(program, ports, exit);
  describeEvents(program, ports, exit);
  describeAcp(program, ports, exit);
  describeMcp(program, ports, exit);
  describeMcpServers(program, ports, exit);
  describeMaintenance(program, ports, exit);
  describeCompletion(program, ports);
  return program;
}

function describeMaintenance(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  program
    .command("setup")
    .description("choose who answers, try it, and write it down; asks on a terminal")
    .option("--provider <name>", "a provider that Talaria knows, or a name for a new one")
    .option("--api <url>", "the address of a new one")
    .option("--protocol <which>", "what it speaks: responses or chat")
    .option("--key-env <variable>", "the variable that holds its key")
    .option("--model <name>", "the model")
    .option("--runtime <name>", "who runs the turns: loop or codex")
    .option("--no-test", "write it without trying a turn")
    .option("--json", "JSON lines")
    .action(async (_options: unknown, command: Command) =>
      exit(await (await import("./setup/setup.ts")).setup(ports, command.optsWithGlobals<SetupOptions>())),
    );
  program
    .command("doctor")
    .description("check the installation; says what to do about whatever is wrong")
    .option("--fix", "fix what can be fixed without losing anything, then check again")
    .option("--json", "one JSON line for each check, and a summary")
    .action(async (_options: unknown, command: Command) =>
      exit(await (await import("./doctor.ts")).doctor(ports, command.optsWithGlobals<DoctorOptions>())),
    );
  program
    .command("selftest")
    .description("whole turns on both runtimes with the built-in model, offline, in a home of their own")
    .option("--json", "one JSON line for each step, and a summary")
    .action(async (_options: unknown, command: Command) =>
      exit(await (await import("./selftest.ts")).selftest(ports, command.optsWithGlobals<SelftestOptions>())),
    );
}

function describeCompletion(program: Command, { stdout }: CliPorts): void {
  program
    .command("completion")
    .description("a script that completes commands and options, for bash, zsh or fish")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .action(async (shell: "bash" | "zsh" | "fish") => {
      const { completionScript } = await import("./completion/completion.ts");
      stdout.write(completionScript(program, shell));
    });
}

function describeRun(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  program
    .command("run")
    .description('send one message and show the turn; "-" reads it from stdin')
    .argument("<text...>", "the message")
    .addOption(new Option("--runtime <name>", "who runs the turn: loop or codex"))
    .option("--session <id>", "go on with this session; the beginning of its id is enough")
    .option("--continue", "go on with the newest session of this folder")
    .option("--cwd <folder>", "work in this folder")
    .option("--model <name>", "use this model from now on in this session")
    .option("--effort <level>", "how hard the model should think")
    .option("--image <file>", "send a picture too; may be repeated", collect, [])
    .option("--schema <file>", "the answer must follow this JSON Schema")
    .option("--approve <how>", "who answers approvals: ask (a terminal), none, all")
    .option("--no-memory", "leave memory out of this turn")
    .option("--no-context", "leave the project's own instructions out of this turn")
    .option("--record", "keep every frame between Talaria and codex in a file")
    .option("-q, --quiet", "only the answer")
    .option("--json", "every event as a JSON line")
    .action(async (words: string[], _options: unknown, command: Command) =>
      exit(await (await import("./run.ts")).run(ports, words, command.optsWithGlobals<RunOptions>())),
    );
}

function describeSessions(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  const parent = program.command("sessions").description("list, read, search, export and delete sessions");
  const add = (
    action: "list" | "show" | "search" | "export" | "delete",
    args: string,
    help: string,
  ): Command =>
    listing(parent, `${action}${args}`, help, async (command) => {
      const { sessions } = await import("./sessions.ts");
      exit(await sessions(ports, action, command.args, command.optsWithGlobals<SessionsOptions>()));
    });
  add("list", "", "the newest sessions").option("--limit <n>", "how many");
  add("show", " <id>", "a session's messages");
  add("search", " <words...>", "find words in all sessions").option("--limit <n>", "how many");
  add("export", " <id>", "a session as a file on stdout").option("--format <how>", "jsonl or md");
  add("delete", " <id>", "delete a session for good").option("--yes", "really");
}

function describeApprovals(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  const parent = program
    .command("approvals")
    .description("what was asked and decided, and what is allowed beforehand");
  const add = (
    action: "list" | "show" | "answer" | "revoke" | "rules",
    args: string,
    help: string,
  ): Command =>
    listing(parent, `${action}${args}`, help, async (command) => {
      const { approvals } = await import("./approvals.ts");
      exit(await approvals(ports, action, command.args, command.optsWithGlobals<ApprovalsOptions>()));
    });
  add("list", "", "the newest decisions and open questions")
    .option("--pending", "only what waits for an answer")
    .option("--limit <n>", "how many");
  add("show", " <id>", "one of them, as it was shown");
  add("answer", " <id> <choice>", "answer an open question: once, session, always or deny");
  add("revoke", " <id>", "take back what was allowed for a session or always");
  add("rules", "", "what asks, what does not, and what is allowed beforehand");
}

function describeTools(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  const parent = program.command("tools").description("what a turn may do, and switching it on and off");
  const add = (action: "list" | "on" | "off", args: string, help: string, isDefault = false): Command =>
    listing(
      parent,
      `${action}${args}`,
      help,
      async (command) => {
        const { tools } = await import("./tools.ts");
        exit(await tools(ports, action, command.args, command.optsWithGlobals<ToolsOptions>()));
      },
      isDefault,
    );
  add("list", "", "all tools, by set; also what `tools` alone does", true);
  add("on", " <names...>", "switch on tools or whole sets of them");
  add("off", " <names...>", "switch off tools or whole sets of them");
}

function describeMcpServers(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  const parent = program
    .command("mcp-servers")
    .description("your MCP servers, as turns on the loop use them");
  const add = (action: "list" | "show" | "approve" | "restart", args: string, help: string): Command =>
    listing(parent, `${action}${args}`, help, async (command) => {
      const { mcpServers } = await import("./mcp-servers.ts");
      exit(await mcpServers(ports, action, command.args, command.optsWithGlobals<McpServersOptions>()));
    });
  add("list", "", "start them all, and say how they are");
  add("show", " <server>", "one of them with its tools, and what changed");
  add("approve", " <server> <tool> <mark>", "let a tool be used that has changed since it was first seen");
  add("restart", " <server>", "try to start it, and say how it is");
}

function describeConfig(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  const parent = program.command("config").description("read and change config.yaml; comments survive");
  const add = (action: "path" | "get" | "set" | "unset", args: string, help: string): Command =>
    parent
      .command(`${action}${args}`)
      .description(help)
      .action(async (...all: unknown[]) => {
        const command = all.at(-1) as Command;
        const { configCommand } = await import("./config-command.ts");
        exit(
          await configCommand(ports, action, command.args, command.optsWithGlobals<{ profile?: string }>()),
        );
      });
  add("path", "", "where the file is");
  add("get", " <key>", "the value of a setting, like model.default");
  add("set", " <key> <value>", "change a setting");
  add("unset", " <key>", "remove a setting");
}

function describeProfiles(program: Command, ports: CliPorts): void {
  const parent = program
    .command("profile")
    .description("separate homes, each with its own settings and sessions");
  parent
    .command("list")
    .description("the profiles there are")
    .action(async () => {
      for (const name of await (await ports.profiles()).list()) ports.stdout.write(`${name}\n`);
    });
  parent
    .command("create <name>")
    .description("make a new one; use it with -p NAME")
    .action(async (name: string) => {
      const home = await (await ports.profiles()).create(name);
      ports.stdout.write(`The profile ${name} is in ${home}. Use it: talaria -p ${name}\n`);
    });
}

function describeCodex(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  program
    .command("replay <file>")
    .description("show what a recording says, without codex; ends with one summary line")
    .option("--json", "every event as a JSON line")
    .action(async (file: string, options: { json?: boolean }) => {
      const { replayRecording } = await import("./replay.ts");
      exit(await replayRecording(ports, file, options.json === true));
    });
  program
    .command("codex [args...]")
    // For the help text; codex's own arguments never come this far.
    .description("run the codex that Talaria uses, with these arguments");
  describeCodexRuntime(program, ports, exit);
}

function describeUsage(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  program
    .command("usage")
    .description("what was used and what it cost, by day, model and cause")
    .option("--session <id>", "only this session; the beginning of its id is enough")
    .option("--days <n>", "the last N days (UTC), today included; 30 without --session")
    .option("--json", "JSON lines")
    .action(async (_options: unknown, command: Command) =>
      exit(await (await import("./usage.ts")).usage(ports, command.optsWithGlobals<UsageOptions>())),
    );
}

function describeEvents(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  program
    .command("events")
    .description("what happened in all sessions, in order; --follow goes on as it happens")
    .option("--follow", "stay, and show what happens from now on; Ctrl+C ends it")
    .option("--after <cursor>", "begin behind this cursor of an earlier event; `start` is all that is kept")
    .option("--session <id>", "only this session; the beginning of its id is enough")
    .option("--json", "JSON lines, each with its cursor")
    .action(async (_options: unknown, command: Command) =>
      exit(await (await import("./events.ts")).events(ports, command.optsWithGlobals<EventsOptions>())),
    );
}

function describeContext(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  program
    .command("context")
    .description("what the next turn gives to the model, line by line")
    .option("--session <id>", "of this session; the beginning of its id is enough")
    .option("--json", "JSON lines")
    .action(async (_options: unknown, command: Command) =>
      exit(await (await import("./context.ts")).context(ports, command.optsWithGlobals<ContextOptions>())),
    );
}

function describeAcp(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  program
    .command("acp")
    .description("serve an editor over stdin and stdout (Agent Client Protocol)")
    .option("--check", "only say whether an editor could work with it")
    .action(async (_options: unknown, command: Command) =>
      exit(await ports.acp(command.optsWithGlobals<AcpOptions>())),
    );
}

function describeMcp(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  program
    .command("mcp")
    .description("serve Talaria's tools to another agent over stdin and stdout (Model Context Protocol)")
    .option("--tools <names>", "only these toolsets or tools, with commas between them")
    .option("--with-local-tools", "also the tools for commands and files of this machine")
    .action(async (_options: unknown, command: Command) =>
      exit(await ports.mcp(command.optsWithGlobals<McpOptions>())),
    );
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value];
