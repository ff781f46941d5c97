import { type Caller, type Role, roles, scopes } from "../src/core/principal.ts";
import { whyNot } from "../src/operations/in-process.ts";
import { type Operation, groups } from "../src/operations/operation.ts";
import { isOffered, mayType, slashCommands } from "../src/operations/slash.ts";
import { operationsOf } from "../src/operations/table.ts";
import { platforms } from "../src/core/gateway/chat.ts";

/** Who may call what, one line for each operation: by role, at this machine and elsewhere. */
export function authorizationMatrix(): string {
  const head = ["operation".padEnd(24), "scope  ", ...roles.map((role) => role.padEnd(8))]
    .join(" ")
    .trimEnd();
  const rows = groups.flatMap((group) => [
    "",
    `# ${group}`,
    ...operationsOf[group].map((operation) => {
      const cells = roles.map((role) => {
        const may = (local: boolean): boolean =>
          whyNot(operation, { surface: "test", id: "somebody", role, local, ...keyOf(role) }) === undefined;
        if (may(false)) return role === "owner" || isAnywhere(operation) ? "yes" : "own";
        return may(true) ? "here" : "-";
      });
      const cell = [
        operation.name.padEnd(24),
        operation.scope.padEnd(7),
        ...cells.map((one) => one.padEnd(8)),
      ];
      return cell.join(" ").trimEnd();
    }),
  ]);
  return `${[intro, head, ...rows, ...chatRows()].join("\n")}\n`;
}

/** Who types what in a chat app: the same on each, or the row says so. */
function chatRows(): readonly string[] {
  const chatRoles = roles.filter((role) => role !== "program");
  const head = ["slash command".padEnd(24), ...chatRoles.map((role) => role.padEnd(8))].join(" ").trimEnd();
  const rows = slashCommands.map((command) => {
    const cells = chatRoles.map((role) => {
      const may = platforms.filter(
        (surface) => isOffered(command, surface) && mayType(command, { role, surface }),
      );
      return (may.length === platforms.length ? "yes" : may.join(",") || "-").padEnd(8);
    });
    return [`/${command.name}`.padEnd(24), ...cells].join(" ").trimEnd();
  });
  return ["", "# in chat apps", head, ...rows];
}

/** A program has a key, and here one that allows everything. */
const keyOf = (role: Role): Pick<Caller, "scopes"> => (role === "program" ? { scopes } : {});

const isAnywhere = ({ anywhere, at }: Operation): boolean => anywhere === true || at !== undefined;

const intro = `# Who may call which operation. Written from src/operations by \`npm run docs\`; a change here is a change of who may do what.
# yes: from anywhere · own: only of sessions in which they have said something themselves · here: only at this machine · -: never
# A key of a program must have the scope, too; what a program without a key may not: anything of the scope approve.
`;
