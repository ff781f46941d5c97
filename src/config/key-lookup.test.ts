import assert from "node:assert/strict";
import { test } from "node:test";
import { knownKeys } from "./key-lookup.ts";
import { tempHome, warningsOf } from "./temp-home.suite.ts";

const said = async (...[t, files, env = {}]: [...Parameters<typeof tempHome>, Record<string, string>?]) => {
  const home = await tempHome(t, files);
  return warningsOf(home, await home.load({ env }));
};

test("an unknown key is named with its place and the key that was probably meant", async (t) => {
  const config = `
modle: {default: x}
model:
  provider: openai
  defualt: gpt-5
  api_mode: codex_app_server
providers:
  mine: {api: http://x, base_url: http://y, api_key: sk-1}
fallback_providers:
  - {provider: openai, model: a, modell: b}
quux: 1
`;
  const warnings = (await said(t, { config })).filter((line) => !line.endsWith("in this version"));
  const unknown = "is not a known key and has no effect";
  assert.deepEqual(warnings, [
    `config.yaml:2:1: modle: ${unknown}; did you mean model?`,
    `config.yaml:5:3: model.defualt: ${unknown}; did you mean model.default?`,
    `config.yaml:6:3: model.api_mode: ${unknown}; did you mean model.openai_runtime?`,
    `config.yaml:8:25: providers.mine.base_url: ${unknown}; did you mean providers.mine.api?`,
    `config.yaml:8:45: providers.mine.api_key: ${unknown}; did you mean providers.mine.key_env?`,
    `config.yaml:10:34: fallback_providers.0.modell: ${unknown}; did you mean fallback_providers.0.model?`,
    `config.yaml:11:1: quux: ${unknown}`,
  ]);
});

test("a section that does nothing yet is named once, and its unknown keys still are", async (t) => {
  const config = "database:\n  url: postgres://127.0.0.1/x\n  ulr: 1\nkanban:\n  a: 1\n  b: {c: 2}\n";
  assert.deepEqual(await said(t, { config }), [
    "config.yaml:3:3: database.ulr: is not a known key and has no effect; did you mean database.url?",
    "config.yaml:4:1: kanban: has no effect in this version",
  ]);
});

test("in a section that does something, only the key that does not is named", async (t) => {
  assert.ok(knownKeys.some(({ key, later }) => key === "mcp_servers.*.transport" && later));
  const config = "mcp_servers:\n  mine:\n    url: http://127.0.0.1:1/mcp\n    transport: sse\n";
  assert.deepEqual(await said(t, { config }), [
    "config.yaml:4:5: mcp_servers.mine.transport: has no effect in this version",
  ]);
});

test("a small task that nobody has is named", async (t) => {
  const config = `auxiliary:
  title_generation: {model: a, enabled: false}
  titel_generation: {model: c}
`;
  assert.deepEqual(await said(t, { config }), [
    "config.yaml:3:3: auxiliary.titel_generation: is not a known key and has no effect; did you mean auxiliary.title_generation?",
  ]);
});

test("a key without a value is as good as not written", async (t) => {
  assert.deepEqual(await said(t, { config: "model:\n  provider:\nmemory:\n" }), []);
});

test("a tag that means nothing is mentioned", async (t) => {
  const config = "model: {provider: openai, default: !tag x}\n";
  assert.deepEqual(await said(t, { config }), ["config.yaml:1:36: Unresolved tag: !tag"]);
});

test("settings in .env and broken lines of it are named by line, without their text", async (t) => {
  const env = "OPENAI_API_KEY=sk-1234567\nTALARIA_MODEL=gpt\nTALARIA_HOME=/x\nsk-loose\nB='open\n";
  assert.deepEqual(await said(t, { env }), [
    ".env:4:1: is not NAME=value and was ignored",
    ".env:5:1: B: has quotes that do not close on this line and was ignored",
    ".env:3:1: TALARIA_HOME: has no effect in .env; set it in the environment",
    ".env:2:1: TALARIA_MODEL: has no effect in .env; set model.default in config.yaml",
  ]);
});

test("a misspelt variable is noticed, a stranger's is not", async (t) => {
  const env = { TALARIA_PROVDER: "openai", TALARIA_FAKE_CLOCK: "1", PATH: "/bin" };
  assert.deepEqual(await said(t, {}, env), [
    "environment: TALARIA_PROVDER: has no effect; did you mean TALARIA_PROVIDER?",
  ]);
});
