import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { launchOptions, providerId } from "./launch.ts";
import type { LaunchInput } from "./launch.ts";

const env = { PATH: "/bin", HOME: "/home/ada" };
const base: LaunchInput = { binary: "/opt/codex", env };
const route = { name: "mine", url: "http://127.0.0.1:9/v1", key: "s3cret-value", headers: {} };

describe("a launch without a route", () => {
  test("keeps secrets out of commands, connections finite and codex from acting by itself, and leaves all else to the person", () => {
    const launch = launchOptions(base);
    assert.equal(launch.command, "/opt/codex");
    const settings = launch.args.slice(1).filter((arg) => arg !== "-c");
    assert.equal(launch.args[0], "app-server");
    assert.deepEqual(settings, [
      "shell_environment_policy.ignore_default_excludes=false",
      "features.unbounded_connection_retries=false",
      "features.goals=false",
      "agents.enabled=false",
      "features.multi_agent=false",
      "features.multi_agent_v2=false",
      "features.enable_fanout=false",
      "features.memories=false",
      "features.token_budget=false",
      "features.send_message_to_user_async=false",
      "features.multi_env_copy_file=false",
      'approvals_reviewer="user"',
    ]);
    assert.deepEqual(launch.env, { ...env, RUST_LOG: "warn" });
    assert.equal(launch.home, "/home/ada/.codex");
    assert.deepEqual(launch.secrets, []);
  });

  test("of an old codex has no switch that it would not start with", () => {
    assert.ok(!launchOptions({ ...base, version: "0.144.6" }).args.includes("agents.enabled=false"));
    assert.ok(launchOptions({ ...base, version: "0.145.0" }).args.includes("agents.enabled=false"));
  });

  test("takes CODEX_HOME from the environment before the settings", () => {
    const configured = { ...base, codexHome: "/srv/codex/" };
    assert.partialDeepStrictEqual(launchOptions(configured), {
      home: "/srv/codex",
      env: { CODEX_HOME: "/srv/codex/" },
    });
    const both = { ...configured, env: { ...env, CODEX_HOME: "/from/env" } };
    assert.partialDeepStrictEqual(launchOptions(both), {
      home: "/from/env",
      env: { CODEX_HOME: "/from/env" },
    });
  });

  test("that is isolated has its own home whatever the environment says, and looks for no network", () => {
    const launch = launchOptions({
      ...base,
      env: { ...env, CODEX_HOME: "/from/env" },
      isolated: { codexHome: "/private" },
    });
    assert.equal(launch.env["CODEX_HOME"], "/private");
    for (const option of [
      "features.plugins=false",
      "check_for_update_on_startup=false",
      "analytics.enabled=false",
    ])
      assert.ok(launch.args.includes(option), option);
    assert.ok(!launchOptions(base).args.includes("features.plugins=false"), "a person's plugins stay");
  });
});

describe("a launch with a route", () => {
  test("names it in codex's own table, under a name that cannot meet the person's", () => {
    const { args } = launchOptions({ ...base, route, model: 'gpt "x"', retries: { request: 0, stream: 1 } });
    assert.ok(args.includes('model_provider="talaria-mine"'));
    assert.ok(args.includes(String.raw`model="gpt \"x\""`));
    assert.ok(
      args.includes(
        'model_providers={"talaria-mine"={"name"="mine","base_url"="http://127.0.0.1:9/v1","wire_api"="responses","supports_websockets"=false,"request_max_retries"=0,"stream_max_retries"=1,"env_key"="TALARIA_ROUTE_KEY"}}',
      ),
    );
    assert.equal(providerId("mine"), "talaria-mine");
  });

  test("passes key and headers through variables whose names codex hides from commands", () => {
    const secret = fc.string({ minLength: 8, unit: fc.constantFrom(..."abcdefXYZ0189") });
    fc.assert(
      fc.property(secret, secret, secret, (key, value, other) => {
        const headers = { "x-api": `~${value}`, "x-team": `=${other}` };
        const launch = launchOptions({ ...base, route: { ...route, key: `!${key}`, headers } });
        const secrets = [`!${key}`, `~${value}`, `=${other}`];
        assert.deepEqual(launch.secrets, secrets);
        for (const each of secrets) {
          assert.ok(!launch.args.join("\n").includes(each), "not on the command line");
          assert.ok(!launch.key.includes(each), "not in the key");
          const names = Object.entries(launch.env).flatMap(([name, held]) => (held === each ? [name] : []));
          assert.ok(names.length > 0 && names.every((name) => /KEY|TOKEN|SECRET/.test(name)), String(names));
        }
        assert.match(launch.args.join("\n"), /"env_http_headers"=\{"x-api"="TALARIA_ROUTE_SECRET_0"/);
      }),
    );
  });
});

describe("the environment of codex", () => {
  test("has what programs need to work, and nothing else", () => {
    const passed = {
      PATH: "/bin",
      HOME: "/home/ada",
      USER: "ada",
      LOGNAME: "ada",
      SHELL: "/bin/sh",
      TERM: "xterm",
      TMPDIR: "/var/tmp",
      LANG: "C.UTF-8",
      LC_TIME: "C",
      XDG_RUNTIME_DIR: "/run/user/1",
      SSH_AUTH_SOCK: "/run/agent",
      RUST_LOG: "debug",
      HTTPS_PROXY: "http://proxy",
      no_proxy: "localhost",
      SSL_CERT_FILE: "/ca.pem",
      EXTRA: "wanted",
    };
    const kept = {
      OPENAI_API_KEY: "x",
      GITHUB_TOKEN: "x",
      TALARIA_HOME: "x",
      NODE_OPTIONS: "x",
      LCX: "x",
      MY_PATH: "x",
      TELEGRAM_BOT_TOKEN: "x",
    };
    const launch = launchOptions({
      ...base,
      env: { ...passed, ...kept, GONE: undefined },
      passEnv: ["EXTRA", "GONE"],
    });
    assert.deepEqual(launch.env, passed);
    assert.deepEqual(launch.secrets, []);
  });

  test("has what the person names, and what looks like a secret there is not shown", () => {
    const ours = { ...env, DEPLOY_TOKEN: "tok-123456", EDITOR: "vi" };
    const launch = launchOptions({ ...base, env: ours, passEnv: ["DEPLOY_TOKEN", "EDITOR"] });
    assert.equal(launch.env["DEPLOY_TOKEN"], "tok-123456");
    assert.deepEqual(launch.secrets, ["tok-123456"]);
  });
});

describe("the key of a launch", () => {
  test("is the same for the same launch, however the environment is ordered, and for no other", () => {
    const { key } = launchOptions({ ...base, route });
    assert.equal(
      launchOptions({ ...base, env: { HOME: "/home/ada", PATH: "/bin", X: "y" }, route }).key,
      key,
    );
    const others: LaunchInput[] = [
      { ...base, route, binary: "/usr/bin/codex" },
      { ...base, route, env: { ...env, TERM: "dumb" } },
      { ...base, route: { ...route, key: "another-value" } },
      { ...base, route: { ...route, headers: { a: "b" } } },
      { ...base, route: { ...route, url: "http://127.0.0.1:10/v1" } },
      { ...base, route, model: "m" },
      { ...base, route, codexHome: "/elsewhere" },
      { ...base, route, isolated: { codexHome: "/elsewhere" } },
    ];
    const keys = new Set([key, ...others.map((other) => launchOptions(other).key)]);
    assert.equal(keys.size, others.length + 1);
  });
});
