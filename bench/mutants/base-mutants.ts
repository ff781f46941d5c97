import type { Mutant } from "./mutant.ts";

const lib: readonly Mutant[] = [
  {
    name: "a secret in base64 is not masked",
    file: "src/lib/redact/redact.ts",
    find: "    ...base64Spellings(wellFormed),\n",
    replace: "",
    tests: ["src/lib/redact/redact.test.ts"],
  },
  {
    name: "a secret that comes in two pieces is shown",
    file: "src/lib/redact/redact-stream.ts",
    find: "line = ended > 0 ? piece.slice(ended) : line + piece;",
    replace: "line = ended > 0 ? piece.slice(ended) : piece;",
    tests: ["src/lib/redact/redact-stream.test.ts"],
  },
  {
    name: "a job that fails stops the ones behind it",
    file: "src/lib/lanes.ts",
    find: "const tail = mine.then(leave, leave);",
    replace: "const tail = mine.then(leave);",
    tests: ["src/lib/lanes.test.ts"],
  },
  {
    name: "a half-sent line is taken for a whole one",
    file: "src/lib/rpc/jsonl.ts",
    find: "if (options.keepPartial === true && partial",
    replace: "if (options.keepPartial !== false && partial",
    tests: ["src/lib/rpc/jsonl.test.ts"],
  },
  {
    name: "the last try is not made",
    file: "src/lib/retry.ts",
    find: "attempt < tries && options.retryable(error)",
    replace: "attempt < tries - 1 && options.retryable(error)",
    tests: ["src/lib/retry.test.ts"],
  },
  {
    name: "what a child left running outlives it",
    file: "src/lib/process/child.ts",
    find: "    const gone = await endTree(tree, clock, options.grace?.termMs);\n",
    replace: "    const gone = tree !== undefined;\n",
    tests: ["src/lib/process/child.alone.test.ts"],
  },
  {
    name: "the lock of somebody living is taken away",
    file: "src/lib/guarded-file/lock-file.ts",
    find: "if (isOurs) return !isAlive({ pid, startTime });",
    replace: "if (isOurs) return isAlive({ pid, startTime });",
    tests: ["src/lib/guarded-file/guarded-file.alone.test.ts"],
  },
];

const models: readonly Mutant[] = [
  {
    name: "an answer that was shown in part is asked for again",
    file: "src/models/converse.ts",
    find: "const plan = received.shown ? undefined : planRetry(",
    replace: "const plan = received.items < 0 ? undefined : planRetry(",
    tests: ["src/models/matrix/matrix.test.ts"],
  },
  {
    name: "another answer is asked for under the same key",
    file: "src/models/converse.ts",
    find: 'return { request, key: randomUUID(), whole: last.whole || as === "whole" };',
    replace: 'return { request, key: last.key, whole: last.whole || as === "whole" };',
    tests: ["src/models/matrix/matrix.test.ts"],
  },
  {
    name: "half of a call is run",
    file: "src/models/chat/machine.ts",
    find: `call.name === "" || (finish === "" && !isWhole(call.text))`,
    replace: `call.name === "" || (finish !== "" && !isWhole(call.text))`,
    tests: ["src/models/chat/machine.test.ts", "src/models/matrix/matrix.test.ts"],
  },
  {
    name: "a key travels to where a provider redirects",
    file: "src/models/post.ts",
    find: "    answer = incoming;\n",
    replace: `    answer = incoming;
    const to = incoming.headers.location;
    if (to !== undefined) return resolve(post(new URL(to, url), { method: "POST", headers, body, redirect: "manual", signal }));
`,
    tests: ["src/models/stream.test.ts"],
  },
  {
    name: "a provider that asks for an hour is waited for",
    file: "src/models/attempts.ts",
    find: "  if ((failed.retryAfterMs ?? afterMs) > mostMs) return undefined;\n",
    replace: "",
    tests: ["src/models/attempts.test.ts"],
  },
];

const transcript: readonly Mutant[] = [
  {
    name: "words of the person that came beside a call are lost",
    file: "src/transcript/history.ts",
    find: "  answered.result = withSteeredWords(row.content, draft.steeredWords);\n",
    replace: "  answered.result = withSteeredWords(row.content, []);\n",
    tests: ["src/transcript/history.test.ts"],
  },
  {
    name: "an item that is told twice is twice in the transcript",
    file: "src/transcript/projector.ts",
    find: `event.type !== "item" || has(state.seen, event.item.id)`,
    replace: `event.type !== "item"`,
    tests: ["src/transcript/projector.test.ts"],
  },
  {
    name: "a summary parts a call from its result",
    file: "src/transcript/compaction-border.ts",
    find: "call < border && result >= border",
    replace: "call < border && result > border",
    tests: ["src/transcript/compaction.test.ts"],
  },
];

export const baseMutants: readonly Mutant[] = [...lib, ...models, ...transcript];
