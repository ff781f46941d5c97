import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "../../config/config.ts";
import { systemClock } from "../../lib/clock.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { reviewTarget } from "./review-target.ts";
import { routes } from "../models/routes.ts";

/** Where a session is reviewed with these settings: `route mine small`, `codex big`, or why nowhere. */
async function placeWith(
  config: string,
  session: Parameters<typeof reviewTarget>[2],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  await using folder = await tempFolder();
  await writeFile(join(folder.path, "config.yaml"), config, { mode: 0o600 });
  const sources = { env: { TALARIA_HOME: folder.path, ...env }, homeDir: folder.path, flags: {} };
  const loaded = await loadConfig(sources);
  await using known = routes(loaded, systemClock);
  const place = await reviewTarget(loaded, known, session);
  if ("none" in place) return place.none.message;
  if ("route" in place) return `route ${place.route.name} ${place.route.model}`;
  return `${place.runtime} ${place.model ?? "-"}`;
}

const key = { OPENAI_API_KEY: "sk-1234567" };
const mine = `providers:
  mine: {api: "http://127.0.0.1:1/v1", protocol: responses, models: [first]}
  talk: {api: "http://127.0.0.1:1/v1", protocol: chat, models: [chatty]}
`;
const by = (provider: string, model?: string): string =>
  `auxiliary: {background_review: {provider: ${provider}${model === undefined ? "" : `, model: ${model}`}}}\n`;
const login = "model: {provider: openai-codex, openai_runtime: codex_app_server}\n";
const onLoop = { runtime: "loop" } as const;
const onCodex = { runtime: "codex" } as const;

type Case = readonly [
  string,
  Parameters<typeof reviewTarget>[2],
  string,
  Readonly<Record<string, string>>,
  string,
];

const table: readonly Case[] = [
  ["the loop: the session's own route", onLoop, `model: {provider: mine}\n${mine}`, {}, "loop -"],
  [
    "the loop: the model that was chosen for the session",
    { ...onLoop, model: "big" },
    `model: {provider: mine}\n${mine}`,
    {},
    "loop big",
  ],
  [
    "the loop: another provider for reviews, with its own model",
    { ...onLoop, model: "big" },
    `model: {provider: mine}\n${mine}${by("talk")}`,
    {},
    "route talk chatty",
  ],
  [
    "the loop: another model of the same provider",
    onLoop,
    `model: {provider: mine}\n${mine}${by("auto", "small")}`,
    {},
    "route mine small",
  ],
  [
    "the loop: codex's login has no thread of it",
    onLoop,
    `model: {provider: mine}\n${mine}${by("openai-codex")}`,
    {},
    "auxiliary.background_review names openai-codex, which uses codex's login, and this session does not run on codex.",
  ],
  ["codex with a login alone: codex itself", onCodex, login, {}, "codex -"],
  [
    "codex with a login alone: the model of the session",
    { ...onCodex, model: "big" },
    login,
    {},
    "codex big",
  ],
  ["codex, and a route for reviews", onCodex, `${login}${mine}${by("mine")}`, {}, "route mine first"],
  [
    "codex, and a route and a model for reviews",
    onCodex,
    `${login}${mine}${by("mine", "small")}`,
    {},
    "route mine small",
  ],
  [
    "codex on a route of the settings: that route",
    { ...onCodex, model: "big" },
    `model: {provider: mine, openai_runtime: codex_app_server}\n${mine}`,
    {},
    "route mine big",
  ],
  [
    "codex, and a route for reviews that speaks chat",
    onCodex,
    `${login}${mine}${by("talk")}`,
    {},
    "route talk chatty",
  ],
  [
    "codex beside a provider that speaks chat: codex itself",
    { ...onCodex, model: "big" },
    `model: {provider: talk}\n${mine}`,
    {},
    "codex big",
  ],
  [
    "codex beside a provider that speaks chat, and a model of that one for reviews",
    { ...onCodex, model: "big" },
    `model: {provider: talk}\n${mine}${by("auto", "small")}`,
    {},
    "route talk small",
  ],
  [
    "codex, and a provider with a login but no key, with a model for reviews",
    { ...onCodex, model: "big" },
    `model: {provider: openai}\n${by("openai", "small")}`,
    {},
    "codex small",
  ],
  [
    "codex with a login: a key that lies about does not pay",
    onCodex,
    "model: {provider: openai, default: big, openai_runtime: codex_app_server}\n",
    key,
    "codex -",
  ],
  [
    "codex with a login, and the key named for reviews",
    onCodex,
    `model: {provider: openai, openai_runtime: codex_app_server}\n${by("openai", "small")}`,
    key,
    "route openai small",
  ],
  [
    "codex, and a route for reviews whose key is missing",
    onCodex,
    `${login}${by("openrouter", "small")}`,
    {},
    "The provider openrouter needs a key, and OPENROUTER_API_KEY is not set.",
  ],
];

for (const [what, session, config, env, where] of table) {
  test(`where a session is reviewed: ${what}`, async () => {
    assert.equal(await placeWith(config, session, env), where);
  });
}
