import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type TurnId, asId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import type { Session, StoredMessage } from "../core/session.ts";
import { turnId } from "./arbitrary.suite.ts";
import { exportJsonl, exportMarkdown } from "./export.ts";

const begun = Date.UTC(2026, 7, 1, 10, 30);
const session: Session = {
  id: asId<"ses">("ses_0000000001"),
  cwd: "/repo",
  surface: "cli",
  audience: "owner",
  title: "Fix the\nbuild",
  createdAt: begun,
  updatedAt: begun,
};
const stored = (messages: readonly Message[]): StoredMessage[] =>
  messages.map((message, at) => ({
    seq: at + 1,
    turn: turnId(1),
    item: asId<"itm">(`itm_${at}`),
    at: begun + at * 60_000,
    message,
  }));

const none: ReadonlySet<TurnId> = new Set();

const conversation: readonly Message[] = [
  { role: "user", content: "Does it build?" },
  {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "c1", name: "exec_command", arguments: '{"command":"make"}' }],
    reasoning: "Try it.\n\nThen say.",
  },
  { role: "tool", toolCallId: "c1", content: "[exit 2]\n```\nbroken" },
  { role: "assistant", content: "No." },
  {
    role: "user",
    content: [
      { type: "text", text: "And here?" },
      { type: "image", name: "a.png", mediaType: "image/png", base64: "AA==" },
    ],
  },
];

describe("JSONL", () => {
  test("has one chat-completions message on each line", () => {
    const lines = [...exportJsonl(stored(conversation), none)];
    assert.ok(lines.every((line) => line.endsWith("\n") && line.indexOf("\n") === line.length - 1));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      [
        { role: "user", content: "Does it build?" },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            {
              id: "c1",
              type: "function",
              function: { name: "exec_command", arguments: '{"command":"make"}' },
            },
          ],
          reasoning: "Try it.\n\nThen say.",
        },
        { role: "tool", tool_call_id: "c1", content: "[exit 2]\n```\nbroken" },
        { role: "assistant", content: "No." },
        {
          role: "user",
          content: [
            { type: "text", text: "And here?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
          ],
        },
      ],
    );
  });

  test("stays one line for readers that split on Unicode line separators", () => {
    const [line = ""] = exportJsonl(stored([{ role: "user", content: "a\u2028b\u2029c" }]), none);
    assert.doesNotMatch(line, /[\u2028\u2029]/);
    assert.deepEqual(JSON.parse(line), { role: "user", content: "a\u2028b\u2029c" });
  });
});

test("Markdown reads like the conversation, and output cannot break out of its block", () => {
  assert.equal(
    [...exportMarkdown(session, stored(conversation), none)].join(""),
    `# Fix the build

- Session: ses_0000000001
- Folder: /repo
- Begun: 2026-08-01 10:30 UTC

## You · 2026-08-01 10:30 UTC

Does it build?

## Talaria · 2026-08-01 10:31 UTC

> Try it.
>
> Then say.

Call of \`exec_command\`:

\`\`\`json
{"command":"make"}
\`\`\`

Result:

\`\`\`\`text
[exit 2]
\`\`\`
broken
\`\`\`\`

No.

## You · 2026-08-01 10:34 UTC

And here?
[image: a.png]
`,
  );
});

test("what was taken back is marked for people and left out for models", () => {
  const rows = stored([
    { role: "user", content: "A mistake" },
    { role: "assistant", content: "Done" },
    { role: "assistant", content: "Still here" },
    { role: "user", content: "Better" },
  ]).map((row, at) => ({ ...row, turn: turnId(at < 2 ? 1 : 2) }));
  const undone = new Set([turnId(1)]);
  assert.deepEqual(
    [...exportMarkdown(session, rows, undone)].filter((line) => line.includes("##")),
    [
      "\n## You · 2026-08-01 10:30 UTC (taken back)\n",
      "\n## Talaria · 2026-08-01 10:31 UTC (taken back)\n",
      "\n## Talaria · 2026-08-01 10:32 UTC\n",
      "\n## You · 2026-08-01 10:33 UTC\n",
    ],
  );
  assert.deepEqual(
    [...exportJsonl(rows, undone)].map((line) => (JSON.parse(line) as Message).content),
    ["Still here", "Better"],
  );
});
