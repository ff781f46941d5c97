import type { Mutant } from "./mutant.ts";

export const agentMutants: readonly Mutant[] = [
  {
    name: "an item is shown before it is committed",
    file: "src/agent/follow-runtime.ts",
    find: `        const item = await commitItem(deps, held.lease, turn.id, event.item, progress);
        live.end(event.item.id);
        if (item !== undefined) say({ type: "item", item });`,
    replace: `        live.end(event.item.id);
        say({ type: "item", item: event.item });
        await commitItem(deps, held.lease, turn.id, event.item, progress);`,
    tests: ["src/agent/agent.test.ts"],
  },
  {
    name: "the output of a call is kept with its secrets",
    file: "src/agent/commit.ts",
    find: "output: redact(item.output)",
    replace: "output: item.output",
    tests: ["src/agent/agent.test.ts"],
  },
  {
    name: "the answer of a failed turn goes to no chat",
    file: "src/agent/commit.ts",
    find: 'deps.answering(input.key.surface) === "posted"',
    replace: 'deps.answering(input.key.surface) === "posted" && ended.fault === undefined',
    tests: ["src/agent/chat-answer.test.ts"],
  },
  {
    name: "what a turn would not take in is never run",
    file: "src/agent/admission.ts",
    find: `    await inbox.move(row.id, "unconfirmed", "waiting", turn.id);\n`,
    replace: "",
    tests: ["src/agent/agent.test.ts"],
  },
  {
    name: "nobody is told of a turn that a crash cut off",
    file: "src/agent/recovery/reconcile.ts",
    find: "{ tell: true, usage }",
    replace: "{ tell: false, usage }",
    tests: ["src/agent/recovery/reconcile.test.ts"],
  },
  {
    name: "a call that a crash cut off leaves no trace",
    file: "src/agent/recovery/reconcile.ts",
    find: "  await closeOpenCalls(deps, held.lease, stored.id, progress);\n",
    replace: "",
    tests: ["src/agent/recovery/open-calls.test.ts", "src/agent/recovery/reconcile.test.ts"],
  },
  {
    name: "a turn goes on after another process took the session over",
    file: "src/agent/session-lease.ts",
    find: `if (!renewed) return lost.abort(new Error("another process took this session over"));`,
    replace: `if (!renewed && lost.signal.aborted) return;`,
    tests: ["src/agent/recovery/reconcile.test.ts"],
  },
  {
    name: "waiting for a person is counted as work",
    file: "src/agent/budget/turn-budget.ts",
    find: "if (open === 0) pause();",
    replace: "if (open > 0) pause();",
    tests: ["src/agent/budget/turn-budget.test.ts"],
  },
  {
    name: "what the first runtime used is forgotten at a hand-over",
    file: "src/agent/hand-over.ts",
    find: "second.usage === undefined ? first.usage : addUsage(first.usage, second.usage)",
    replace: "second.usage ?? first.usage",
    tests: ["src/agent/hand-over.test.ts"],
  },
  {
    name: "a request that was cut off counts as having cost nothing",
    file: "src/agent/budget/turn-spend.ts",
    find: "uncounted === true && index === 0 ? { uncounted }",
    replace: "uncounted === true && index > 0 ? { uncounted }",
    tests: ["src/agent/agent.test.ts", "src/agent/recovery/reconcile.test.ts"],
  },
  {
    name: "what a runtime asked for by itself is not in the ledger",
    file: "src/agent/recovery/unasked.ts",
    find: "for (const question of refused) await ask(question, held.lost);",
    replace: "if (held.lost.aborted) for (const question of refused) await ask(question, held.lost);",
    tests: ["src/agent/recovery/unasked.test.ts"],
  },
  {
    name: "a summary that is longer than what it stands for is taken",
    file: "src/agent/compaction/compact.ts",
    find: "if (viewSize(shorter) >= viewSize(past.view)) {",
    replace: "if (viewSize(shorter) < 0) {",
    tests: ["src/agent/compaction/compact.test.ts"],
  },
];
