import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { quietSettings } from "../../fakes/real-codex-home.ts";
import { talariaOnCodex } from "./codex-talaria.ts";

describe("a codex that cannot be used", { concurrency: 2 }, () => {
  test("for its own settings is quoted at once, and works as soon as they are corrected", async () => {
    await using it = await talariaOnCodex([says("Now.")]);
    const settings = join(it.codexHome, "config.toml");
    const wrong = [
      [
        `approval_policy = "untrusted"\n`,
        /exit code 1\. .*approval_policy = "untrusted" is no longer supported/s,
      ],
      ["sandbox_mode = \n", /failed to load configuration: .*config\.toml:1:16/],
      [`sandbox_mode = "nowhere"\n`, /unknown variant `nowhere`/],
    ] as const;
    for (const [at, [text, message]] of wrong.entries()) {
      await writeFile(settings, `${text}${quietSettings}`);
      const { code, ended } = await it.turn([...(at === 0 ? [] : ["--continue"]), `try ${at}`]);
      assert.equal(code, 2, text);
      assert.partialDeepStrictEqual(ended, { outcome: "failed", fault: { code: "config" } });
      assert.match(ended.fault?.message ?? "", message);
      assert.match(ended.fault?.next ?? "", /Correct it in codex's own config\.toml/);
    }
    await writeFile(settings, quietSettings);
    const { code, ended } = await it.turn(["--continue", "and now?"]);
    assert.deepEqual([code, ended.text], [0, "Now."]);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["failed", "failed", "failed", "done"]);
    assert.deepEqual(session?.said.slice(0, 3), ["user try 0", "user try 1", "user try 2"]);
  });

  test("because model.codex_bin names no usable one is said with what to do", async () => {
    await using it = await talariaOnCodex([says("never asked")]);
    const [plain, old] = [join(it.folder, "plain"), join(it.folder, "old")];
    await writeFile(plain, "no program\n", { mode: 0o644 });
    await writeFile(old, "#!/bin/sh\necho codex-cli 0.100.0\n", { mode: 0o755 });
    const wrong = [
      ["/nonexistent/codex", /there is no such file/, /talaria config set model\.codex_bin/],
      [plain, /may not be run; make it executable with `chmod \+x`/, /talaria config set model\.codex_bin/],
      [old, /is codex 0\.100\.0, which is too old: 0\.125\.0 or newer/, /npm install -g @openai\/codex/],
    ] as const;
    const settings = join(it.home, "config.yaml");
    const usual = await readFile(settings, "utf8");
    for (const [path, message, next] of wrong) {
      await writeFile(settings, usual.replace("model: {", `model: { codex_bin: "${path}",`));
      const { code, ended } = await it.turn(["hello"]);
      assert.equal(code, 2, path);
      assert.partialDeepStrictEqual(ended, { outcome: "failed", fault: { code: "config" } });
      assert.match(ended.fault?.message ?? "", message);
      assert.match(ended.fault?.next ?? "", next);
    }
    const passed = await it.run(["codex", "--version"]);
    assert.deepEqual([passed.code, passed.stdout], [2, ""]);
    assert.match(passed.stderr, /too old[\s\S]*npm install -g @openai\/codex/);
    assert.equal(it.model.total, 0);
  });
});
