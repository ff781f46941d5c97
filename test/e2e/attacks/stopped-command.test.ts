import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { startAnsweringModel } from "../../../bench/answering-model.ts";
import { textReply } from "../../../src/models/demo/reply.ts";
import { type CodexTalaria, pidOf, talariaOnCodex } from "../codex/codex-talaria.ts";
import { whenChanged } from "../codex/watching.ts";
import { configure } from "../endpoint.ts";

const command = "echo early; sleep 0.5; echo late; touch begun; sleep 600";

/** Runs a command that says something at once, and is still at it when it is stopped. */
const startRunner = (): ReturnType<typeof startAnsweringModel> =>
  startAnsweringModel(({ results, model }) => {
    if (results.length > 0) return textReply("Well.");
    const args = JSON.stringify({ cmd: command, yield_time_ms: 30_000 });
    if (model === "gpt-5.5") return { content: [{ kind: "call", tool: "exec_command", args }] };
    return { content: [{ kind: "custom", tool: "exec", input: `text(await tools.exec_command(${args}));` }] };
  });

type Row = { readonly tool: string; readonly output: string };

async function rowsOfStopped(
  model: string,
  before: (it: CodexTalaria) => Promise<void>,
): Promise<readonly Row[]> {
  await using runner = await startRunner();
  await using it = await talariaOnCodex([], { unaccounted: "another model is asked" });
  await configure(it.home, runner.url);
  const child = await it.startTurn(["--model", model, "work"]);
  await whenChanged(it.cwd, async () => (await readdir(it.cwd)).includes("begun"));
  await before(it);
  child.signal("SIGINT");
  await child.finished;
  using db = new DatabaseSync(join(it.home, "talaria.db"), { readOnly: true });
  const bodies = db.prepare("select body from item").all();
  return bodies.map(({ body }) => JSON.parse(String(body)) as Row).filter(({ tool }) => tool !== undefined);
}

describe("a command of codex that is stopped", { concurrency: 2 }, () => {
  for (const model of ["gpt-5.5", "gpt-6.1-sol"]) {
    test(`is one row, with all that it wrote (${model})`, async () => {
      const rows = await rowsOfStopped(model, async () => {});
      assert.deepEqual(
        rows.map(({ tool }) => tool),
        ["exec_command"],
      );
      assert.match(
        rows[0]?.output ?? "",
        /^early\nlate\n\[not finished: the turn was stopped; it was ended\]$/,
      );
    });

    test(`is one row also when codex hangs (${model})`, async () => {
      const rows = await rowsOfStopped(model, async (it) => {
        process.kill(await pidOf(it, /codex app-server/), "SIGSTOP");
      });
      assert.deepEqual(
        rows.map(({ tool }) => tool),
        ["exec_command"],
      );
      assert.match(
        rows[0]?.output ?? "",
        /late\n\[not finished: the turn was stopped; it may still be running\]$/,
      );
    });
  }
});
