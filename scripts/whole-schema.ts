import { DatabaseSync } from "node:sqlite";
import { type Step, statementsFor } from "../src/store/schema/step.ts";
import { migrations, steps } from "../src/store/sqlite/schema.ts";

/** `src/store/schema/whole-schema.ts`: what all steps together make of an empty database. SQLite says it, PostgreSQL gets it translated. */
export const wholeSchemaFile = (): string => `${head()}
export const wholeSchema: Step = [
${wholeSchema()
  .map((statement) => `  ${inSource(statement)},\n`)
  .join("")}];
`;

const head =
  (): string => `// Written by \`npm run docs\` from the steps (src/store/sqlite/schema.ts). Not changed by hand.
import type { Step } from "./step.ts";

/** How many steps are in it. Those that came later follow, as they do in a store that is there. */
export const wholeSchemaVersion = ${steps.length};

/** The schema as a new store gets it. */`;

type Statement = Step[number];

function inSource(statement: Statement): string {
  if (typeof statement === "string") return literal(statement);
  const sides = Object.entries(statement).map(([engine, sql]) => `${engine}: ${literal(sql)}`);
  return sides.join(", ").length > 100 ? `{\n    ${sides.join(",\n    ")},\n  }` : `{ ${sides.join(", ")} }`;
}

/** A line for each: nobody writes them here, and their shape is that of the steps. */
const literal = (sql: string): string =>
  `\`${sql.replaceAll(/[\\`]|\$\{/g, "\\$&").replaceAll("\n", "\\n")}\``;

function wholeSchema(): readonly Statement[] {
  const theirs = indexesAndTriggers();
  const ownTables = tablesOfPostgres();
  const ours = tablesAndRules();
  return [
    ...ours.map(({ type, name, sql }): Statement => {
      if (type === "table" || type === "view") {
        const own = ownTables.get(name);
        return own === undefined ? sql : { sqlite: sql, ...own };
      }
      const other = theirs.get(name);
      if (other === undefined) return { sqlite: sql };
      return typeof other === "string" ? sql : { sqlite: sql, ...other };
    }),
    ...[...theirs].flatMap(([name, statement]) => (ours.some((one) => one.name === name) ? [] : [statement])),
    ...steps.flat().filter(isKeyOfPostgres),
    ...steps.flat().filter(isFirstRow),
  ];
}

type Made = { readonly type: string; readonly name: string; readonly sql: string };

/** In the order in which they were made, without what SQLite makes by itself. */
function tablesAndRules(): readonly Made[] {
  using db = new DatabaseSync(":memory:");
  for (const statement of migrations.flat()) db.exec(statement);
  const made = db.prepare(`select type, name, sql from sqlite_schema where sql is not null
    and name not in (select name from pragma_table_list where type = 'shadow' or name like 'sqlite~_%' escape '~') order by rowid`);
  return made.all() as unknown as readonly Made[];
}

/** Those that PostgreSQL has in the end. */
function indexesAndTriggers(): ReadonlyMap<string, Statement> {
  const found = new Map<string, Statement>();
  for (const statement of steps.flat()) {
    for (const sql of statementsFor("postgres", [statement])) {
      const [, verb, name] = /^(CREATE|DROP)(?: UNIQUE)? (?:INDEX|TRIGGER) (\w+)/.exec(sql) ?? [];
      if (name === undefined) continue;
      if (verb === "DROP") found.delete(name);
      else found.set(name, typeof statement === "string" ? statement : { postgres: sql });
    }
  }
  return found;
}

/** Tables that are written for PostgreSQL on its own: those that refer to each other get their keys later there. */
function tablesOfPostgres(): ReadonlyMap<string, { readonly postgres: string }> {
  const written = steps
    .flat()
    .flatMap((statement) => (typeof statement === "string" ? [] : (statement.postgres ?? [])));
  return new Map(
    written.flatMap((postgres) => {
      const name = /^CREATE TABLE (\w+)/.exec(postgres)?.[1];
      return name === undefined ? [] : [[name, { postgres: withAdded(name, postgres) }]];
    }),
  );
}

/** With the columns that later steps add: what SQLite says of its own table has them already. */
const withAdded = (table: string, created: string): string =>
  steps
    .flat()
    .flatMap((statement) => statementsFor("postgres", [statement]))
    .flatMap((sql) => new RegExp(`^ALTER TABLE ${table} ADD COLUMN (.+)$`, "s").exec(sql)?.[1] ?? [])
    .reduce((sql, column) => sql.replace(/\n {2}\) STRICT$/, `,\n    ${column}$&`), created);

const isKeyOfPostgres = (statement: Statement): boolean =>
  typeof statement === "object" && /^ALTER TABLE \w+ ADD FOREIGN KEY/.test(statement.postgres ?? "");

/** What is in a new store. Other statements that write find no rows in one. */
const isFirstRow = (statement: Statement): boolean =>
  typeof statement === "string" && /^INSERT INTO \w+ \([^)]*\) VALUES/.test(statement);
