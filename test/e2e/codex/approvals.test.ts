import assert from "node:assert/strict";
import { appendFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { codexHome } from "../../fakes/real-codex-home.ts";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { runs, talariaOnCodex } from "./codex-talaria.ts";

/** Codex may write into the working folder and into folders for temporary files, but not there. */
const outside = (folder: string): string =>
  `*** Begin Patch\n*** Add File: ${folder}/was-here\n+owl\n*** End Patch\n`;

describe("what codex asks about", { concurrency: 2 }, () => {
  test("is declined when nobody can be asked: the turn goes on, and says that nobody was asked", async () => {
    await using elsewhere = await codexHome();
    await using it = await talariaOnCodex([
      { reply: [runs("rm -f keep.txt")] },
      { reply: [{ custom: { tool: "apply_patch", input: outside(elsewhere.path) } }] },
      says("Then not."),
    ]);
    // The checkout itself may be in a folder for temporary files.
    await appendFile(
      join(it.codexHome, "config.toml"),
      "[sandbox_workspace_write]\nexclude_slash_tmp = true\n",
    );
    await writeFile(join(it.cwd, "keep.txt"), "keep me\n");
    const turn = await it.turn(["tidy up"]);
    assert.deepEqual([turn.code, turn.ended.outcome, turn.ended.text], [0, "done", "Then not."]);
    assert.deepEqual([await readdir(it.cwd), await readdir(elsewhere.path)], [["keep.txt"], []]);
    assert.partialDeepStrictEqual(turn.items, [
      {
        kind: "call",
        tool: "exec_command",
        ok: false,
        output: "The command was declined and did not run.\nnot asked: no one was there to ask",
      },
      { kind: "call", tool: "apply_patch", ok: false },
      { kind: "text", text: "Then not." },
    ]);
    const [command = "", patch = "", ...more] = turn.notices("not_asked");
    assert.match(command, /^Not done: .*rm -f keep\.txt.* \(not asked: no one was there to ask\)$/);
    assert.match(patch, /^Not done: .*\/was-here \(not asked: no one was there to ask\)$/);
    assert.deepEqual(more, []);
    const [session] = await onDisk(it.home);
    assert.match(
      session?.said[2] ?? "",
      /^tool The command was declined.*\nnot asked: no one was there to ask$/,
    );
  });

  test("is done when everything was allowed beforehand", async () => {
    await using it = await talariaOnCodex([{ reply: [runs("rm -f drop.txt")] }, says("Gone.")]);
    await writeFile(join(it.cwd, "drop.txt"), "drop me\n");
    const turn = await it.turn(["--approve", "all", "tidy up"]);
    assert.deepEqual([turn.code, turn.notices("not_asked")], [0, []]);
    assert.partialDeepStrictEqual(turn.items, [{ kind: "call", ok: true }]);
    assert.deepEqual(await readdir(it.cwd), []);
  });
});
