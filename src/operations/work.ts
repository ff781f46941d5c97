import { type Operation, operation, owner } from "./operation.ts";

const jobOptions = {
  "--name <name>": "what it is called; the beginning of its text unless said",
  "--cwd <folder>": "where it works; here unless said",
  "--runtime <name>": "loop or codex; the default of now unless said",
  "--model <name>": "the model of its runs; the default of now unless said",
  "--budget <amount>": "what a run may use: tokens, such as 200k, or money, such as 0.50usd",
  "--deliver <target>":
    "where answers go: local (your next terminal, or your chat), notify (your chat), or a chat such as telegram:12345",
  "--failures <target>": "where failures go; with the answers unless said",
  "--zone <zone>": "in which times are meant, such as Europe/Berlin; work.zone unless said",
  "--catch-up <how>": "what was missed while no host ran: once, skip or ask",
  "--overlap <how>": "while the run before goes on: skip or queue",
  "--jitter <length>": "begin up to so much later, such as 5m",
  "--allow <command>":
    "a command that each run may do once without a question, word for word; may be repeated",
  "--script <file or command>": "run this in the sandbox without a model; its output is the answer",
  "--skills <names>": "skills that each run is told, such as deploy,notes",
  "--may-schedule <n>":
    "so many schedules that each run may make or change without a question; none unless said",
};

/** What is done while nobody types. */
export const work: readonly Operation[] = [
  operation("cron.add", owner, "admin", "Make, list and change schedules", {
    cli: {
      usage: "cron add <when> [text...]",
      help: 'do something later, or again and again: "in 30m", "every 2h", "0 9 * * 1-5", 2026-11-20T09:00',
      options: { ...jobOptions, "--try": "also run it once now, to see what comes of it" },
      json: "one JSON object",
    },
    slash: {
      name: "cron",
      args: '[list | add "WHEN" TEXT | pause NAME | resume NAME | run NAME | remove NAME | runs [NAME] | why NAME]',
      words: ["list", "add", "pause", "resume", "run", "remove", "runs", "why"],
      more: 'WHEN is "in 30m", "every 2h", a cron expression or a time, in quotation marks. Behind TEXT there may be --name, --zone and --deliver. It works in this folder, on this session\'s runtime and model.',
    },
  }),
  operation("cron.list", owner, "read", "the schedules there are, and when they are due next", {
    cli: { usage: "cron list", json: true, isDefault: true },
  }),
  operation("cron.edit", owner, "admin", "change a schedule; what is not said stays", {
    cli: {
      usage: "cron edit <id>",
      argument: "its name, or the beginning of its id",
      options: { "--when <when>": "when it is due", "--text <text>": "what it does", ...jobOptions },
      json: "one JSON object",
    },
  }),
  operation("cron.pause", owner, "operate", "a schedule is due no more, until it is resumed", {
    cli: { usage: "cron pause <id>", json: "one JSON object" },
  }),
  operation("cron.resume", owner, "admin", "go on with it, from now on", {
    cli: { usage: "cron resume <id>", json: "one JSON object" },
  }),
  operation("cron.run", owner, "operate", "run it now, beside its own times", {
    cli: { usage: "cron run <id>", json: "one JSON object" },
  }),
  operation("cron.remove", owner, "admin", "remove it; what became of its runs stays", {
    cli: { usage: "cron remove <id>", json: "one JSON object" },
  }),
  operation("cron.runs", owner, "read", "what became of every time that was due, newest first", {
    cli: { usage: "cron runs [id]", options: { "--limit <n>": "how many" }, json: true },
  }),
  operation("work.pause", owner, "operate", "everything that nobody typed stands still; what runs goes on", {
    cli: { usage: "work pause", json: "one JSON object" },
    slash: {
      name: "work",
      args: "[status | pause | resume]",
      words: ["status", "pause", "resume"],
      help: "Show, stop or go on with what nobody typed",
    },
  }),
  operation("work.resume", owner, "operate", "go on with it", {
    cli: { usage: "work resume", json: "one JSON object" },
  }),
  operation("work.status", owner, "read", "what waits, whether a host runs it, and what is left of budgets", {
    cli: { usage: "work status", json: "one JSON object", isDefault: true },
  }),
  operation("batch.line", owner, "operate", "do one prompt of a batch, once, and say what came of it", {
    cli: {
      usage: "batch <file>",
      help: "many prompts, one JSON line each; the same command goes on after a stop or a crash",
      argument:
        'lines such as {"prompt": "…", "id": "a", "model": "…", "runtime": "codex", "cwd": "…"}, or "…"',
      options: {
        "--out <file>": "where results go, one JSON line each; FILE.results.jsonl unless said",
        "--concurrency <n>": "prompts under way at once; 4 unless said",
        "--budget <amount>": "what all of them may use together: tokens, such as 2m, or money, such as 5usd",
        "--model <name>": "the model of prompts that name none",
        "--runtime <name>": "who runs prompts that do not say: loop or codex",
        "--cwd <folder>": "where prompts work that do not say; here unless said",
        "--retry": "once more with those that did not go well",
        "--no-attach": "run them in this process, also while `talaria serve` runs",
      },
      json: "results as JSON lines, as they come",
    },
  }),
  operation("why.explain", ["owner", "member"], "read", "Say why something did not happen, or is as it is", {
    anywhere: true,
    cli: [
      {
        usage: "why <id>",
        argument:
          "of a run, schedule, goal, session, message, turn or question; also a chat app's own of a message",
        json: "one JSON object",
      },
      { usage: "cron why <id>", help: "the same, for a schedule or a run of it", json: "one JSON object" },
    ],
    slash: {
      name: "why",
      args: "ID",
      more: "Members are told of their own messages alone.",
      chats: ["member"],
    },
  }),
];
