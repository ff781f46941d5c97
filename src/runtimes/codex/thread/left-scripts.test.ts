import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { leftScripts } from "./left-scripts.ts";

const line = (payload: object): string => `${JSON.stringify({ type: "response_item", payload })}\n`;
const output = (call_id: string, text: string): string =>
  line({ type: "custom_tool_call_output", call_id, output: text });
const wait = (call_id: string, cell_id: string): string =>
  line({ type: "function_call", name: "wait", call_id, arguments: JSON.stringify({ cell_id }) });

test("scripts that were paused and not waited for to the end are counted, of this turn alone", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "rollout.jsonl");
  await writeFile(file, output("c0", "Script running with cell ID 1\nOutput:\n"));
  const count = await leftScripts(file);
  assert.equal(await count(), 0);
  await appendFile(file, output("c1", "Script running with cell ID 2\nOutput:\n"));
  await appendFile(file, output("c2", "Script completed\nOutput:\nScript running with cell ID 9"));
  assert.equal(await count(), 1);
  await appendFile(file, wait("c3", "2") + output("c3", "Script running with cell ID 2\n"));
  assert.equal(await count(), 1);
  await appendFile(
    file,
    wait("c4", "2") +
      line({
        type: "function_call_output",
        call_id: "c4",
        output: [{ type: "input_text", text: "Script completed\n" }],
      }),
  );
  assert.equal(await count(), 0);
  assert.equal(await (await leftScripts(undefined))(), 0);
});
