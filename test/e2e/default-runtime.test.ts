import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "./endpoint.ts";
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

describe("codex as the default of a provider that speaks only chat", () => {
  test("runs turns on the loop with one warning; --runtime codex is an error, off is written", async () => {
    await using it = await talariaOn([says("Hello."), says("Again.")], { protocol: "chat" });
    const file = join(it.home, "config.yaml");
    const settings = (await readFile(file, "utf8")).replace("auto", "codex_app_server");
    await writeFile(file, settings);
    const first = await it.run(["run", "hi", "--json"]);
    assert.equal(first.code, 0, first.stderr);
    assert.equal(first.lines.find(({ type }) => type === "started")?.["runtime"], "loop");
    assert.match(
      first.stderr,
      /^talaria: warning: .*config\.yaml:1:\d+: model\.openai_runtime: .*mine speaks only .*loop.*\n$/,
    );
    const explicit = await it.run(["run", "--runtime", "codex", "hi"]);
    assert.equal(explicit.code, 2);
    assert.match(explicit.stderr, /mine speaks only the chat protocol, which codex cannot use/);
    assert.match(
      (await it.run(["codex-runtime"])).stdout,
      /^default +codex_app_server \(turns run on loop\)\n[^]*^codex +cannot be used: .*chat protocol/m,
    );
    const off = await it.run(["codex-runtime", "off"]);
    assert.deepEqual([off.code, off.stdout.slice(0, 24)], [0, "The default is loop now."]);
    assert.equal(await readFile(file, "utf8"), settings.replace("codex_app_server", "auto"));
    const quiet = await it.run(["run", "hi"]);
    assert.deepEqual([quiet.code, quiet.stdout.trim(), /warning/.test(quiet.stderr)], [0, "Again.", false]);
  });
});
