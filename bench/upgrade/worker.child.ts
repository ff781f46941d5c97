/** Opens a store as every start does, and can be killed at each statement of its upgrade. */
import { writeSync } from "node:fs";
import { argv } from "node:process";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { newerProgram } from "./world.ts";

const [path = "", at = "0", when = "before"] = argv.slice(2);
let statements = 0;
let begun = false;
const say = (fact: object): void => void writeSync(1, `${JSON.stringify(fact)}\n`);

const store = await openSqliteStore(path, {
  migrations: newerProgram,
  onStatement(sql, moment) {
    if (moment === "before") statements += 1;
    if (!begun && sql.startsWith("begin")) say({ begun: (begun = true) });
    if (statements === Number(at) && moment === when) process.kill(process.pid, "SIGKILL");
  },
});
say({ upgraded: true });
await store[Symbol.asyncDispose]();
say({ statements });
