import assert from "node:assert/strict";
import { test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

/** What such a model writes instead of calling tools one by one. */
const program = `
const shell = await tools.exec_command({ cmd: "echo from code; exit 4" });
text(shell.exit_code);
text(await tools.talaria__session_search({ query: "capercaillie" }));
`;

test("a model that works by writing code makes the same items and rows as any other", async () => {
  await using it = await talariaOnCodex([
    { reply: [{ text: "I try.", phase: "commentary" }, { custom: { tool: "exec", input: program } }] },
    says("It ended with 4."),
    says("I said: it ended with 4."),
  ]);
  const { code, lines, items, ended } = await it.turn(["--model", "gpt-6.1-sol", "try it"]);
  assert.deepEqual([code, lines[0]?.["model"]], [0, "gpt-6.1-sol"]);
  assert.partialDeepStrictEqual(items, [
    { kind: "text", text: "I try.", phase: "commentary" },
    { kind: "call", tool: "exec_command", output: "from code\n", ok: false, exitCode: 4 },
    { kind: "call", tool: "session_search", args: { query: "capercaillie" }, ok: true },
    { kind: "text", text: "It ended with 4." },
  ]);
  assert.partialDeepStrictEqual(ended, { outcome: "done", text: "It ended with 4.", calls: 2 });
  assert.match(heard(it.model.requests[1]).at(-1) ?? "", /^result .*"4".*Nothing was found/);
  const [session] = await onDisk(it.home);
  assert.deepEqual(session?.said.slice(0, 5), [
    "user try it",
    "assistant I try.",
    "assistant ",
    "tool [exit 4]\nfrom code\n",
    "assistant ",
  ]);
  const next = await it.turn(["--continue", "what did you say?"]);
  assert.deepEqual([next.code, next.ended.text], [0, "I said: it ended with 4."]);
  assert.equal(next.ended.thread, ended.thread);
});
