import { type Operation, operation, owner, people } from "./operation.ts";

const ofSession = {
  "--session <id>": "of this session; the beginning of its id is enough",
  "--continue": "of the newest session of this folder",
};

/** What a session works on until it is reached. */
export const goals: readonly Operation[] = [
  operation("goals.set", owner, "operate", "Give this session a goal, and work on it turn after turn", {
    cli: {
      usage: "goal set <text...>",
      help: "give a session something to reach; a host that stays works on it",
      argument: "what is to be reached",
      options: {
        ...ofSession,
        "--cwd <folder>": "work in this folder",
        "--runtime <name>": "who runs its turns: loop or codex",
        "--model <name>": "use this model",
        "--check <command>":
          "says by its exit code whether it is reached; it runs in the sandbox, without asking again",
        "--turns <number>": "turns that it may have",
        "--usd <amount>": "USD that it may cost",
      },
      json: true,
      isDefault: true,
    },
    slash: {
      name: "goal",
      args: "[text | status | pause | resume | clear | add TEXT | budget NUMBER | budget $AMOUNT | check COMMAND]",
      words: ["status", "pause", "resume", "clear", "add", "budget", "check"],
      help: "Set what is to be reached, or see how it stands",
      more: "After each turn a check (a command) or a judge (a model that looks at results, never at claims) says whether it is reached; if not, the next turn begins by itself. `/goal check COMMAND` followed by `: TEXT` sets a goal with a check.",
    },
  }),
  operation("goals.get", people, "read", "how the goal of a session stands", {
    cli: { usage: "goal status", options: ofSession, json: "the goal with all that was found" },
  }),
  operation("goals.budget", owner, "operate", "how many turns a goal may have, and what it may cost", {
    cli: {
      usage: "goal budget",
      options: { ...ofSession, "--turns <number>": "turns in all", "--usd <amount>": "USD in all" },
      json: true,
    },
  }),
  operation("goals.add", owner, "operate", "something to be reached on the way", {
    cli: { usage: "goal add <text...>", options: ofSession, json: true },
  }),
  operation("goals.pause", owner, "operate", "begin no further turn for the goal", {
    cli: { usage: "goal pause", options: ofSession, json: true },
  }),
  operation("goals.resume", owner, "operate", "go on with the goal", {
    cli: { usage: "goal resume", options: ofSession, json: true },
  }),
  operation("goals.clear", owner, "operate", "give the goal up", {
    cli: { usage: "goal clear", options: ofSession, json: true },
  }),
];
