import type { Command } from "commander";
import type { LearnedOptions } from "./learned.ts";
import { listing } from "./listing.ts";
import type { CliPorts, ExitCode } from "./ports.ts";
import type { SkillsOptions } from "./skills.ts";

/** `talaria learned …`, described without loading what it does. */
export function describeLearned(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  const parent = program
    .command("learned")
    .description("what was learned, what waits for you, and taking it back");
  const add = (
    action: "list" | "show" | "approve" | "reject" | "revert" | "forget" | "unforget",
    args: string,
    help: string,
    isDefault = false,
  ): Command =>
    listing(
      parent,
      `${action}${args}`,
      help,
      async (command) => {
        const { learned } = await import("./learned.ts");
        exit(await learned(ports, action, command.args, command.optsWithGlobals<LearnedOptions>()));
      },
      isDefault,
    );
  add("list", "", "the newest changes; also what `learned` alone does", true)
    .allowExcessArguments()
    .option("--since <when>", "24h, 7d, 2w or 2026-01-31; 7d unless set, 30d with --plot")
    .option("--plot", "a chart by day: learned, used, calls for each turn")
    .option("--limit <n>", "how many");
  add("show", " <ids...>", "what they changed, who wanted it, and what it rests on");
  add("approve", " <ids...>", "accept what waits for you");
  add("reject", " <ids...>", "do not accept it");
  add("revert", " <ids...>", "take changes back");
  add("forget", " <text...>", "show all that was derived from a text, and remove it")
    .option("--yes", "do not ask")
    .option("--now", "gone at once; else it can be taken back for a day");
  add("unforget", " [text...]", "take back what was forgotten in the last day");
}

/** `talaria skills …`. */
export function describeSkills(program: Command, ports: CliPorts, exit: (code: ExitCode) => void): void {
  const parent = program.command("skills").description("skills: list, read, trust, pin and put away");
  const add = (
    action: "list" | "show" | "trust" | "untrust" | "pin" | "unpin" | "curate" | "rollback",
    args: string,
    help: string,
    isDefault = false,
  ): Command =>
    listing(
      parent,
      `${action}${args}`,
      help,
      async (command) => {
        const { skills } = await import("./skills.ts");
        exit(await skills(ports, action, command.args, command.optsWithGlobals<SkillsOptions>()));
      },
      isDefault,
    );
  add("list", "", "all skills; also what `skills` alone does", true).allowExcessArguments();
  add("show", " <name>", "one of them, as models read it");
  add("trust", " [folder]", "let the skills of a project be used, as they are now");
  add("untrust", " [folder]", "take that back");
  add("pin", " <name>", "nobody but you changes or archives it");
  add("unpin", " <name>", "the opposite");
  add("curate", "", "archive what was learned and is not used").option(
    "--dry-run",
    "only say what would happen",
  );
  add("rollback", "", "bring back what the last run of the curator archived");
}
