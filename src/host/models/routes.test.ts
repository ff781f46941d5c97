import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { tempHome } from "../../config/temp-home.suite.ts";
import { systemClock } from "../../lib/clock.ts";
import { routes } from "./routes.ts";

const config = `model: { provider: mine, default: big }
providers:
  mine: { api: http://127.0.0.1:1/v1, protocol: responses }
  locked: { api: http://127.0.0.1:2/v1, key_env: LOCKED_KEY }
fallback_providers:
  - { provider: locked, model: small }
  - { provider: openai-codex, model: any }
  - { provider: mine, model: old }
`;

test("the routes of a turn are the chosen one with its model, then the fallbacks with theirs or why they cannot be used", async (t) => {
  const home = await tempHome(t, { config });
  await using known = routes(await home.load(), systemClock);
  const all = await known.all("huge");
  assert.deepEqual(
    all.map((each) => ("code" in each ? each.code : `${each.name} ${each.model}`)),
    ["mine huge", "auth", "config", "mine old"],
  );
  const [chosen] = await known.all(undefined);
  assert.partialDeepStrictEqual(chosen, { name: "mine", model: "big", protocol: "responses" });
  const [, locked, codex] = all;
  assert.ok(locked !== undefined && "code" in locked && /LOCKED_KEY is not set/.test(locked.message));
  assert.ok(codex !== undefined && "code" in codex && /codex runtime only/.test(codex.message));
  assert.match(codex.next, /--runtime codex/);
});

test("a key that the person has put right meanwhile is found by the next turn", async (t) => {
  const home = await tempHome(t, { config });
  const loaded = await home.load();
  await using known = routes(loaded, systemClock);
  assert.partialDeepStrictEqual(await known.at("locked", "small"), { code: "auth" });
  await writeFile(loaded.config.paths.env, "LOCKED_KEY=sesame\n", { mode: 0o600 });
  assert.partialDeepStrictEqual(await known.at("locked", "small"), { name: "locked", key: "sesame" });
});
