import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { talaria } from "./talaria.ts";
import { programWithoutCodex } from "./without-codex.ts";

/** A home in which turns run on codex, with a provider that has no key. */
const keyless = "model: { provider: mine, default: big, openai_runtime: CODEX_APP_SERVER }\n".concat(
  'providers: { mine: { api: "http://127.0.0.1:9/v1", protocol: responses, key_env: MINE_KEY } }\n',
);

describe("talaria codex-runtime", () => {
  test("on, off and status do in a shell what the command does in the chat", async () => {
    await using it = await talaria();
    const on = await it.run(["codex-runtime", "on"]);
    assert.match(on.stdout, /^The default is codex now\..*\ncodex 0\.\d+\.\d+, /);
    const shown = await it.run(["codex-runtime"]);
    assert.match(
      shown.stdout,
      /^default +codex_app_server \(turns run on codex\)\n[^]*^talaria codex-runtime on or off changes/m,
    );
    const off = await it.run(["codex-runtime", "off", "--json"]);
    assert.deepEqual(
      [off.lines[0]?.["default"], off.lines[0]?.["changed"], on.code, shown.code, off.code],
      ["loop", true, 0, 0, 0],
    );
    const status = await it.run(["codex-runtime", "status", "--json"]);
    assert.deepEqual([status.lines[0]?.["default"], status.lines[0]?.["changed"]], ["loop", false]);
  });

  test("off works without codex and without a key and says what is missing; on is refused", async () => {
    await using it = await talaria({ program: await programWithoutCodex() });
    await mkdir(it.home, { recursive: true, mode: 0o700 });
    await writeFile(join(it.home, "config.yaml"), keyless, { mode: 0o600 });
    const env = { PATH: "/usr/bin:/bin" };
    const off = await it.run(["codex-runtime", "off"], { env });
    assert.match(off.stdout, /^The default is loop now\.[^]*\nBut it cannot run turns now: .*MINE_KEY.*\n→ /);
    assert.equal(off.code, 0);
    assert.match(await readFile(join(it.home, "config.yaml"), "utf8"), /openai_runtime: auto/);
    const on = await it.run(["codex-runtime", "on"], { env });
    assert.match(on.stdout, /Nothing was changed\.\n→ /);
    assert.equal(on.code, 1);
    assert.match(await readFile(join(it.home, "config.yaml"), "utf8"), /openai_runtime: auto/);
  });
});
