import { blockKinds, cardStates } from "../core/cards/cards.ts";
import { type Operation, operation, owner } from "./operation.ts";

/** Boards and cards. */
export const kanban: readonly Operation[] = [
  operation("kanban.list", owner, "read", "Show the board, or move its cards", {
    cli: {
      usage: "kanban list",
      help: "the board; also what `kanban` alone does",
      options: {
        "--board <name>": "only this board",
        "--state <state>": `only these: ${cardStates.join(", ")}; may be repeated`,
        "--limit <n>": "how many",
      },
      json: true,
      isDefault: true,
      anyWords: true,
    },
    slash: {
      name: "kanban",
      args: "[VERB …]",
      words: [
        ["add", "show", "comment", "link", "unlink", "ready", "block", "unblock"],
        ["complete", "archive", "reopen", "boards", "runs", "workspaces", "list"],
      ].flat(),
      more: "The verbs and options are those of `talaria kanban`: /kanban add Mend the roof --priority 2",
    },
  }),
  operation("kanban.add", owner, "operate", "a new card", {
    cli: {
      usage: "kanban add <title...>",
      options: {
        "--body <text>": "what is to be done, in more words",
        "--workspace <where>": "scratch, folder:PATH or worktree:REPO; scratch unless said",
        "--runtime <name>": "loop or codex; the default of now unless said",
        "--model <name>": "the model",
        "--parent <id>": "a card that has to be done first; may be repeated",
        "--priority <n>": "higher ones first; 0 unless said",
        "--board <name>": "the board; it is made if there is none",
        "--check <command>": "says by its exit code whether it is done; runs in the sandbox",
        "--allow <command>": "each attempt may run it once without a question; may be repeated",
        "--triage": "a person looks at it first",
      },
      json: "one JSON object",
    },
  }),
  operation("kanban.show", owner, "read", "one card, with all that happened to it", {
    cli: { usage: "kanban show <id>", json: "one JSON object" },
  }),
  operation("kanban.comment", owner, "operate", "say something about a card", {
    cli: { usage: "kanban comment <id> <text...>", json: "one JSON object" },
  }),
  operation("kanban.link", owner, "operate", "a card waits for another one", {
    cli: { usage: "kanban link <id> <parent>", json: "one JSON object" },
  }),
  operation("kanban.unlink", owner, "operate", "it waits for that one no longer", {
    cli: { usage: "kanban unlink <id> <parent>", json: "one JSON object" },
  }),
  operation("kanban.ready", owner, "operate", "a card in triage may be worked on", {
    cli: { usage: "kanban ready <id>", json: "one JSON object" },
  }),
  operation("kanban.block", owner, "operate", "a card cannot go on", {
    cli: {
      usage: "kanban block <id>",
      options: {
        "--kind <kind>": `${blockKinds.join(", ")}; needs_input unless said`,
        "--reason <text>": "what stops it",
        "--until <when>": "30m, 2h, 3d or 2026-01-31T09:00: when a transient block ends by itself",
        "--parent <id>": "the card that a dependency waits for",
      },
      json: "one JSON object",
    },
  }),
  operation("kanban.unblock", owner, "operate", "it goes on", {
    cli: { usage: "kanban unblock <id>", json: "one JSON object" },
  }),
  operation("kanban.complete", owner, "operate", "it is done", {
    cli: {
      usage: "kanban complete <id>",
      options: { "--summary <text>": "what was done" },
      json: "one JSON object",
    },
  }),
  operation("kanban.archive", owner, "operate", "put a card away", {
    cli: { usage: "kanban archive <id>", json: "one JSON object" },
  }),
  operation("kanban.reopen", owner, "operate", "it is to be worked on again", {
    cli: { usage: "kanban reopen <id>", json: "one JSON object" },
  }),
  operation("kanban.workspaces", owner, "operate", "folders in which cards were worked on", {
    cli: {
      usage: "kanban workspaces",
      options: { "--remove": "remove those of which nothing would be lost; branches stay" },
      json: true,
    },
  }),
  operation("kanban.boards", owner, "read", "the boards, and how many cards they have", {
    cli: { usage: "kanban boards", json: true },
  }),
  operation("kanban.runs", owner, "read", "attempts at a card, or at all of them", {
    cli: { usage: "kanban runs [id]", options: { "--limit <n>": "how many" }, json: true },
  }),
];
