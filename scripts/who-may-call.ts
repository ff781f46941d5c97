import { type Caller, type Role, roles, scopes } from "../src/core/principal.ts";
import { whyNot } from "../src/operations/in-process.ts";
import { type Operation, groups } from "../src/operations/operation.ts";
import { operationsOf } from "../src/operations/table.ts";

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
  return `${[intro, head, ...rows].join("\n")}\n`;
}

/** A program has a key, and here one that allows everything. */
const keyOf = (role: Role): Pick<Caller, "scopes"> => (role === "program" ? { scopes } : {});

const isAnywhere = ({ anywhere, at }: Operation): boolean => anywhere === true || at !== undefined;

const intro = `# Who may call which operation. Written from src/operations by \`npm run docs\`; a change here is a change of who may do what.
# yes: from anywhere · own: only of sessions in which they have said something themselves · here: only at this machine · -: never
# A key of a program must have the scope, too; what a program without a key may not: anything of the scope approve.
`;
