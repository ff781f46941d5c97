import assert from "node:assert/strict";
import { type TestContext, describe, test } from "node:test";
import { changedConfig } from "../../config/edit.ts";
import { tempHome } from "../../config/temp-home.suite.ts";
import type { SetupChoice } from "../../core/maintenance.ts";
import { changesFor, modelNeeded, problemOf, resolve } from "./choice.ts";

describe("a choice", () => {
  test("becomes a file that says it, whatever stood there before", async (t) => {
    const table: readonly (readonly [string, SetupChoice, string])[] = [
      ["", { provider: "ollama", model: "qwen" }, "model:\n  provider: ollama\n  default: qwen\n"],
      [
        "",
        { provider: "openai-codex" },
        "model:\n  provider: openai-codex\n  openai_runtime: codex_app_server\n",
      ],
      [
        "model: {provider: openai-codex, openai_runtime: codex_app_server, default: gpt-5.5}\n",
        { provider: "ollama", model: "qwen" },
        "model: {provider: ollama, openai_runtime: auto, default: qwen}\n",
      ],
      // A model of the last provider is not one of the next.
      [
        "model: {provider: ollama, default: qwen}\n",
        { provider: "openai-codex" },
        "model: {provider: openai-codex, openai_runtime: codex_app_server}\n",
      ],
      [
        "model: {provider: ollama, default: qwen}\n",
        { provider: "ollama" },
        "model: {provider: ollama, default: qwen}\n",
      ],
      [
        "",
        { provider: "mine", api: "http://x/v1", protocol: "chat", keyEnv: "MINE", model: "4" },
        'providers:\n  mine:\n    api: http://x/v1\n    key_env: MINE\nmodel:\n  provider: mine\n  default: "4"\n',
      ],
      [
        "providers: {mine: {api: http://old, protocol: responses}}\n",
        { provider: "mine", api: "http://new", runtime: "codex", model: "a" },
        "providers: {mine: {api: http://new, protocol: responses}}\nmodel:\n  provider: mine\n  default: a\n  openai_runtime: codex_app_server\n",
      ],
    ];
    for (const [before, choice, after] of table) {
      const it = await world(t, before);
      assert.equal(changedConfig("config.yaml", before, it.changes(choice)), after, JSON.stringify(choice));
    }
  });

  test("needs a model unless the provider has one, keeps one, or chooses itself", async (t) => {
    const it = await world(
      t,
      "model: {provider: ollama, default: qwen}\nproviders: {mine: {api: http://x, models: [a]}}\n",
    );
    const needed = (choice: SetupChoice): boolean => it.needsModel(choice);
    assert.deepEqual(
      [
        needed({ provider: "groq" }),
        needed({ provider: "openai" }),
        needed({ provider: "new", api: "http://x" }),
        needed({ provider: "groq", model: "a" }),
        needed({ provider: "ollama" }),
        needed({ provider: "mine" }),
        needed({ provider: "openai", runtime: "codex" }),
        needed({ provider: "openai-codex" }),
        needed({ provider: "demo" }),
      ],
      [true, true, true, false, false, false, false, false, false],
    );
  });

  test("of openai on codex needs codex's login and no key", async (t) => {
    const it = await world(t, "");
    assert.equal(it.problem({ provider: "openai", runtime: "codex" }), undefined);
    assert.equal(it.problem({ provider: "openai", runtime: "loop" })?.code, "auth");
    assert.equal(it.problem({ provider: "openai", runtime: "codex", api: "http://x" })?.code, "auth");
    assert.equal(it.problem({ provider: "openai", runtime: "loop", key: "sk" }), undefined);
    assert.equal(it.problem({ provider: "openai" }, { OPENAI_API_KEY: "sk" }), undefined);
    assert.equal(it.problem({ provider: "x", api: "http://x", keyEnv: "X_KEY" }, { X_KEY: "sk" }), undefined);
  });
});

async function world(t: TestContext, config: string) {
  const loaded = await (await tempHome(t, { config })).load();
  return {
    changes: (choice: SetupChoice) => changesFor(loaded, resolve(loaded, choice)),
    needsModel: (choice: SetupChoice) => modelNeeded(loaded, resolve(loaded, choice)),
    problem: (choice: SetupChoice, env: Readonly<Record<string, string>> = {}) =>
      problemOf(loaded, resolve(loaded, choice), (name) => env[name]),
  };
}
