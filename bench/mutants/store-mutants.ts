import type { Mutant } from "./mutant.ts";

const store = ["src/store/sqlite/sqlite.test.ts"];

export const storeMutants: readonly Mutant[] = [
  {
    name: "an upgrade keeps no backup",
    file: "src/store/upgrade.ts",
    find: "await engine.backups?.keep(from)",
    replace: "undefined",
    tests: ["src/store/sqlite/backup.test.ts"],
  },
  {
    name: "a store is upgraded while an earlier version is at work in it",
    file: "src/store/upgrade.ts",
    find: "pid !== process.pid && isAlive(",
    replace: "pid === process.pid && isAlive(",
    tests: ["src/store/sqlite/backup.test.ts"],
  },
  {
    name: "a session that is taken over keeps its epoch",
    file: "src/store/leases.ts",
    find: "const epoch = before.epoch + 1;",
    replace: "const epoch = before.epoch || 1;",
    tests: store,
  },
  {
    name: "a lease of an older epoch may write",
    file: "src/store/leases.ts",
    find: `    .updateTable("lease")
    .where("name", "=", leaseName(lease))
    .where("epoch", "=", lease.epoch)
`,
    replace: `    .updateTable("lease")
    .where("name", "=", leaseName(lease))
`,
    tests: store,
  },
  {
    name: "another message of the same chat is taken for a repetition",
    file: "src/store/sessions/inbox.ts",
    find: `    .where("msg_id", "=", key.messageId)\n`,
    replace: "",
    tests: store,
  },
  {
    name: "an item that is kept twice has its rows twice",
    file: "src/store/sessions/turns.ts",
    find: "      if (kept.numInsertedOrUpdatedRows === 0n) return false;\n",
    replace: "",
    tests: store,
  },
  {
    name: "a turn that has ended can end again",
    file: "src/store/sessions/turns.ts",
    find: `    .where("state", "=", "open")\n    .executeTakeFirst();`,
    replace: "    .executeTakeFirst();",
    tests: store,
  },
  {
    name: "a call that was denied may have run",
    file: "src/store/sessions/calls.ts",
    find: "  denied: false,",
    replace: "  denied: true,",
    tests: store,
  },
  {
    name: "a second answer to a question wins",
    file: "src/store/approvals/approvals.ts",
    find: `        .where("state", "=", "pending")\n        .executeTakeFirst();`,
    replace: "        .executeTakeFirst();",
    tests: store,
  },
  {
    name: "a standing yes holds whatever the files are now",
    file: "src/store/approvals/grants.ts",
    find: `    .where((is) => (bound === undefined ? is("bound", "is", null) : is("bound", "=", boundText(bound))))\n`,
    replace: "",
    tests: store,
  },
  {
    name: "a yes for one session holds in every session",
    file: "src/store/approvals/grants.ts",
    find: `is.or([is("scope", "=", "always"), is("session", "=", session)])`,
    replace: `is.or([is("scope", "!=", "work"), is("session", "=", session)])`,
    tests: store,
  },
  {
    name: "turns come back although something was said since",
    file: "src/store/sessions/undo.ts",
    find: `  if ((await newer.executeTakeFirst()) !== undefined) return "since";\n`,
    replace: "",
    tests: store,
  },
  {
    name: "one write that is refused fails those beside it",
    file: "src/store/shared-commit.ts",
    find: "for (const each of group) await alone(each);",
    replace: "for (const { reject } of group) reject(error);",
    tests: store,
  },
  {
    name: "a fork has the turns that were taken back",
    file: "src/store/sessions/fork.ts",
    find: `    .where("turn.undone", "is", null);`,
    replace: "    ;",
    tests: store,
  },
  {
    name: "what has no price counts as free",
    file: "src/store/sessions/usage.ts",
    find: "unpriced: Number(rows) - Number(priced)",
    replace: "unpriced: 0 * (Number(rows) - Number(priced))",
    tests: store,
  },
];
