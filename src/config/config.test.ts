import assert from "node:assert/strict";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { once } from "node:events";
import { faultOf, tempHome, warningsOf } from "./temp-home.suite.ts";
import type { RouteConfig } from "./config.ts";
import { builtInProviders, priceIn } from "./providers.ts";

test("without a file the demo answers on the loop, and nothing is written", async (t) => {
  const home = await tempHome(t);
  const { config, warnings, secrets } = await home.load();
  assert.deepEqual(config.model, {
    provider: "demo",
    name: "demo",
    runtime: "loop",
    from: { provider: "default", name: "default", runtime: "default" },
  });
  assert.deepEqual(Object.keys(config.providers), Object.keys(builtInProviders));
  assert.deepEqual(config.approvals, { mode: "manual", timeoutMs: 300_000, deny: [] });
  assert.deepEqual([warnings, secrets, await readdir(home.home)], [[], [], []]);
});

test("a flag beats a variable, a variable beats the file, the file beats the default", async (t) => {
  const home = await tempHome(t, {
    config: "model: {provider: openai, default: from-file, openai_runtime: codex_app_server}\n",
  });
  const env = { TALARIA_PROVIDER: "openrouter", TALARIA_MODEL: "from-env", TALARIA_RUNTIME: "loop" };
  const flags = { provider: "openai-codex", model: "from-flag", runtime: "codex" };
  const chosen = async (said: Parameters<typeof home.load>[0]) => {
    const { provider, name, runtime, from } = (await home.load(said)).config.model;
    return [provider, name, runtime, ...Object.values(from)];
  };
  assert.deepEqual(await chosen({}), ["openai", "from-file", "codex", "file", "file", "file"]);
  const environment = Array(3).fill("environment");
  assert.deepEqual(await chosen({ env }), ["openrouter", "from-env", "loop", ...environment]);
  assert.deepEqual(await chosen({ env, flags }), [
    "openai-codex",
    "from-flag",
    "codex",
    "flag",
    "flag",
    "flag",
  ]);
  const empty = { TALARIA_PROVIDER: "", TALARIA_MODEL: " ", TALARIA_RUNTIME: "" };
  assert.deepEqual(await chosen({ env: empty, flags: { model: "" } }), await chosen({}));
});

test("a runtime is known in any case, wherever it is written", async (t) => {
  const home = await tempHome(t, { config: "model: {openai_runtime: Codex_App_Server}\n" });
  assert.equal((await home.load()).config.model.runtime, "codex");
  assert.equal((await home.load({ env: { TALARIA_RUNTIME: "LOOP" } })).config.model.runtime, "loop");
  assert.equal((await home.load({ flags: { runtime: "Auto" } })).config.model.runtime, "loop");
});

test("the demo does not take over a model that was meant for another provider", async (t) => {
  const home = await tempHome(t, { config: "model: {provider: openai, default: gpt-5}\n" });
  const { config, warnings } = await home.load({ flags: { provider: "demo" } });
  assert.equal(config.model.name, "demo");
  assert.deepEqual(warnings, []);
});

test("a model without a provider is said to have no effect", async (t) => {
  const home = await tempHome(t, { config: "model:\n  default: gpt-5\n" });
  const message =
    "model.default: has no effect, because no provider is chosen and the built-in demo answers; set model.provider";
  assert.deepEqual(warningsOf(home, await home.load()), [`config.yaml:2:3: ${message}`]);
  assert.deepEqual(warningsOf(home, await home.load({ env: { TALARIA_MODEL: "x" } })), [
    `TALARIA_MODEL: ${message}`,
  ]);
  assert.deepEqual(warningsOf(home, await home.load({ flags: { provider: "openai" } })), []);
});

test("a provider or runtime that does not exist is a fault, wherever it was named", async (t) => {
  const home = await tempHome(t, { config: "providers: {mine: {api: http://localhost}}\n" });
  const provider = await faultOf(home, home.load({ flags: { provider: "toString" } }));
  assert.equal(
    provider.message,
    `--provider: expected one of ${[...Object.keys(builtInProviders), "mine"].join(", ")} or a name defined under providers, got "toString"`,
  );
  const runtime = await faultOf(home, home.load({ env: { TALARIA_RUNTIME: "fast" } }));
  assert.equal(runtime.message, 'TALARIA_RUNTIME: expected loop or codex, got "fast"');
  assert.equal(runtime.code, "config");
});

test("providers of the file stand beside the built-in ones and may change them", async (t) => {
  const home = await tempHome(t, {
    config: `
model: {provider: mine, default: small}
providers:
  mine: {api: "http://127.0.0.1:8080/v1/", key_env: MINE_KEY, models: [small, large], context_window: 32000}
  openai: {api: https://proxy.example.org/v1}
  openrouter: {headers: {X-Title: Talaria}}
`,
  });
  const { providers } = (await home.load()).config;
  assert.deepEqual(providers["mine"], {
    kind: "route",
    name: "mine",
    api: "http://127.0.0.1:8080/v1",
    protocol: "chat",
    keyEnv: "MINE_KEY",
    headers: {},
    models: ["small", "large"],
    contextWindow: 32_000,
    prices: {},
    codexLogin: false,
  });
  const openai = providers["openai"] as RouteConfig;
  assert.deepEqual(
    [openai.api, openai.protocol, openai.keyEnv, openai.codexLogin],
    ["https://proxy.example.org/v1", "responses", "OPENAI_API_KEY", false],
  );
  const openrouter = providers["openrouter"] as RouteConfig;
  assert.deepEqual(
    [openrouter.api, openrouter.headers],
    ["https://openrouter.ai/api/v1", { "X-Title": "Talaria" }],
  );
});

test("the built-in providers are addresses without prices, and local servers need no key", async (t) => {
  const { providers } = (await (await tempHome(t)).load()).config;
  for (const [name, provider] of Object.entries(providers)) {
    assert.equal(provider.name, name);
    if (provider.kind !== "route") continue;
    const { hostname, protocol } = new URL(provider.api);
    const isLocal = hostname === "127.0.0.1";
    assert.equal(protocol, isLocal ? "http:" : "https:", name);
    assert.equal(provider.keyEnv === undefined, isLocal, name);
    assert.deepEqual(provider.prices, {});
  }
});

test("a price is what the file says of this model of this provider, and nothing else", async (t) => {
  const home = await tempHome(t, {
    config: `
providers:
  mine:
    api: http://127.0.0.1:8080/v1
    prices:
      "org/model-5.5": {input: 2, output: 8}
      small: {input: 1, cached: 0.1, output: 4}
  openai: {prices: {free: {input: 0, output: 0}}}
`,
  });
  const loaded = await home.load();
  const { providers } = loaded.config;
  assert.deepEqual(priceIn(providers, "mine", "org/model-5.5"), { input: 2, cached: 2, output: 8 });
  assert.deepEqual(priceIn(providers, "mine", "small"), { input: 1, cached: 0.1, output: 4 });
  assert.deepEqual(priceIn(providers, "openai", "free"), { input: 0, cached: 0, output: 0 });
  const unknown = [
    ["mine", "free"],
    ["mine", "constructor"],
    ["toString", "small"],
    ["demo", "demo"],
  ] as const;
  for (const [provider, model] of unknown)
    assert.equal(priceIn(providers, provider, model), undefined, model);
  assert.deepEqual(warningsOf(home, loaded), []);
});

test("every section arrives in the words of the program", async (t) => {
  const home = await tempHome(t, {
    config: `
model: {codex_bin: /opt/codex}
fallback_providers: [{provider: openai, model: a}]
auxiliary: {title_generation: {provider: auto, model: tiny, enabled: false}, approval: {model: wise}}
terminal: {security_mode: approval-required, network: true}
codex: {home: /c, env: [GH_TOKEN]}
turn: {budget: 90}
budgets: {turn: {tokens: 50000}, day: {usd: 2.5}}
approvals: {mode: off, timeout_s: 1.5, deny: [rm]}
display: {busy_input_mode: interrupt, reasoning: hide}
mcp_servers: {files: {command: npx, args: [-y, ""], timeout: 5}}
kanban: {anything: [1, {deep: true}]}
`,
  });
  const { config } = await home.load();
  assert.equal(config.model.codexBin, "/opt/codex");
  assert.deepEqual(config.fallbacks, [{ provider: "openai", model: "a" }]);
  assert.deepEqual(config.auxiliary, {
    title_generation: { provider: "auto", model: "tiny", enabled: false },
    approval: { model: "wise" },
  });
  assert.deepEqual(config.terminal, { network: true, securityMode: "approval-required" });
  assert.deepEqual(config.codex, { env: ["GH_TOKEN"], home: "/c" });
  assert.deepEqual(config.turn, { budgetMs: 90_000 });
  assert.deepEqual(config.budgets, { turn: { tokens: 50_000 }, session: {}, day: { usd: 2.5 } });
  assert.deepEqual(config.approvals, { mode: "off", timeoutMs: 1500, deny: ["rm"] });
  assert.deepEqual(config.display, { busyInput: "interrupt", bell: true, reasoning: "hide" });
  assert.deepEqual(config.sections, {
    mcp_servers: { files: { command: "npx", args: ["-y", ""], timeout: 5 } },
    kanban: { anything: [1, { deep: true }] },
  });
});

test("the config is frozen at every depth", async (t) => {
  const home = await tempHome(t, {
    config: "kanban: {a: [{b: 1}]}\nproviders: {mine: {api: http://x, models: [a]}}\n",
  });
  const { config } = await home.load();
  let checked = 0;
  const check = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    checked++;
    assert.ok(Object.isFrozen(value));
    Object.values(value).forEach(check);
  };
  check(config);
  assert.ok(checked > 20);
});

test("anchors, merges and a byte order mark are understood", async (t) => {
  const config =
    "\uFEFFbase: 1\nx-base: &base {protocol: chat, key_env: K}\nproviders:\n  a: {<<: *base, api: http://a}\n";
  const home = await tempHome(t, { config });
  const loaded = await home.load();
  assert.equal((loaded.config.providers["a"] as RouteConfig).keyEnv, "K");
  assert.deepEqual(warningsOf(home, loaded), ["config.yaml:1:1: base: is not a known key and has no effect"]);
});

test("keys come from the environment, else from .env, and are never in the config", async (t) => {
  const home = await tempHome(t, {
    config: "providers: {mine: {api: http://x, key_env: MINE_KEY}, free: {api: http://y}}\n",
    env: "MINE_KEY=from-dotenv\nOPENAI_API_KEY=dotenv-openai\nOTHER=also-secret\nSHORT=abc\n",
  });
  const env = { OPENAI_API_KEY: " sk-from-env\n", OPENROUTER_API_KEY: "" };
  const { keyFor, secrets, config } = await home.load({ env });
  const names = ["mine", "openai", "openrouter", "free", "demo", "openai-codex", "nobody", "constructor"];
  assert.deepEqual(names.map(keyFor), ["from-dotenv", "sk-from-env", ...Array(6).fill(undefined)]);
  assert.deepEqual(secrets.toSorted(), ["also-secret", "dotenv-openai", "from-dotenv", "sk-from-env"]);
  assert.doesNotMatch(JSON.stringify(config), /from-dotenv|sk-from-env/);
});

test("an empty variable of the environment hides the key in .env", async (t) => {
  const home = await tempHome(t, { env: "OPENAI_API_KEY=dotenv-openai\n" });
  assert.equal((await home.load({ env: { OPENAI_API_KEY: "" } })).keyFor("openai"), undefined);
});

test("variables are put into headers and MCP servers, and a missing one drops the value with a warning", async (t) => {
  const config = `providers:
  mine:
    api: http://x
    headers:
      Authorization: Bearer \${MINE_TOKEN}
      X-Gone: \${NOT_SET}
      X-Literal: $\${MINE_TOKEN}
      X-Api-Key: literal-secret
mcp_servers:
  files: {command: npx, args: [--key, "\${FILES_KEY}", "\${NOT_SET}"], env: {A: "\${FILES_KEY}!"}}
model: {default: "\${MODEL}", provider: mine}
`;
  const home = await tempHome(t, { config, env: "MINE_TOKEN=token-1\n" });
  const loaded = await home.load({ env: { FILES_KEY: "files-key" } });
  assert.deepEqual((loaded.config.providers["mine"] as RouteConfig).headers, {
    Authorization: "Bearer token-1",
    "X-Literal": "${MINE_TOKEN}",
    "X-Api-Key": "literal-secret",
  });
  assert.deepEqual(loaded.config.sections["mcp_servers"], {
    files: { command: "npx", args: ["--key", "files-key"], env: { A: "files-key!" } },
  });
  const dropped = "was dropped, because the variable NOT_SET is not set in the environment or .env";
  assert.deepEqual(warningsOf(home, loaded), [
    `config.yaml:6:15: providers.mine.headers.X-Gone: ${dropped}`,
    `config.yaml:10:55: mcp_servers.files.args.2: ${dropped}`,
    "config.yaml:11:18: model.default: is taken literally; ${NAME} works only in headers and mcp_servers",
  ]);
  for (const secret of ["token-1", "files-key", "literal-secret"]) assert.ok(loaded.secrets.includes(secret));
});

const told = (file: string) => `${file}: can be read by other users of this machine; run: chmod 600 ${file}`;

test("files that other users can read are named with the command that helps", async (t) => {
  const home = await tempHome(t, { config: "model: {}\n", env: "A=1\n" });
  const env = join(home.home, ".env");
  await chmod(env, 0o640);
  await chmod(home.config, 0o644);
  assert.deepEqual(
    warningsOf(home, await home.load()),
    [told(".env")],
    "nobody else gets through the folder",
  );
  await chmod(home.home, 0o755);
  assert.deepEqual(warningsOf(home, await home.load()), [told(".env"), told("config.yaml")]);
  await Promise.all([chmod(env, 0o600), chmod(home.config, 0o600)]);
  assert.deepEqual(warningsOf(home, await home.load()), []);
});

test("a file that is no text is a fault", async (t) => {
  const home = await tempHome(t);
  await mkdir(home.config);
  assert.equal(
    (await faultOf(home, home.load())).message,
    "config.yaml: expected a text file, got: a folder",
  );
  const other = await tempHome(t);
  await writeFile(other.config, Buffer.from([0x61, 0x3a, 0x20, 0xff]));
  const fault = await faultOf(other, other.load());
  assert.equal(fault.message, "config.yaml: expected a text file, got: bytes that are not UTF-8");
  const third = await tempHome(t);
  await symlink("config.yaml", third.config);
  assert.match(
    (await faultOf(third, third.load())).message,
    /^config\.yaml: expected a text file, got: ELOOP/,
  );
});

test("neither zod nor the YAML parser is loaded unless config.yaml says something", async (t) => {
  const home = await tempHome(t);
  const front = new URL("./config.ts", import.meta.url).href;
  const loadedPackages = async (): Promise<string[]> => {
    const code = `
      const { registerHooks } = require("node:module");
      const { parentPort } = require("node:worker_threads");
      const seen = new Set();
      registerHooks({ load(url, context, next) {
        const [, name] = /node_modules\\/([^/]+)\\//.exec(url) ?? [];
        if (name) seen.add(name);
        return next(url, context);
      } });
      import(${JSON.stringify(front)})
        .then(({ loadConfig }) => loadConfig({ env: { TALARIA_HOME: ${JSON.stringify(home.home)} }, flags: {}, homeDir: "/" }))
        .then(() => parentPort.postMessage([...seen].sort()));`;
    const worker = new Worker(code, { eval: true });
    const [names] = (await once(worker, "message")) as [string[]];
    await worker.terminate();
    return names;
  };
  assert.deepEqual(await loadedPackages(), []);
  await writeFile(home.config, "\uFEFF# model:\n\n  # provider: openai\r\n");
  assert.deepEqual(await loadedPackages(), []);
  await writeFile(home.config, "# settings\nmodel: {provider: demo}\n");
  assert.deepEqual(await loadedPackages(), ["yaml", "zod"]);
});
