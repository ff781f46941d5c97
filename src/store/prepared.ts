import type { Compilable, CompiledQuery, Kysely, QueryResult } from "kysely";
import type { Database } from "./schema/database.ts";

/** Stands for a value in a statement that is compiled before there is one. */
class Placeholder {
  readonly name: PropertyKey;
  constructor(name: PropertyKey) {
    this.name = name;
  }
}

const placeholders = new Proxy({}, { get: (_target, name) => new Placeholder(name) });

/**
 * A statement that every turn makes: built and compiled once for each open store, which takes longer than to run it, and then only
 * given its values. `build` may hand them on, and do nothing else with them: they are not known then. A constant that some index
 * has only the rows of (`state = 'open'`) is to be a literal: SQLite looks at the value otherwise, and plans anew each time.
 */
export function prepared<Values extends object, Row>(
  build: (db: Kysely<Database>, values: Values) => Compilable<Row>,
): (db: Kysely<Database>, values: Values) => Promise<QueryResult<Row>> {
  /** By what is the same for a store and its transactions, and another one for each store. */
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  return (db, values) => {
    const { adapter } = db.getExecutor();
    const known = compiled.get(adapter) ?? build(db, placeholders as Values).compile();
    compiled.set(adapter, known);
    const parameters = known.parameters.map((each) =>
      each instanceof Placeholder ? values[each.name as keyof Values] : each,
    );
    return db.executeQuery({ ...known, parameters });
  };
}

/** How many rows a statement has changed or added. */
export const changedRows = ({ numAffectedRows = 0n }: QueryResult<unknown>): number =>
  Number(numAffectedRows);

/** These of the values, each as a column: nobody can list values that are not known yet. */
export const columnsOf = <Row extends object, Name extends keyof Row>(
  row: Row,
  names: readonly Name[],
): Pick<Row, Name> => Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;

/** Of a statement that returns one, or fails. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("the statement returned no row");
  return row;
}
