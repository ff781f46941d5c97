import { efforts } from "../core/session.ts";
import { type Operation, operation, everybody, owner, people } from "./operation.ts";

/** What is said now, and the turns that come of it. */
export const conversations: readonly Operation[] = [
  operation("turns.send", everybody, "operate", "take a message in; resolves once it is durable", {
    anywhere: true,
    cli: {
      usage: "run <text...>",
      help: 'send one message and show the turn; "-" reads it from stdin',
      argument: "the message",
      options: {
        "--runtime <name>": "who runs the turn: loop or codex",
        "--session <id>": "go on with this session; the beginning of its id is enough",
        "--continue": "go on with the newest session of this folder",
        "--cwd <folder>": "work in this folder",
        "--model <name>": "use this model from now on in this session",
        "--effort <level>": "how hard the model should think",
        "--image <file>": "send a picture too; may be repeated",
        "--schema <file>": "the answer must follow this JSON Schema",
        "--approve <how>": "who answers approvals: ask (a terminal), none, all",
        "--no-memory": "leave memory out of this turn",
        "--no-context": "leave the project's own instructions out of this turn",
        "--record": "keep every frame between Talaria and codex in a file",
        "--no-attach": "run the turn in this process, also while `talaria serve` runs",
        "-q, --quiet": "only the answer",
      },
      json: "every event as a JSON line",
    },
    slash: {
      name: "steer",
      args: "TEXT",
      help: "Tell the running turn something",
      more: "A turn that can take nothing in any more leaves it waiting in line. If no turn runs, it is an ordinary message.",
    },
  }),
  operation("turns.wait", everybody, "read", "how the turn that took a message ended"),
  operation("turns.stop", everybody, "operate", "Interrupt the running turn and set aside what waits", {
    slash: {
      name: "stop",
      aliases: ["abort"],
      more: "What turns have left running, such as a server, is ended, too; /ps lists it.",
      chats: ["member", "guest"],
    },
  }),
  operation("turns.undo", people, "operate", "Leave the last turns out of the conversation", {
    slash: [
      {
        name: "undo",
        args: "[number | back]",
        words: ["back"],
        more: "One turn unless a number is given. They are kept, and /undo back takes them in again until something else is said. What they did to files stays.",
        busy: "refused",
      },
      {
        name: "retry",
        aliases: ["again"],
        help: "Leave the last turn out and send its message again",
        more: "What the turn did outside the conversation, such as changes of files, stays done.",
        busy: "refused",
      },
    ],
  }),
  operation("turns.redo", people, "operate", "take the last undo back"),
  operation("sessions.follow", everybody, "read", "what happens in a session, as it happens", {
    stream: true,
  }),
  operation("sessions.catchUp", everybody, "read", "wait until what others did in a session was told"),
  operation(
    "sessions.fork",
    everybody,
    "operate",
    "Go on in a copy of this session; this one stays as it is",
    {
      slash: { name: "fork", aliases: ["branch"], busy: "refused" },
    },
  ),
  operation("sessions.compress", people, "operate", "Give the model a summary of the older messages", {
    slash: {
      name: "compress",
      aliases: ["compact"],
      args: "[focus | undo | pin LINE | unpin NUMBER]",
      words: ["undo", "pin", "unpin"],
      more: "The messages are kept. A focus says what the summary is to be about, undo takes it back, pin keeps a line word for word.",
      busy: "refused",
    },
  }),
  operation("sessions.choose", owner, "operate", "what the next turns of a session run with", {
    slash: [
      {
        name: "model",
        args: "[name]",
        help: "Show the model of this session, or choose another one",
        more: "It holds for this session, from the next turn on. `talaria config set model.default NAME` changes the default.",
        busy: "refused",
      },
      {
        name: "reasoning",
        aliases: ["effort"],
        args: "[none | minimal | low | medium | high | xhigh]",
        words: efforts,
        help: "Show or choose how hard the model thinks",
        more: "It holds for this session, from the next turn on. Not every model knows every level.",
        busy: "refused",
      },
      {
        name: "runtime",
        args: "[loop | codex]",
        words: ["loop", "codex"],
        help: "Show what runs the turns of this session, or change it",
        more: "It holds for this session, from the next turn on, and what was said is carried over. /codex-runtime changes the default too.",
        busy: "refused",
      },
    ],
  }),
  operation(
    "sessions.context",
    people,
    "read",
    "Show what the model is given, part by part, and how full it is",
    {
      cli: {
        usage: "context",
        help: "what the next turn gives to the model, line by line",
        options: { "--session <id>": "of this session; the beginning of its id is enough" },
        json: true,
      },
      slash: { name: "context" },
    },
  ),
  operation("sessions.refine", owner, "operate", "Review this conversation now, and learn from it", {
    slash: {
      name: "refine",
      more: "What rests on your own words is learned at once, all else waits for you.",
      busy: "refused",
    },
  }),
  operation("inputs.get", everybody, "read", "what became of a message: its turn, and what that asks"),
  operation("inputs.waiting", people, "read", "messages that wait for the running turn to end", {
    slash: {
      name: "queue",
      help: "Send a message after the running turn, or list what waits",
      args: "[text | send NUMBER | drop NUMBER | drop all]",
      words: ["send", "drop"],
      more: "It also lists what a Stop has set aside; send and drop are about those.",
    },
  }),
  operation("inputs.setAside", people, "read", "messages that were set aside and do not run by themselves"),
  operation("inputs.drop", people, "operate", "remove a message that was set aside"),
  operation(
    "inputs.delete",
    everybody,
    "operate",
    "delete a message of one's own with its answer for good, if its session has nothing else",
  ),
  operation("processes.list", people, "read", "List what turns have left running, or end it", {
    slash: {
      name: "ps",
      args: "[stop | stop ID]",
      words: ["stop"],
      more: "Such as a server that the model has started. /ps stop ends all of it, and /stop does so, too.",
    },
  }),
  operation("processes.end", people, "operate", "end what turns have left running"),
  operation("tasks.list", people, "read", "List delegated tasks, or stop one", {
    slash: {
      name: "agents",
      args: "[stop number | stop all]",
      words: ["stop"],
      more: "A task keeps its number. The turn that delegated a stopped task is told, and goes on without it.",
    },
  }),
  operation("chat.command", people, "operate", "a slash command, as it was typed in a chat", {
    anywhere: true,
  }),
  operation("chat.new", people, "operate", "Start a new session; the present one is kept", {
    at: "chat",
    slash: {
      name: "new",
      aliases: ["reset", "clear"],
      args: "[title]",
      busy: "refused",
      chats: ["member", "guest"],
    },
  }),
  operation("chat.resume", owner, "operate", "Go on with an earlier session", {
    at: "chat",
    slash: {
      name: "resume",
      aliases: ["continue"],
      args: "[id | number | words of the title]",
      more: "The beginning of the id is enough; a number is the row in the list of /sessions. Without an argument you choose.",
      busy: "refused",
    },
  }),
  operation("chat.yolo", owner, "approve", "Allow beforehand what would ask, until you switch it off", {
    at: "chat",
    local: true,
    slash: {
      name: "yolo",
      args: "[on | off]",
      words: ["on", "off"],
      more: "Only in this process, and stored nowhere. What cannot be taken back is asked all the same; what is never done and the deny list stay a no.",
      where: ["cli", "tui"],
    },
  }),
  operation("chat.record", owner, "operate", "Keep every frame between Talaria and codex in a file", {
    at: "chat",
    slash: {
      name: "record",
      args: "[on | off]",
      words: ["on", "off"],
      more: "One file for each turn, secrets masked: what a report of a fault needs. Turns on the loop have none.",
    },
  }),
  operation("chat.quit", people, "read", "Leave; the session is kept", {
    at: "chat",
    slash: { name: "quit", aliases: ["exit", "q"], where: ["cli", "tui"] },
  }),
  operation("chat.help", people, "read", "List the commands, or explain one", {
    at: "chat",
    slash: { name: "help", aliases: ["?", "commands"], args: "[command]", chats: ["member", "guest"] },
  }),
  operation("shell.run", owner, "admin", "run what the person typed themselves, with their own rights", {
    local: true,
    stream: true,
  }),
];
