import { roles } from "../src/core/principal.ts";
import { whyNot } from "../src/operations/in-process.ts";
import { groups } from "../src/operations/operation.ts";
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
          whyNot(operation, { surface: "test", id: "somebody", role, local }) === undefined;
        if (may(false)) return "yes";
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

const intro = `# Who may call which operation. Written from src/operations by \`npm run docs\`; a change here is a change of who may do what.
# yes: from anywhere · here: only at this machine · -: never
`;
