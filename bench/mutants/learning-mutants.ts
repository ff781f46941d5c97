import type { Mutant } from "./mutant.ts";

const learning: readonly Mutant[] = [
  {
    name: "what turns the person's words round counts as theirs",
    file: "src/learning/provenance/provenance.ts",
    find: " &&\n    agrees(text, stated);",
    replace: ";",
    tests: ["src/learning/provenance/provenance.test.ts"],
  },
  {
    name: "what nobody said is remembered without a question",
    file: "src/learning/memory/write-or-propose.ts",
    find: `(trusted ? undefined : "it does not rest`,
    replace: `(trusted || rule.mode !== "propose" ? undefined : "it does not rest`,
    tests: ["src/learning/memory/memory-tool.test.ts"],
  },
  {
    name: "a file that the person protects is overwritten",
    file: "src/learning/files/guard.ts",
    find: "  if (seen !== undefined && (seen.mode & 0o222) === 0) throw readOnly(file);\n",
    replace: "",
    tests: ["src/learning/files/learned-files.test.ts"],
  },
  {
    name: "a learned file is written before the row that says so",
    file: "src/learning/files/guard.ts",
    find: "  await recordHandEdit(deps, file, location.kind, before);\n  const row = await begin(before, after);",
    replace:
      "  if (before !== after) await held.replace(seen, after);\n  await recordHandEdit(deps, file, location.kind, before);\n  const row = await begin(before, after);",
    tests: ["src/learning/files/crash.test.ts"],
  },
  {
    name: "a review asks again what the person has turned down",
    file: "src/learning/files/learned-files.ts",
    find: `from.by === "review" ? (["rejected"] as const)`,
    replace: `from.by === "person" ? (["rejected"] as const)`,
    tests: ["src/learning/files/learned-files.test.ts"],
  },
  {
    name: "a review may call any tool",
    file: "src/learning/review/review-tools.ts",
    find: "      if (!reviewToolNames.has(name))\n",
    replace: '      if (name === "")\n',
    tests: ["src/learning/review/review-tools.test.ts"],
  },
  {
    name: "skills of a project are trusted after they have changed",
    file: "src/learning/skills/project-trust.ts",
    find: `return known !== undefined && known !== "" && known === (await fingerprint(skills));`,
    replace: `return known !== undefined && known !== "" && (await fingerprint(skills)) !== undefined;`,
    tests: ["src/learning/skills/project-trust.test.ts"],
  },
  {
    name: "skills of the person are put away",
    file: "src/learning/curator/curator.ts",
    find: "if (!isOurs || known.pinned)",
    replace: "if (known.pinned)",
    tests: ["src/learning/curator/curator.test.ts"],
  },
  {
    name: "a key is remembered",
    file: "src/learning/scan/scan.ts",
    find: `if (maskPatterns(text, "\\u0000") !== text)`,
    replace: `if (maskPatterns(text, "\\u0000") === "")`,
    tests: ["src/learning/scan/scan.test.ts"],
  },
];

const work: readonly Mutant[] = [
  {
    name: "a question does not say that a delegated task asks it",
    file: "src/work/delegate/live-task.ts",
    find: "from.ask(marked(question), AbortSignal.any([signal, stopped]), call)",
    replace: "from.ask(question, AbortSignal.any([signal, stopped]), call)",
    tests: ["src/work/delegate/task-limits.test.ts"],
  },
  {
    name: "a delegated task may spend without limit",
    file: "src/work/delegate/delegation.ts",
    find: `{ budget: { ...settings.budget, workMs: settings.maxMs, section: "delegation" } }`,
    replace: `{ budget: { workMs: settings.maxMs, section: "delegation" } }`,
    tests: ["src/work/delegate/task-limits.test.ts"],
  },
];

export const learningMutants: readonly Mutant[] = [...learning, ...work];
