import { platforms } from "../core/gateway/chat.ts";
import { type Operation, everybody, operation, owner, people } from "./operation.ts";

/** What was said, asked, learned and spent. */
export const records: readonly Operation[] = [
  operation("sessions.list", owner, "read", "List the latest sessions", {
    cli: {
      usage: "sessions list",
      help: "the newest sessions",
      options: { "--limit <n>": "how many" },
      json: true,
    },
    slash: {
      name: "sessions",
      args: "[number]",
      more: "Ten of them unless a number is given. The number of a row is what /resume takes.",
    },
  }),
  operation("sessions.get", everybody, "read", "one session, by the beginning of its id"),
  operation("sessions.messages", everybody, "read", "a session's messages", {
    cli: { usage: "sessions show <id>", json: true },
    slash: {
      name: "history",
      args: "[number]",
      help: "Show the last messages of this session, cut to a line each",
      more: "Ten of them unless a number is given. `talaria sessions show ID` prints them whole.",
    },
  }),
  operation("sessions.turns", everybody, "read", "the turns of a session"),
  operation("sessions.past", everybody, "read", "turns with all that was said and done in them"),
  operation("sessions.count", everybody, "read", "how many turns and messages a session has"),
  operation("sessions.items", everybody, "read", "what was finished in a turn"),
  operation(
    "sessions.rename",
    people,
    "operate",
    "Show what this session is called, or call it something else",
    { slash: { name: "title", aliases: ["rename"], args: "[text]" } },
  ),
  operation("sessions.search", owner, "read", "find words in all sessions", {
    cli: { usage: "sessions search <words...>", options: { "--limit <n>": "how many" }, json: true },
  }),
  operation("sessions.export", owner, "read", "a session as a file on stdout", {
    stream: true,
    cli: { usage: "sessions export <id>", options: { "--format <how>": "jsonl or md" }, json: true },
  }),
  operation("sessions.delete", owner, "admin", "delete a session for good", {
    cli: { usage: "sessions delete <id>", options: { "--yes": "really" }, json: true },
  }),
  operation("prompts.list", owner, "read", "what was typed at this machine's terminals", { local: true }),
  operation("approvals.list", owner, "read", "the newest decisions and open questions", {
    cli: {
      usage: "approvals list",
      options: { "--pending": "only what waits for an answer", "--limit <n>": "how many" },
      json: true,
    },
  }),
  operation("approvals.get", owner, "read", "one of them, as it was shown", {
    cli: { usage: "approvals show <id>", json: true },
  }),
  operation(
    "approvals.answer",
    ["owner", "member", "program"],
    "approve",
    "answer an open question: once, session, always or deny",
    {
      anywhere: true,
      cli: { usage: "approvals answer <id> <choice>", json: true },
      slash: [
        {
          name: "approve",
          args: "CODE [session]",
          help: "Allow what was asked, once or for this session",
          more: "The code stands below the question. A rule that stays can be made only at the machine itself.",
          where: platforms,
        },
        {
          name: "deny",
          args: "CODE",
          help: "Do not allow what was asked",
          where: platforms,
          chats: ["member"],
        },
      ],
    },
  ),
  operation("inquiries.reply", everybody, "approve", "give a turn what it asked to know, or decline", {
    anywhere: true,
  }),
  operation("approvals.revoke", owner, "approve", "take back what was allowed for a session or always", {
    cli: { usage: "approvals revoke <id>", json: true },
  }),
  operation("approvals.rules", owner, "read", "what asks, what does not, and what is allowed beforehand", {
    cli: { usage: "approvals rules", json: true },
    slash: {
      name: "approvals",
      args: "[list | revoke ID]",
      words: ["list", "revoke"],
      help: "Show what asks and what is allowed beforehand",
      more: "Also what waits for an answer. Revoke takes a standing yes back; the beginning of its id is enough.",
    },
  }),
  operation("approvals.grants", owner, "read", "what is allowed beforehand"),
  operation(
    "events.follow",
    ["owner", "program"],
    "read",
    "what happened in all sessions, in order, and what happens",
    {
      stream: true,
      cli: {
        usage: "events",
        help: "what happened in all sessions, in order; --follow goes on as it happens",
        options: {
          "--follow": "stay, and show what happens from now on; Ctrl+C ends it",
          "--after <cursor>": "begin behind this cursor of an earlier event; `start` is all that is kept",
          "--session <id>": "only this session; the beginning of its id is enough",
        },
        json: "JSON lines, each with its cursor",
      },
    },
  ),
  operation("usage.total", owner, "read", "what a session has used and cost, as one sum"),
  operation("usage.report", owner, "read", "Show what this session has used and cost", {
    cli: {
      usage: "usage",
      help: "what was used and what it cost, by day, model and cause",
      options: {
        "--session <id>": "only this session; the beginning of its id is enough",
        "--days <n>": "the last N days (UTC), today included; 30 without --session",
      },
      json: true,
    },
    slash: {
      name: "usage",
      aliases: ["cost"],
      args: "[days]",
      more: "With a number: what all sessions have used in the last days.",
    },
  }),
  operation("diff.show", owner, "read", "Show what was changed in the folder", {
    slash: {
      name: "diff",
      args: "[turn | session]",
      words: ["turn", "session"],
      more: "Since its last commit, by anybody; or only what the last turn or this session changed.",
    },
  }),
  operation("recordings.list", owner, "read", "recordings of turns, newest first"),
  operation("recordings.replay", owner, "read", "Show a recording as the turn was, or list them", {
    slash: {
      name: "replay",
      args: "[file | number]",
      more: "A number is the row in the list, which begins with the newest.",
    },
  }),
  operation("learned.list", owner, "read", "Show what was learned, take it back, or decide", {
    cli: {
      usage: "learned list",
      help: "the newest changes; also what `learned` alone does",
      options: {
        "--since <when>": "24h, 7d, 2w or 2026-01-31; 7d unless set, 30d with --plot",
        "--plot": "a chart by day: learned, used, calls for each turn",
        "--limit <n>": "how many",
      },
      json: true,
      isDefault: true,
      anyWords: true,
    },
    slash: {
      name: "learned",
      args: "[SINCE | show ID | approve ID | reject ID | revert ID | forget TEXT | unforget]",
      words: ["show", "approve", "reject", "revert", "forget", "unforget"],
      more: "SINCE is like 24h, 7d or 2026-01-31. Forget shows what was derived from a text and would go, and asks; for a day unforget takes it back.",
    },
  }),
  operation("learned.show", owner, "read", "what they changed, who wanted it, and what it rests on", {
    cli: { usage: "learned show <ids...>", json: true },
  }),
  operation("learned.approve", owner, "approve", "accept what waits for you", {
    cli: { usage: "learned approve <ids...>", json: true },
  }),
  operation("learned.reject", owner, "approve", "do not accept it", {
    cli: { usage: "learned reject <ids...>", json: true },
  }),
  operation("learned.revert", owner, "admin", "take changes back", {
    cli: { usage: "learned revert <ids...>", json: true },
  }),
  operation("learned.forgettable", owner, "read", "what forgetting a text would take along"),
  operation("learned.forget", owner, "admin", "show all that was derived from a text, and remove it", {
    cli: {
      usage: "learned forget <text...>",
      options: { "--yes": "do not ask", "--now": "gone at once; else it can be taken back for a day" },
      json: true,
    },
  }),
  operation("learned.forgetForGood", owner, "admin", "forget a text at once, for good"),
  operation("learned.unforget", owner, "admin", "take back what was forgotten in the last day", {
    cli: { usage: "learned unforget [text...]", json: true },
  }),
  operation("learned.history", owner, "read", "what was learned and used, by day"),
  operation("learned.benefit", owner, "read", "how it went with what was learned"),
  operation("memory.show", owner, "read", "Show what is remembered, how full it is and how old", {
    slash: { name: "memory" },
  }),
  operation("skills.list", owner, "read", "List skills: where they are from and how often they were used", {
    cli: {
      usage: "skills list",
      help: "all skills; also what `skills` alone does",
      json: true,
      isDefault: true,
      anyWords: true,
    },
    slash: {
      name: "skills",
      more: "Each is a command of its own name. On the command line, talaria skills also pins, trusts and puts away.",
    },
  }),
  operation("skills.read", owner, "read", "one of them, as models read it", {
    cli: { usage: "skills show <name>", json: true },
  }),
];
