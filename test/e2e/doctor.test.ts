import assert from "node:assert/strict";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "./endpoint.ts";
import { talaria } from "./talaria.ts";

describe("doctor", { concurrency: 2 }, () => {
  test("a sound installation passes, also before its first use", async () => {
    await using it = await talaria();
    const { code, stdout, stderr } = await it.run(["doctor"]);
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.trimEnd().split("\n");
    assert.ok(lines.length >= 5 && lines.every((line) => line.startsWith("ok ")), stdout);
    assert.match(stdout, /built-in offline model/);
  });

  test("whatever is wrong is named with the step that mends it", async () => {
    await using it = await talariaOn([says("never asked")]);
    await rm(join(it.home, ".env"));
    await chmod(it.home, 0o755);
    const [words, json] = [await it.run(["doctor"]), await it.run(["doctor", "--json"])];
    assert.deepEqual([words.code, json.code], [1, 1]);
    assert.match(words.stdout, /^FAIL model: .*MINE_KEY is not set\.\n {5}→ Put MINE_KEY=… into/m);
    assert.match(words.stdout, /^FAIL home: .*can be read by others\n {5}→ chmod 700 /m);
    const failed = json.lines.filter(({ ok }) => ok === false);
    assert.deepEqual(failed.map(({ name }) => name).toSorted(), ["home", "model"]);
    assert.ok(failed.every(({ next }) => typeof next === "string"));
    assert.equal(it.model.total, 0);
  });
});
