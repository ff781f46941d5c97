import { type Operation, operation, owner } from "./operation.ts";

const installing = { "--yes": "do not ask" };

/** The installation itself, and programs at the terminal. */
export const maintenance: readonly Operation[] = [
  operation(
    "recordings.read",
    owner,
    "read",
    "show what a recording says, without codex; ends with one summary line",
    { local: true, cli: { usage: "replay <file>", json: "every event as a JSON line" } },
  ),
  operation("codex.program", owner, "admin", "run the codex that Talaria uses, with these arguments", {
    local: true, // For the help text; codex's own arguments never come this far.
    cli: { usage: "codex [args...]" },
  }),
  operation(
    "surface.serve",
    owner,
    "admin",
    "stay, run what nobody at a terminal waits for, and serve others",
    {
      at: "shell",
      local: true,
      cli: {
        usage: "serve",
        options: {
          "--port <number>": "the port for HTTP, instead of http.port",
          "--drain": "when told to end, wait for turns that run instead of interrupting them",
          "--status": "only say what runs in this home; exit code 1 if nothing does",
        },
        json: "the status as one JSON line",
      },
    },
  ),
  ...(
    [
      ["install", "have the system start `talaria serve` with your login; shows what it writes", installing],
      ["uninstall", "take that back", {}],
      ["status", "what the system says of it", {}],
      ["logs", "what it wrote down last", { "--follow": "go on as it comes" }],
    ] as const
  ).map(([word, help, options]) =>
    operation(`service.${word}`, owner, "admin", help, {
      at: "shell",
      local: true,
      cli: { usage: `service ${word}`, options },
    }),
  ),
  operation("surface.acp", owner, "admin", "serve an editor over stdin and stdout (Agent Client Protocol)", {
    at: "shell",
    local: true,
    cli: {
      usage: "acp",
      options: {
        "--check": "only say whether an editor could work with it",
        "--no-attach": "run turns in this process, also while `talaria serve` runs",
      },
    },
  }),
  operation(
    "surface.mcp",
    owner,
    "admin",
    "serve Talaria's tools to another agent over stdin and stdout (Model Context Protocol)",
    {
      at: "shell",
      local: true,
      cli: {
        usage: "mcp",
        options: {
          "--tools <names>": "only these toolsets or tools, with commas between them",
          "--with-local-tools": "also the tools for commands and files of this machine",
          "--no-attach": "run them in this process, also while `talaria serve` runs",
        },
      },
    },
  ),
  operation(
    "setup.run",
    owner,
    "admin",
    "choose who answers, try it, and write it down; asks on a terminal",
    {
      at: "shell",
      local: true,
      cli: {
        usage: "setup",
        options: {
          "--provider <name>": "a provider that Talaria knows, or a name for a new one",
          "--api <url>": "the address of a new one",
          "--protocol <which>": "what it speaks: responses or chat",
          "--key-env <variable>": "the variable that holds its key",
          "--model <name>": "the model",
          "--runtime <name>": "who runs the turns: loop or codex",
          "--no-test": "write it without trying a turn",
        },
        json: true,
      },
    },
  ),
  operation("doctor.look", owner, "admin", "Check the installation; says the next step where one is wrong", {
    stream: true,
    cli: {
      usage: "doctor",
      help: "check the installation; says what to do about whatever is wrong",
      options: { "--fix": "fix what can be fixed without losing anything, then check again" },
      json: "one JSON line for each check, and a summary",
    },
    slash: { name: "doctor" },
  }),
  operation(
    "selftest.run",
    owner,
    "admin",
    "whole turns on both runtimes with the built-in model, offline, in a home of their own",
    {
      local: true,
      stream: true,
      cli: { usage: "selftest", json: "one JSON line for each step, and a summary" },
    },
  ),
  operation(
    "completion.script",
    owner,
    "read",
    "a script that completes commands and options, for bash, zsh or fish",
    { at: "shell", local: true, cli: { usage: "completion <shell>", choices: ["bash", "zsh", "fish"] } },
  ),
];
