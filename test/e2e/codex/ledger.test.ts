import assert from "node:assert/strict";
import { appendFile, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { hangs } from "../endpoint.ts";
import { ledgerOf } from "../ledger-agrees.ts";
import type { Talaria } from "../talaria.ts";
import {
  type CodexTalaria,
  endless,
  endlessBegun,
  pidOf,
  runs,
  talariaOnCodex,
  told,
} from "./codex-talaria.ts";
import { whenChanged } from "./watching.ts";

/** An answer that reports so many tokens. */
const took = (input: number, output: number, ...reply: readonly object[]): object => ({
  reply: [...reply, { usage: { input, output } }],
});

/** Codex shortens a thread by itself when an answer took more than nine tenths of its window. */
const nearlyFull = 250_000;

const inLedger = ({ home }: Talaria): readonly string[] =>
  ledgerOf(home).map(({ cause, input, output }) => `${cause} ${input} ${output}`);

describe("what codex's requests took", { concurrency: 2 }, () => {
  for (const model of ["gpt-5.5", "gpt-6.1-sol"]) {
    test(`${model}: an automatic compaction is counted once, in one process and after a start`, async () => {
      await using it = await onModel(model, [
        took(nearlyFull, 10, { text: "One." }),
        took(3000, 30, { text: "SUMMARY" }),
        took(nearlyFull + 1, 50, { text: "Two." }),
        took(4000, 40, { text: "SUMMARY" }),
        took(6000, 60, { text: "Three." }),
      ]);
      const { code, stderr } = await it.run([], { input: "one\ntwo\n" });
      assert.equal(code, 0, stderr);
      assert.equal((await it.turn(["--continue", "three"])).ended.text, "Three.");
      assert.deepEqual(inLedger(it), ["turn 250000 10", "turn 253001 80", "turn 10000 100"]);
    });

    test(`${model}: an automatic compaction within a turn is counted once`, async () => {
      const call =
        model === "gpt-5.5"
          ? runs("echo hi")
          : { custom: { tool: "exec", input: 'text(await tools.exec_command({cmd:"echo hi"}))' } };
      await using it = await onModel(model, [
        took(1000, 10, { text: "One." }),
        took(nearlyFull, 20, call),
        took(3000, 30, { text: "SUMMARY" }),
        took(5000, 50, { text: "Two." }),
      ]);
      const { code, stderr } = await it.run([], { input: "one\ntwo\n" });
      assert.equal(code, 0, stderr);
      assert.deepEqual(inLedger(it), ["turn 1000 10", "turn 258000 100"]);
    });

    test(`${model}: /compress is a row of its own, and the next turn does not pay for it again`, async () => {
      await using it = await onModel(model, [
        took(1000, 10, { text: "One." }),
        took(3000, 30, { text: "SUMMARY" }),
        took(5000, 50, { text: "Two." }),
        took(2000, 20, { text: "SUMMARY" }),
      ]);
      const { stdout } = await it.run([], { input: "one\n/compress\ntwo\n" });
      assert.match(stdout, /Codex has shortened its thread/);
      const again = await it.run(["--continue"], { input: "/compress\n" });
      assert.match(again.stdout, /Codex has shortened its thread/, again.stderr);
      assert.deepEqual(inLedger(it), [
        "turn 1000 10",
        "compression 3000 30",
        "turn 5000 50",
        "compression 2000 20",
      ]);
    });

    test(`${model}: /compress is refused when a budget is used up`, async () => {
      await using it = await onModel(model, [took(1000, 10, { text: "One." })]);
      await appendFile(join(it.home, "config.yaml"), "budgets: { session: { tokens: 1000 } }\n");
      const { stdout, stderr } = await it.run([], { input: "one\n/compress\n" });
      assert.match(
        stdout + stderr,
        /not shortened: this session has used 1,010 tokens of its budget of 1,000 tokens\./,
      );
      assert.equal(it.model.total, 1);
    });
  }

  test("are in the ledger when codex is killed before it could say so", async () => {
    await using it = await talariaOnCodex([took(1000, 10, runs("echo hi")), took(2000, 20, endless)]);
    const child = await it.startTurn(["work"]);
    await endlessBegun(it, child);
    await inJournal(it, "token_usage_record", 2);
    process.kill(await pidOf(it, /codex app-server/), "SIGKILL");
    assert.equal(told(await child.finished).ended.fault?.code, "lost");
    assert.deepEqual(inLedger(it), ["turn 3000 30"]);
    assert.partialDeepStrictEqual(ledgerOf(it.home), [{ uncounted: null }]);
  });

  const unheard = [
    ["a part of the next answer has come", { reply: [endless, { hang: true }] }, endlessBegun],
    ["the next answer is awaited", hangs(""), ({ model }: CodexTalaria) => model.waitForRequest(2)],
  ] as const;
  for (const [when, answer, comes] of unheard) {
    test(`are more than the ledger has, and it says so, when a turn is stopped while ${when}`, async () => {
      await using it = await talariaOnCodex([took(1000, 10, runs("echo hi")), answer]);
      const child = await it.startTurn(["work"]);
      await child.shows(/"type":"usage"/);
      await comes(it, child);
      child.signal("SIGINT");
      assert.partialDeepStrictEqual(told(await child.finished).ended, {
        outcome: "interrupted",
        uncounted: true,
      });
      assert.partialDeepStrictEqual(ledgerOf(it.home), [{ input: 1000, output: 10, uncounted: 1 }]);
    });
  }

  test("are in the ledger when Talaria is killed before it heard of them", async () => {
    await using it = await talariaOnCodex([
      took(1000, 10, runs("echo hi")),
      took(2000, 20, endless),
      took(4000, 40, { text: "Here again." }),
    ]);
    const child = await it.startTurn(["work"]);
    await endlessBegun(it, child);
    await inJournal(it, "token_usage_record", 2);
    child.signal("SIGKILL");
    await child.finished;
    await it.turn(["--continue", "go on"]);
    assert.deepEqual(inLedger(it), ["turn 3000 30", "turn 4000 40"]);
  });
});

async function onModel(model: string, script: readonly object[]): Promise<CodexTalaria> {
  const it = await talariaOnCodex(script);
  const file = join(it.home, "config.yaml");
  const settings = await readFile(file, "utf8");
  const wanted = settings.replace("default: gpt-5.5", `default: ${model}`);
  await writeFile(file, wanted.replace("openai_runtime: auto", "openai_runtime: codex_app_server"));
  return it;
}

/** Resolves when codex has written so many lines of this type down. */
async function inJournal({ codexHome }: CodexTalaria, type: string, wanted: number): Promise<void> {
  const folder = join(codexHome, "sessions");
  const [name = ""] = (await readdir(folder, { recursive: true })).filter((each) => each.endsWith(".jsonl"));
  const file = join(folder, name);
  await whenChanged(file, async () => (await readFile(file, "utf8")).split(`"${type}"`).length > wanted);
}
