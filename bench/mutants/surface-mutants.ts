import type { Mutant } from "./mutant.ts";

const tui: readonly Mutant[] = [
  {
    name: "a yes can be given before all of it was seen",
    file: "src/surfaces/tui/questions/approval.ts",
    find: `choice === "deny" || seen ? [index]`,
    replace: `choice === "deny" || shown.length > 0 ? [index]`,
    tests: ["src/surfaces/tui/questions/approval.test.ts"],
  },
  {
    name: "keys that were typed before a question answer it",
    file: "src/surfaces/tui/questions/panel.ts",
    find: "since !== undefined && clock.monotonic() - since >= quietMs",
    replace: "since === undefined || clock.monotonic() - since >= quietMs",
    tests: ["src/surfaces/tui/questions/panel.test.ts", "src/surfaces/tui/questions/property.test.ts"],
  },
  {
    name: "a question counts as seen with its last line below the edge",
    file: "src/surfaces/tui/questions/window.ts",
    find: "return top + height >= total;",
    replace: "return top + height >= total - 1;",
    tests: ["src/surfaces/tui/questions/window.test.ts"],
  },
  {
    name: "a question is asked again whenever it is announced",
    file: "src/surfaces/tui/questions/queue.ts",
    find: "      if (known.has(id)) return;\n",
    replace: "",
    tests: ["src/surfaces/tui/questions/panel.test.ts"],
  },
  {
    name: "pasted text may steer the terminal",
    file: "src/surfaces/tui/input/typing.ts",
    find: `    .replaceAll(steering, "");`,
    replace: "    ;",
    tests: ["src/surfaces/tui/input/typing.test.ts"],
  },
  {
    name: "half of an escape sequence is shown",
    file: "src/surfaces/tui/transcript/output-tail.ts",
    find: "const [ready, rest] = withoutSequences(carry + text);",
    replace: "const [ready, rest] = withoutSequences(text);",
    tests: ["src/surfaces/tui/transcript/output-tail.test.ts"],
  },
];

const cli: readonly Mutant[] = [
  {
    name: "a failed turn ends with exit code 0",
    file: "src/surfaces/cli/run.ts",
    find: `return ended.fault?.code === "config" ? 2 : 1;`,
    replace: `return ended.fault?.code === "config" ? 2 : 0;`,
    tests: ["src/surfaces/cli/run.test.ts", "test/e2e/provider-faults.test.ts"],
  },
  {
    name: "a script is asked as if somebody sat there",
    file: "src/surfaces/cli/run.ts",
    find: `ports.stdin.isTTY === true && ports.stderr.isTTY === true ? "ask" : "none"`,
    replace: `ports.stdin.isTTY === true || ports.stderr.isTTY !== true ? "ask" : "none"`,
    tests: ["src/surfaces/cli/run.test.ts"],
  },
];

const acp: readonly Mutant[] = [
  {
    name: "an editor may give an answer that was not offered",
    file: "src/surfaces/acp/permissions.ts",
    find: `const choice = choices.find((each) => each === fields["optionId"]);`,
    replace: `const choice = choices.find((each) => each === fields["optionId"]) ?? choices[0];`,
    tests: ["src/surfaces/acp/permissions.test.ts"],
  },
  {
    name: "a prompt is sent although it was cancelled",
    file: "src/surfaces/acp/open-session.ts",
    find: "  if (prompt.cancelled) return cancelled;\n",
    replace: "",
    tests: ["src/surfaces/acp/open-session.test.ts"],
  },
  {
    name: "a stop sets aside what was sent after it",
    file: "src/surfaces/acp/prompts.ts",
    find: "        await stopping;\n",
    replace: "",
    tests: ["src/surfaces/acp/prompts.test.ts"],
  },
  {
    name: "a diff that does not fit is shown as if it did",
    file: "src/surfaces/acp/unified-diff.ts",
    find: "if (start < at || here.some((line, index) => lines[start + index] !== line.text)) return undefined;",
    replace: "if (start < at) return undefined;",
    tests: ["src/surfaces/acp/unified-diff.test.ts"],
  },
];

const mcp: readonly Mutant[] = [
  {
    name: "a client that declines has allowed it",
    file: "src/surfaces/mcp/index.ts",
    find: `action === "accept" ? choices.find((choice) => choice === content?.["answer"]) : undefined`,
    replace: `action === "accept" ? choices.find((choice) => choice === content?.["answer"]) : choices[0]`,
    tests: ["test/e2e/mcp/questions.test.ts"],
  },
  {
    name: "a message that is nested too deep is taken",
    file: "src/surfaces/mcp/stdio.ts",
    find: "  if (isTooDeep(line)) {",
    replace: '  if (line === "") {',
    tests: ["src/surfaces/mcp/stdio.test.ts"],
  },
];

export const surfaceMutants: readonly Mutant[] = [...tui, ...cli, ...acp, ...mcp];
