import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { faultOf, tempHome, warningsOf } from "../temp-home.suite.ts";

describe("settings for HTTP", () => {
  test("that name a variable which is not set, or hold what can be guessed or never fits, are told", async (t) => {
    const home = await tempHome(t, {
      config: `http:
  origins: ["*", "https://chat.example"]
  hosts: ["http://nas/", "nas.local:8787"]
  keys:
    known: { key_env: LONG_KEY }
    guessed: { key_env: SHORT_KEY }
  webhooks:
    ci: { secret_env: NOT_THERE, prompt: Look at it. }
`,
      env: "LONG_KEY=0123456789abcdef0123\nSHORT_KEY=abc\n",
    });
    assert.deepEqual(warningsOf(home, await home.load()), [
      "config.yaml:6:16: http.keys.guessed.key_env: SHORT_KEY is so short that it can be guessed (fewer than 16 characters), so nobody can come in with this key",
      "config.yaml:8:11: http.webhooks.ci.secret_env: NOT_THERE is not set, neither in the environment nor in .env, so all that is sent there is refused",
      "config.yaml:2:3: http.origins: * fits no page; write it as https://chat.example",
      "config.yaml:3:3: http.hosts: http://nas/ fits no request; write it as talaria.example",
    ]);
  });

  test("with a certificate and no key for it, or the other way round, are refused", async (t) => {
    for (const [is, missing] of [
      ["tls_cert", "tls_key"],
      ["tls_key", "tls_cert"],
    ] as const) {
      const home = await tempHome(t, { config: `http:\n  port: 8787\n  ${is}: /nope\n` });
      const { message, next } = await faultOf(home, home.load());
      assert.match(message, new RegExp(`^config.yaml:3:3: http.${is}: needs http.${missing}, too`));
      assert.match(next, new RegExp(`Set http.${missing}`));
    }
  });
});
