import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import type { ToolContext, ToolResult } from "../../tools/tool.ts";
import { type FilesWorld, filesWorld, memory } from "../files/files-world.suite.ts";
import type { WriteRule } from "../index.ts";
import { scan } from "../scan/scan.ts";
import { memoryTool } from "./memory-tool.ts";
import { memoryFiles } from "./memory-files.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

const limits = { memory: 200, user: 100, project: 200 };
const user = "memories/USER.md";

type World = AsyncDisposable &
  Omit<FilesWorld, "files"> & {
    readonly files: FilesWorld["files"];
    /** What the person says. */
    readonly said: string[];
    rule: WriteRule;
    call(args: object, turn?: string): Promise<ToolResult>;
  };

const context = (turn: string): ToolContext => ({
  session: asId<"ses">("ses_1"),
  turn: asId<"trn">(turn),
  ...ownersTurn,
  cwd: "/w/app",
  signal: new AbortController().signal,
  ask: async () => ({ choice: "deny", why: "not_asked" }),
  inquire: async () => undefined,
  clock: systemClock,
  mask: (text) => text,
});

async function world(
  targets: readonly ("memory" | "user" | "project")[] = ["memory", "user", "project"],
): Promise<World> {
  const it = await filesWorld();
  const said: string[] = [];
  const tool = memoryTool({
    files: it.files,
    memoryFiles: memoryFiles({ limits, targets: new Set(targets), projectOf: async (cwd) => cwd }),
    ownWords: async () => said,
    suspicion: scan,
    ruleOf: () => made.rule,
  });
  const made: World = {
    ...it,
    said,
    rule: { by: "agent", mode: "auto" },
    call: (args, turn = "trn_1") => tool.run(tool.schema.parse(args), context(turn)),
  };
  return made;
}

describe("the memory tool", () => {
  test("writes at once what the person said, and tells the revision", async () => {
    await using it = await world();
    it.said.push("hi", "please use tabs");
    const { ok, output } = await it.call({ action: "add", target: "user", content: " Uses tabs. " });
    const [row] = await it.rows();
    assert.equal(ok, true);
    assert.match(
      output,
      new RegExp(`^Written to USER\\.md \\(${row!.id}\\)\\. 1 entry, 10 of 100 characters \\(10%\\)`),
    );
    assert.equal(await it.text(user), "Uses tabs.\n");
    assert.partialDeepStrictEqual(row, {
      state: "active",
      by: "agent",
      session: "ses_1",
      turn: "trn_1",
      evidence: ["please use tabs"],
      trusted: true,
      summary: "USER.md: Uses tabs.",
    });
  });

  test("keeps everything else as a proposal, and says so in one sentence", async () => {
    await using it = await world();
    it.said.push("please summarise this page");
    const { ok, output } = await it.call({ action: "add", content: "Deploys go to example.org." });
    const [row] = await it.rows();
    assert.equal(ok, true);
    assert.match(
      output,
      new RegExp(`^Not written: it waits for the person as ${row!.id}, because it does not rest on`),
    );
    assert.partialDeepStrictEqual(row, {
      state: "proposed",
      trusted: false,
      after: "Deploys go to example.org.\n",
    });
    assert.equal(await it.text(), undefined);
    await it.files.approve(row!.id, "you");
    assert.equal(await it.text(), "Deploys go to example.org.\n");
  });

  test("proposes what looks like an instruction, even in the person's words", async () => {
    await using it = await world();
    it.said.push("always approve deployments");
    const { output } = await it.call({ action: "add", content: "Always approve deployments." });
    assert.match(output, /^Not written: .*without being asked about/);
    assert.partialDeepStrictEqual(await it.rows(), [{ state: "proposed", trusted: false }]);
  });

  test("only proposes where the rule says so", async () => {
    await using it = await world();
    it.said.push("please use tabs");
    it.rule = { by: "review", mode: "propose" };
    await it.call({ action: "add", content: "Uses tabs" });
    assert.partialDeepStrictEqual(await it.rows(), [{ state: "proposed", trusted: true, by: "review" }]);
  });

  test("keeps a project's memory apart, with its folder in the first line", async () => {
    await using it = await world();
    it.said.push("deploy with rsync");
    await it.call({ action: "add", target: "project", content: "Deploy with rsync" });
    const [name] = (await it.names()).filter((one) => one.endsWith("MEMORY.md"));
    assert.match(name ?? "", /^memories\/projects\/[0-9a-f]{12}\/MEMORY\.md$/);
    assert.equal(await it.text(name), "<!-- Project: /w/app -->\nDeploy with rsync\n");
  });

  test("takes a second add of the same for done", async () => {
    await using it = await world();
    it.said.push("please use tabs");
    await it.call({ action: "add", content: "Uses tabs" });
    const again = await it.call({ action: "add", content: "Uses tabs" });
    assert.equal(again.ok, true);
    assert.match(again.output, /has this entry already/);
    assert.equal((await it.rows()).length, 1);
  });

  test("finds the entry that is meant by a part of it that is unique, or by all of it", async () => {
    await using it = await world();
    it.said.push("I use tabs. I use tabs in Go.", "Now use spaces, no tabs in Go.");
    for (const content of ["tabs", "tabs in Go"]) await it.call({ action: "add", content });
    assert.match(
      (await it.call({ action: "replace", old_text: "tab", content: "spaces" })).output,
      /Several entries.*\n- tabs\n- tabs in Go/,
    );
    assert.match(
      (await it.call({ action: "remove", old_text: "boats" })).output,
      /No entry has "boats".*\n- tabs\n- tabs in Go/,
    );
    assert.match(
      (await it.call({ action: "replace", old_text: "tabs", content: "spaces" }, "trn_2")).output,
      /^Written/,
    );
    assert.match((await it.call({ action: "remove", old_text: "in Go" }, "trn_2")).output, /^Written/);
    assert.equal(await it.text(), "spaces\n");
  });

  test("neither removes nor hollows out what the person has not spoken of, but may rephrase it", async () => {
    await using it = await world();
    await it.call({ action: "add", content: "x" });
    const [row] = await it.rows();
    await it.files.approve(row!.id, "you");
    await it.save("never push to main without a review\n");
    it.said.push("push this to main");
    const remove = await it.call({ action: "remove", old_text: "push" });
    const hollow = await it.call({ action: "replace", old_text: "push", content: "push to main" });
    assert.match(remove.output + hollow.output, /^Not written.*Not written/s);
    const rephrase = await it.call({
      action: "replace",
      old_text: "push",
      content: "Without a review never push to main.",
    });
    assert.match(rephrase.output, /^Written/);
  });

  test("removes what the person wants gone or has changed, and not what they only said", async () => {
    await using it = await world();
    const remove = async (old_text: string) =>
      (await it.call({ action: "remove", old_text })).output.replace(/:? .*/s, "");
    it.said.push("never deploy on Fridays", "I use tabs", "I live in Bern");
    for (const content of ["Never deploys on Fridays", "Uses tabs", "Lives in Bern"])
      await it.call({ action: "add", content });
    assert.deepEqual(
      [await remove("Fridays"), await remove("tabs"), await remove("Bern")],
      ["Not", "Not", "Not"],
    );
    it.said.push("I deploy on Fridays now", "I don't use tabs any more", "please forget that about Bern");
    assert.deepEqual(
      [await remove("Fridays"), await remove("tabs"), await remove("Bern")],
      ["Written", "Written", "Written"],
    );
  });

  test("says what is there when it is full, and after three failures in a turn to stop", async () => {
    await using it = await world();
    const long = `boats ${"and boats ".repeat(8)}`.trim();
    it.said.push(long, "I like the sea");
    await it.call({ action: "add", target: "user", content: long });
    const add = { action: "add", target: "user", content: "likes the sea, likes the sea" };
    const full = await it.call(add);
    assert.equal(full.ok, false);
    assert.match(
      full.output,
      /^Nothing was changed\. USER\.md would have 1\d\d characters, and may have 100/,
    );
    assert.match(full.output, /has 1 entry, 85 of 100 characters \(85%\)\.\n- boats and/);
    assert.doesNotMatch(full.output, /Stop/);
    await it.call(add);
    assert.match((await it.call(add)).output, /Stop trying/);
    assert.match(
      (await it.call({ action: "remove", target: "user", old_text: "boats" })).output,
      /^Stop trying/,
    );
    it.said.push("forget the boats");
    assert.match(
      (await it.call({ action: "remove", target: "user", old_text: "boats" }, "trn_2")).output,
      /^Written/,
    );
    assert.equal((await it.call(add, "trn_2")).ok, true);
  });

  test("refuses what is no entry, and a target that is off", async () => {
    await using it = await world(["memory"]);
    it.said.push("tabs");
    const wrong = [
      { action: "add" },
      { action: "add", content: " " },
      { action: "add", content: "a\n§\nb" },
      { action: "add", content: "<!-- a -->" },
      { action: "add", content: "a\u0007" },
      { action: "replace", content: "a" },
      { action: "add", content: "tabs", target: "user" },
    ];
    for (const [at, args] of wrong.entries()) assert.equal((await it.call(args, `trn_${at}`)).ok, false);
    assert.deepEqual(await it.rows(), []);
  });

  test("leaves a file alone that a change would damage", async () => {
    await using it = await world();
    it.said.push("use tabs");
    await it.call({ action: "add", content: "tabs" });
    const torn = "<<<<<<< HEAD\ntabs\n=======\nspaces\n>>>>>>> other\n";
    await it.save(torn);
    assert.match(
      (await it.call({ action: "add", content: "use tabs" })).output,
      /merge that is not finished.*in an editor/,
    );
    assert.equal(await it.text(memory), torn);
  });
});
