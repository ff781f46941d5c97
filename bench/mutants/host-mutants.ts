import type { Mutant } from "./mutant.ts";

const host: readonly Mutant[] = [
  {
    name: "a tool that is switched off stays with codex",
    file: "src/host/codex/switches.ts",
    find: "off.includes(name) || off.includes(sets[name] ?? name)",
    replace: "off.includes(name)",
    tests: ["src/host/codex/switches.test.ts"],
  },
  {
    name: "a command that cannot be checked gets past the deny list on codex",
    file: "src/host/codex/deny-guard.ts",
    find: "command: `${words} || exit 2`",
    replace: "command: `${words}`",
    tests: ["src/host/codex/switches.test.ts"],
  },
  {
    name: "other programs are offered the terminal",
    file: "src/host/tool-server/exposed.ts",
    find: "if (localTools.has(name)) return local;",
    replace: "if (localTools.has(name)) return !worker || local;",
    tests: ["src/host/tool-server/exposed.test.ts"],
  },
  {
    name: "whatever a small model says besides its verdict is a yes",
    file: "src/host/approvals/smart.ts",
    find: `if (!isPlainObject(answer) || Object.keys(answer).toSorted().join() !== "risk,why")`,
    replace: "if (!isPlainObject(answer))",
    tests: ["src/host/approvals/smart.test.ts"],
  },
  {
    name: "switching one tool on switches on its whole set",
    file: "src/host/tools/switches.ts",
    find: "return [...rest.filter((other) => other !== set), ...others.map((tool) => tool.name).toSorted()];",
    replace: "return rest.filter((other) => other !== set);",
    tests: ["src/host/tools/switches.test.ts"],
  },
  {
    name: "instructions change within a session",
    file: "src/host/prompt/instructions.ts",
    find: "const known = frozen.get(key) ?? gather(soulFile, session, context);",
    replace: "const known = gather(soulFile, session, context);",
    tests: ["src/host/prompt/instructions.test.ts"],
  },
  {
    name: "a key that was corrected is not read",
    file: "src/host/models/routes.ts",
    find: "    await reread();\n",
    replace: "",
    tests: ["src/host/models/routes.test.ts"],
  },
  {
    name: "a diff is shown with its secrets",
    file: "src/host/sessions/diff.ts",
    find: "const text = mask(tracked.truncated ? tracked.stdout : tracked.stdout + untracked.text);",
    replace: "const text = tracked.truncated ? mask(tracked.stdout) : mask(tracked.stdout) + untracked.text;",
    tests: ["src/host/sessions/folder-diff.test.ts"],
  },
];

const config: readonly Mutant[] = [
  {
    name: "the settings file counts for more than the environment",
    file: "src/config/model-choice.ts",
    find: `  if (environment !== undefined) return { value: environment, from: "environment" };
  if (file !== undefined) return { value: file, from: "file" };`,
    replace: `  if (file !== undefined) return { value: file, from: "file" };
  if (environment !== undefined) return { value: environment, from: "environment" };`,
    tests: ["src/config/config.test.ts"],
  },
  {
    name: "a header with a variable that is not set is sent with a hole",
    file: "src/config/reader.ts",
    find: "if (missing !== undefined) {",
    replace: 'if (missing === "") {',
    tests: ["src/config/config.test.ts"],
  },
  {
    name: "what came into a header by reference is not hidden",
    file: "src/config/reader.ts",
    find: `    secrets.push(...references(value).map((name) => lookup(name) ?? ""));\n`,
    replace: "",
    tests: ["src/config/config.test.ts"],
  },
  {
    name: "going back to a runtime loses what the person has changed since",
    file: "src/config/default-runtime.ts",
    find: "if (digestOf(text) === edit.digest)",
    replace: 'if (digestOf(text) !== "")',
    tests: ["src/config/default-runtime.test.ts"],
  },
  {
    name: "a hash sign in a quoted value ends it",
    file: "src/config/dotenv.ts",
    find: `if (rest.startsWith("'"))`,
    replace: `if (rest.startsWith("''"))`,
    tests: ["src/config/dotenv.test.ts"],
  },
];

const commands: readonly Mutant[] = [
  {
    name: "commands of the owner are for everybody",
    file: "src/operations/chat/dispatch.ts",
    find: `if (!mayType(command, by))`,
    replace: `if (mayType(command, by) && by.role !== "owner")`,
    tests: ["src/operations/chat/dispatch.test.ts"],
  },
  {
    name: "a command that has to wait runs beside a turn",
    file: "src/operations/chat/dispatch.ts",
    find: `if (command.busy === "refused" && busy)`,
    replace: `if (command.busy === "refused" && !busy)`,
    tests: ["src/operations/chat/dispatch.test.ts"],
  },
  {
    name: "everything can be allowed beforehand where nobody sits",
    file: "src/operations/chat/approval-commands.ts",
    find: `if (attended === "none")`,
    replace: `if (attended === "all")`,
    tests: ["src/operations/chat/approval-commands.test.ts"],
  },
  {
    name: "/undo takes back one turn more than was said",
    file: "src/operations/chat/turn-commands.ts",
    find: 'undoneText(await client.call("turns.undo", { session, turns }))',
    replace: 'undoneText(await client.call("turns.undo", { session, turns: turns + 1 }))',
    tests: ["src/operations/chat/turn-commands.test.ts"],
  },
];

const core: readonly Mutant[] = [
  {
    name: "input from the cache is paid twice",
    file: "src/core/spend.ts",
    find: "(input - cached) * price.input",
    replace: "input * price.input",
    tests: ["src/core/spend.test.ts"],
  },
  {
    name: "half a sum looks like a whole one",
    file: "src/core/spend.ts",
    find: "(sum === undefined || cost === undefined ? undefined : sum + cost)",
    replace: "(sum === undefined || cost === undefined ? sum : sum + cost)",
    tests: ["src/core/spend.test.ts", "src/agent/budget/budgets.test.ts"],
  },
];

export const hostMutants: readonly Mutant[] = [...host, ...config, ...commands, ...core];
