import type { OperationName } from "../src/core/calls.ts";
import { type CliGrammar, type Operation, type SlashGrammar, groups } from "../src/operations/operation.ts";
import { outputs } from "../src/operations/outputs.suite.ts";
import { inputs } from "../src/operations/schemas.ts";
import { operationsOf } from "../src/operations/table.ts";
import { notation } from "./value-notation.ts";

/** `docs/user/operations.md`, whole: it is written from the table, never by hand. */
export function operationsPage(): string {
  const parts = groups.map((group) =>
    [
      `## ${group.replace(/^./, (letter) => letter.toUpperCase())}`,
      "",
      about[group],
      "",
      head,
      ...operationsOf[group].map(row),
      ...values(operationsOf[group]),
    ].join("\n"),
  );
  return `${[intro, ...parts].join("\n\n")}\n`;
}

const intro = `# Operations

Generated from the table of operations in \`src/operations\` by \`npm run docs\`; changes by hand are lost.

Everything that can be asked of Talaria is an operation with a name. The command line, the slash commands, help and shell completion are made from
the same table. *Who* names everybody who may ask: the owner, members and guests of a chat, and programs with a key; whoever is not named is
refused. *Here* means: only at the machine itself. A program's key needs the *scope* of an operation.

Below each table stands what its operations take and, behind \`→\`, what they give the owner at least, for \`POST /api/NAME\` ([the API](api.md)) and the socket:
\`?\` may be left out, \`ses_…\` is an id that begins so, \`[…]\` is a list, \`…\` is what else there may be. Times are milliseconds since 1970. Of a stream it is
the first value.`;

const about = {
  conversations: "What is said now, and the turns that come of it.",
  records: "What was said, asked, learned and spent.",
  work: "What is to be done, by whom and when.",
  settings: "How Talaria behaves from the next turn on.",
  maintenance: "The installation itself, and programs at the terminal.",
} as const;

/** Of those that can be asked from elsewhere. */
function values(operations: readonly Operation[]): readonly string[] {
  const lines = operations
    .filter(({ local, at }) => local !== true && at === undefined)
    .map(({ name, stream }) => {
      const known = name as OperationName;
      const given = notation(outputs[known]);
      // What a stream says when something happens, its own page has.
      return `${name} ${notation(inputs[known])}${stream === true && given === "null" ? "" : `\n    → ${given}`}`;
    });
  return lines.length === 0 ? [] : ["", "```text", ...lines, "```"];
}

const head = "| operation | what it does | in a shell | in a chat | who | scope |\n|---|---|---|---|---|---|";

function row({ name, help, stream, cli = [], slash = [], who, local, scope }: Operation): string {
  const typed = [cli].flat().map((grammar: CliGrammar) => `\`talaria ${grammar.usage}\``);
  const said = [slash].flat().map((grammar: SlashGrammar) => `\`/${grammar.name}\``);
  const cells = [
    `\`${name}\``,
    `${help.replace(/^./, (letter) => letter.toUpperCase())}${stream === true ? " (a stream)" : ""}`,
    typed.join(", "),
    said.join(", "),
    `${who.join(", ")}${local === true ? "; here" : ""}`,
    scope,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
