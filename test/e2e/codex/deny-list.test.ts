import assert from "node:assert/strict";
import { access, appendFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { root } from "../../../src/runtimes/codex/real-codex.suite.ts";
import { says } from "../endpoint.ts";
import { type CodexTalaria, runs, talariaOnCodex } from "./codex-talaria.ts";

/** Names of what codex itself gave the model with the n-th request. */
const toolsAt = ({ model }: CodexTalaria, at: number): readonly string[] =>
  (
    (model.requests[at]?.body["tools"] ?? []) as readonly { readonly name?: string; readonly type: string }[]
  ).map(({ name, type }) => name ?? type);

describe("what the person forbids, on codex", { concurrency: 2 }, () => {
  test("is not run in its sandbox either: the session says so, and the rules say how", async () => {
    await using it = await talariaOnCodex([
      { reply: [runs("touch pushed && git push origin main")] },
      { reply: [runs("touch kept")] },
      says("Then not."),
    ]);
    await appendFile(join(it.home, "config.yaml"), 'approvals: { deny: ["git push*"] }\n');
    const turn = await it.turn(["push it"]);
    assert.deepEqual([turn.code, turn.ended.text, turn.notices("codex_unheeded")], [0, "Then not.", []]);
    assert.deepEqual(await readdir(it.cwd), ["kept"]);
    assert.match(JSON.stringify(turn.items[0]), /"kind":"note","text":"Not done: The deny list.*git push\*/);
    const rules = await it.run(["approvals", "rules"]);
    assert.match(rules.stdout, /On codex your deny list is looked at before each command/);
  });

  test("is looked at by a program of ours, for which nothing in the sandbox can write", async () => {
    await using it = await talariaOnCodex([
      { reply: [runs("touch src/made-by-deny-list-test dist/made-by-deny-list-test")] },
      says("Then not."),
    ]);
    await appendFile(join(it.home, "config.yaml"), 'approvals: { deny: ["git push*"] }\n');
    await it.turn(["write"], { cwd: root });
    for (const folder of ["src", "dist"]) {
      const file = join(root, folder, "made-by-deny-list-test");
      await assert.rejects(
        access(file).then(() => rm(file)),
        { code: "ENOENT" },
      );
    }
  });

  test("is gone with the next turn when it is switched off, in the same conversation", async () => {
    await using it = await talariaOnCodex([says("One."), says("Two.")]);
    await it.turn(["first"]);
    assert.ok(toolsAt(it, 0).includes("exec_command") && toolsAt(it, 0).includes("web_search"));
    await it.run(["tools", "off", "terminal", "web_search"]);
    await it.turn(["--continue", "second"]);
    assert.ok(!toolsAt(it, 1).includes("exec_command") && !toolsAt(it, 1).includes("web_search"));
    assert.match(JSON.stringify(it.model.requests[1]?.body["input"]), /"One\."/);
  });

  test("and cannot be kept from it is said at the start of a session, and in the list of tools", async () => {
    await using it = await talariaOnCodex([says("One.")]);
    const gap = /read_file.*codex reads files with its own commands: switch off terminal too\./;
    assert.match((await it.run(["tools", "off", "read_file"])).stdout, gap);
    assert.match((await it.run(["tools"])).stdout, gap);
    assert.match((await it.turn(["first"])).notices("codex_unheeded").join("\n"), gap);
    await it.run(["tools", "off", "terminal"]);
    assert.doesNotMatch((await it.run(["tools"])).stdout, gap);
  });
});
