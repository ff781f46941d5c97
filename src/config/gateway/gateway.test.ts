import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { faultOf, tempHome } from "../temp-home.suite.ts";

describe("settings of the gateway", () => {
  test("that are not written have every platform off, and the defaults of the rest", async (t) => {
    const home = await tempHome(t, {});
    assert.deepEqual((await home.load()).config.gateway, {
      busy: "queue",
      groups: "person",
      mention: true,
      stream: false,
      notices: "results",
    });
  });

  test("have a platform on when its name is there, with the usual variables", async (t) => {
    const home = await tempHome(t, {
      config: "gateway:\n  telegram:\n  slack: {}\n  discord: {api: 'https://x.example/'}\n",
    });
    const { telegram, slack, discord } = (await home.load()).config.gateway;
    assert.deepEqual(telegram, { tokenEnv: "TELEGRAM_BOT_TOKEN" });
    assert.deepEqual(slack, { botTokenEnv: "SLACK_BOT_TOKEN", appTokenEnv: "SLACK_APP_TOKEN" });
    assert.deepEqual(discord, { tokenEnv: "DISCORD_BOT_TOKEN", api: "https://x.example" });
  });

  test("are read as they are written", async (t) => {
    const home = await tempHome(t, {
      config: `gateway:
  telegram: {token_env: BOT, api: "http://127.0.0.1:8081", webhook_url: "https://me.example/t", webhook_secret_env: HOOK}
  slack: {bot_token_env: B, signing_secret_env: S, api: "http://localhost:1/api/"}
  busy: steer
  groups: shared
  mention: false
  stream: true
  notify: telegram:-100123/7
  notices: all
  quiet: 22:30-07:00
`,
    });
    assert.deepEqual((await home.load()).config.gateway, {
      telegram: {
        tokenEnv: "BOT",
        api: "http://127.0.0.1:8081",
        webhook: { url: "https://me.example/t", secretEnv: "HOOK" },
      },
      slack: { botTokenEnv: "B", signingSecretEnv: "S", api: "http://localhost:1/api" },
      busy: "steer",
      groups: "shared",
      mention: false,
      stream: true,
      notify: "telegram:-100123/7",
      notices: "all",
      quiet: { from: 22 * 60 + 30, to: 7 * 60 },
    });
  });

  test("that are wrong are told with their place and what is expected there", async (t) => {
    const address = "expected an https address without a password in it; http only on this machine, got text";
    const time = 'expected two times of day, such as "22:00-07:00", got text';
    const wrong: readonly (readonly [string, string])[] = [
      ["telegram: {api: 'http://api.example'}", `2:19: gateway.telegram.api: ${address}`],
      ["telegram: {api: 'https://me:pw@api.example'}", `2:19: gateway.telegram.api: ${address}`],
      ["telegram: {api: 'http://127.0.0.1.example'}", `2:19: gateway.telegram.api: ${address}`],
      [
        "slack: {bot_token_env: 'xoxb-1-2'}",
        "2:26: gateway.slack.bot_token_env: expected the name of a variable, such as OPENAI_API_KEY, got text",
      ],
      ["busy: wait", '2:9: gateway.busy: expected queue, steer or interrupt, got "wait"'],
      ["notify: me", "2:11: gateway.notify: expected a chat, such as telegram:12345, got text"],
      ["notify: signal:1", "2:11: gateway.notify: expected a chat, such as telegram:12345, got text"],
      ["quiet: 22-7", `2:10: gateway.quiet: ${time}`],
      ["quiet: 24:00-07:00", `2:10: gateway.quiet: ${time}`],
      ["quiet: 07:00-07:00", `2:10: gateway.quiet: ${time}`],
      [
        "telegram: {webhook_url: 'https://me.example'}",
        "2:14: gateway.telegram.webhook_url: needs gateway.telegram.webhook_secret_env, too: without it anybody could send messages in somebody's name",
      ],
      [
        "telegram: {webhook_secret_env: HOOK}",
        "2:14: gateway.telegram.webhook_secret_env: needs gateway.telegram.webhook_url, too: without it Telegram sends nothing there",
      ],
    ];
    for (const [line, message] of wrong) {
      const home = await tempHome(t, { config: `gateway:\n  ${line}\n` });
      assert.equal((await faultOf(home, home.load())).message, `config.yaml:${message}`, line);
    }
  });

  test("name variables whose values are masked wherever they come from", async (t) => {
    const home = await tempHome(t, {
      config:
        "gateway:\n  telegram: {token_env: T, webhook_url: 'https://x.example', webhook_secret_env: H}\n  slack: {bot_token_env: B, app_token_env: A, signing_secret_env: S}\n  discord:\n",
    });
    const env = {
      T: "telegram-1",
      H: "hook-12",
      B: "bot-123",
      A: "app-123",
      S: "sign-12",
      DISCORD_BOT_TOKEN: "discord-1",
    };
    const { secrets } = await home.load({ env });
    assert.deepEqual(
      Object.values(env).filter((value) => !secrets.includes(value)),
      [],
    );
  });
});
