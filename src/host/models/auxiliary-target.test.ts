import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../../config/config.ts";
import { systemClock } from "../../lib/clock.ts";
import { writeFile } from "node:fs/promises";
import { tempFolder } from "../../../test/temp-folder.ts";
import { join } from "node:path";
import { auxiliaryTarget } from "./auxiliary.ts";
import { routes } from "./routes.ts";

/** Where titles are made with these settings: `route mine small`, `codex openai small`, or why nowhere. */
async function placeWith(config: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  await using folder = await tempFolder();
  await writeFile(join(folder.path, "config.yaml"), config, { mode: 0o600 });
  const sources = { env: { TALARIA_HOME: folder.path, ...env }, homeDir: folder.path, flags: {} };
  const loaded = await loadConfig(sources);
  await using known = routes(loaded, systemClock);
  const place = await auxiliaryTarget(loaded, known, "title_generation");
  if ("none" in place) return place.none.message;
  if ("route" in place) return `route ${place.route.name} ${place.route.model}`;
  return `codex ${place.codex.provider} ${place.codex.model ?? "-"}`;
}

const key = { OPENAI_API_KEY: "sk-1234567" };
const mine = "providers: {mine: {api: http://127.0.0.1:1/v1, models: [first]}}\n";
const small = "auxiliary: {title_generation: {model: small}}\n";

const table: readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] = [
  ["nothing set: the built-in model", "", {}, "route demo demo"],
  ["the main provider and its model", `model: {provider: mine, default: big}\n${mine}`, {}, "route mine big"],
  ["another model there", `model: {provider: mine, default: big}\n${mine}${small}`, {}, "route mine small"],
  [
    "auto is the main provider",
    `model: {provider: mine}\n${mine}auxiliary: {title_generation: {provider: auto}}\n`,
    {},
    "route mine first",
  ],
  [
    "a provider of its own, with its own model and not the main one's",
    `model: {provider: openai, default: big}\n${mine}auxiliary: {title_generation: {provider: mine}}\n`,
    key,
    "route mine first",
  ],
  ["a key, and turns on the loop", "model: {provider: openai, default: big}\n", key, "route openai big"],
  ["a login only", "model: {provider: openai-codex}\n", {}, "codex openai-codex -"],
  [
    "a login only, and a model for it",
    `model: {provider: openai-codex}\n${small}`,
    {},
    "codex openai-codex small",
  ],
  ["no key where a login would do", "model: {provider: openai, default: big}\n", {}, "codex openai -"],
  [
    "turns by login: a key that lies about does not pay",
    "model: {provider: openai, default: big, openai_runtime: codex_app_server}\n",
    key,
    "codex openai -",
  ],
  [
    "turns by login, and the key named for this task",
    "model: {provider: openai, openai_runtime: codex_app_server}\nauxiliary: {title_generation: {provider: openai, model: small}}\n",
    key,
    "route openai small",
  ],
  [
    "a key that is missing",
    "model: {provider: openrouter, default: big}\n",
    {},
    "The provider openrouter needs a key, and OPENROUTER_API_KEY is not set.",
  ],
];
for (const [what, config, env, where] of table) {
  test(`where a small task is done: ${what}`, async () => {
    assert.equal(await placeWith(config, env), where);
  });
}
