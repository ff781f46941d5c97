import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { testFolder } from "../../test/temp-folder.ts";
import { pinnedCodex } from "../../test/codex-schema/pinned-codex.ts";
import { systemClock } from "../lib/clock.ts";
import { type CodexLogin, codexLogin, usesOpenAi } from "./codex-login.ts";

test("the real codex says where it stands, without the network and without its key", async (t) => {
  const it = await codexIn(t);
  assert.partialDeepStrictEqual(await it.ask(), { state: "out", home: it.home });
  await it.write("auth.json", JSON.stringify({ OPENAI_API_KEY: "sk-test-abcdef123456" }));
  const { state, message } = await it.ask();
  assert.equal(state, "in");
  assert.match(message, /API key/);
  assert.ok(!message.includes("sk-") && !message.includes("*"), message);
  await it.write("auth.json", '{"tokens": broken');
  assert.partialDeepStrictEqual(await it.ask(), { state: "unreadable" });
  await it.write("config.toml", "model = 3\n");
  const broken = await it.ask();
  assert.equal(broken.state, "settings");
  assert.match(broken.message, /config\.toml:1:9: invalid type/);
});

test("its own settings tell whether the login is what turns need", async (t) => {
  const it = await codexIn(t);
  assert.equal(usesOpenAi(await it.ask()), true);
  await it.write(
    "config.toml",
    '\uFEFFmodel_provider = "mine" # here\r\n[model_providers.mine]\r\nname = "mine"\r\nbase_url = "http://127.0.0.1:1/v1"\r\nmodel_provider = "openai"\r\n',
  );
  const login = await it.ask();
  assert.equal(usesOpenAi(login), false);
  assert.equal(login.settings.get("name"), undefined, "what is in a table is not at the root");
});

test("one that says something else, or nothing, is unknown", async (t) => {
  const it = await codexIn(t);
  for (const [script, message] of [
    ["echo hello >&2; exit 3", "hello"],
    ["exit 1", ""],
  ] as const) {
    const program = join(it.home, "codex");
    await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    assert.partialDeepStrictEqual(await it.ask(program), { state: "unknown", message });
  }
});

async function codexIn(t: TestContext) {
  const home = await testFolder(t);
  const { signal } = new AbortController();
  const env = { PATH: process.env["PATH"], HOME: home };
  return {
    home,
    write: (name: string, text: string) => writeFile(join(home, name), text),
    ask: (program = pinnedCodex()): Promise<CodexLogin> =>
      codexLogin(program, { codex: { home, env: [] } }, env, { clock: systemClock, signal }),
  };
}
