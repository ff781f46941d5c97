import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { DemoModel } from "../../fakes/demo-model.ts";
import { says, talariaOn } from "../endpoint.ts";
import type { Talaria } from "../talaria.ts";

const long = (words: string): string => `${words} ${"lorem ipsum ".repeat(250)}`;
const notes = "## Goal\nSUMMARY of the work\n\n## Decisions\nnone";

/** The fifth request is for the summary. */
const script = [
  ...[1, 2, 3, 4].map((at) => says(long(`answer-${at}`))),
  says(notes),
  says("five"),
  says("six"),
];

/** What the model was asked, request by request. */
const asked = (model: DemoModel): readonly string[] =>
  model.requests.map((request) => JSON.stringify(request.body["messages"]));

async function withWindow(it: Talaria & { readonly model: DemoModel }, tokens: number): Promise<void> {
  const settings = `model: { provider: mine, default: gpt-5.5 }
providers: { mine: { api: "${it.model.url}", protocol: chat, key_env: MINE_KEY, context_window: ${tokens} } }
auxiliary: { title_generation: { enabled: false } }
`;
  await writeFile(join(it.home, "config.yaml"), settings, { mode: 0o600 });
}

describe("a long conversation", () => {
  test("goes on with a summary when the context is nearly full, and /compress undo restores it", async () => {
    await using it = await talariaOn(script, { protocol: "chat" });
    await withWindow(it, 11_500);
    const questions = [1, 2, 3, 4].map((at) => long(`question-${at}`));
    const input = [...questions, "question-5", "/compress undo", "question-6", "/compress undo", ""];
    const { code, stdout, stderr } = await it.run([], { input: input.join("\n") });
    assert.equal(code, 0, stderr);
    assert.equal(it.model.total, 7);

    const [summing = "", fifth = "", sixth = ""] = asked(it.model).slice(4);
    assert.match(summing, /\[assistant\]\\nanswer-2/);
    assert.match(fifth, /SUMMARY of the work/);
    assert.match(fifth, /question-1.*question-5/);
    assert.doesNotMatch(fifth, /answer-1|question-2|answer-2/);
    assert.match(stderr + stdout, /The conversation was shortened: its first \d+ messages/);

    assert.match(stdout, /^Taken back\. The model is given all 10 messages again\.$/m);
    assert.match(sixth, /question-2.*answer-2.*question-6/);
    assert.doesNotMatch(sixth, /SUMMARY/);
    assert.match(stdout, /^There is nothing to take back/m);

    const [session = ""] = /ses_\w+/.exec((await it.run(["sessions", "list"])).stdout) ?? [];
    const shown = await it.run(["sessions", "export", session, "--format", "jsonl"]);
    assert.match(shown.stdout, /question-2/);
    assert.doesNotMatch(shown.stdout, /SUMMARY/);
  });
});
