import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "./endpoint.ts";
import { type Talaria, talaria } from "./talaria.ts";

describe("settings", { concurrency: 2 }, () => {
  test("a file that is not YAML stops everything with one message that names file and line", async () => {
    await using it = await talaria();
    const file = await settings(it, "model:\n  provider: demo\n  default: [never closed\n");
    for (const args of [["run", "hello"], ["usage"], ["setup"], []]) {
      const { code, stdout, stderr } = await it.run(args);
      assert.equal(code, 2, args.join(" "));
      assert.equal(stdout, "");
      assert.ok(stderr.startsWith(`talaria: ${file}:`), stderr);
      assert.match(stderr, /config\.yaml:[34]:\d+: /);
      assert.equal(stderr.match(/^talaria: /gm)?.length, 1);
      assert.doesNotMatch(stderr, /\n\s+at /, "no stack");
    }
  });

  test("a value of the wrong type is named with its line and key, and what belongs there", async () => {
    await using it = await talaria();
    const file = await settings(it, "# mine\nmodel:\n  provider: demo\nturn:\n  budget: soon\n");
    const { code, stdout, stderr } = await it.run(["run", "hello"]);
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /config\.yaml:5:\d+: turn\.budget: expected .+, got /);
    assert.match(stderr, new RegExp(`\n {9}Correct it in ${file}`));
  });

  test("an unknown key is a warning with its line, and the rest works", async () => {
    await using it = await talaria();
    await settings(it, "model:\n  provider: demo\n  defualt: demo\n");
    const { code, stdout, stderr } = await it.run(["run", "hello"]);
    assert.equal(code, 0);
    assert.match(stdout, /^Hello!/);
    assert.match(stderr, /^talaria: warning: .*config\.yaml:3:\d+: model\.defualt: .*default/);
    assert.equal(stderr.trimEnd().split("\n").length, 1);
  });

  test("config set mends a wrong value and leaves every comment where it was", async () => {
    await using it = await talariaOn([says("mended")]);
    const written = await readFile(join(it.home, "config.yaml"), "utf8");
    const file = await settings(it, `# my settings\n${written}turn:\n  budget: soon # seconds\n# the end\n`);
    assert.equal((await it.run(["run", "hello"])).code, 2);
    const set = await it.run(["config", "set", "turn.budget", "90"]);
    assert.equal(set.code, 0, set.stderr);
    assert.equal(
      await readFile(file, "utf8"),
      `# my settings\n${written}turn:\n  budget: 90 # seconds\n# the end\n`,
    );
    assert.equal((await it.run(["config", "get", "turn.budget"])).stdout, "90\n");
    assert.match((await it.run(["run", "hello"])).stdout, /^mended$/m);
  });

  test("config set refuses what would break the file, and changes nothing", async () => {
    await using it = await talaria();
    const file = await settings(it, "model:\n  provider: demo\n");
    const { code, stderr } = await it.run(["config", "set", "model.provider", "nobody"]);
    assert.equal(code, 2);
    assert.match(stderr, /model\.provider: expected one of .*got "nobody"/);
    assert.equal(await readFile(file, "utf8"), "model:\n  provider: demo\n");
  });
});

async function settings(it: Talaria, text: string): Promise<string> {
  const file = join(it.home, "config.yaml");
  await mkdir(it.home, { recursive: true, mode: 0o700 });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
