import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInProviders } from "./providers.ts";
import { faultOf, tempHome } from "./temp-home.suite.ts";

const among = Object.keys(builtInProviders).join(", ");
const twice = "expected each key once, got it a second time in the same map";
const furtherKeys =
  "expected one value, got further keys; check the indentation, or put text with `: ` in quotes";

/** A config.yaml and exactly what is said about it. */
const broken: Readonly<Record<string, readonly [config: string, message: string]>> = {
  "a word that is not offered": [
    "model:\n  openai_runtime: codex\n",
    'config.yaml:2:19: model.openai_runtime: expected auto or codex_app_server, got "codex"',
  ],
  "a section that is no map": ["model: gpt-5\n", "config.yaml:1:8: model: expected a map, got text"],
  "a section that is a list": [
    "# top\nmodel:\n  - demo\n",
    "config.yaml:3:3: model: expected a map, got a list",
  ],
  "a number for text": [
    "model: {default: 5}\n",
    "config.yaml:1:18: model.default: expected text, got a number",
  ],
  "empty text": [
    'model: {default: ""}\n',
    "config.yaml:1:18: model.default: expected text that is not empty, got empty text",
  ],
  "text for a number": [
    "approvals:\n  timeout_s: soon\n",
    "config.yaml:2:14: approvals.timeout_s: expected a number of seconds, got text",
  ],
  "no time at all": [
    "approvals: {timeout_s: 0}\n",
    "config.yaml:1:24: approvals.timeout_s: expected a number of seconds above 0, got a number",
  ],
  "a price below nothing": [
    "providers:\n  openai:\n    prices: {m: {input: -1, output: 2}}\n",
    "config.yaml:3:25: providers.openai.prices.m.input: expected a price in USD for a million tokens, 0 or more, got a number",
  ],
  "half a price": [
    "providers: {openai: {prices: {m: {input: 1}}}}\n",
    "config.yaml:1:34: providers.openai.prices.m.output: expected a price in USD for a million tokens, got nothing",
  ],
  "a budget of nothing": [
    "budgets: {day: {usd: 0}}\n",
    "config.yaml:1:22: budgets.day.usd: expected an amount of USD above 0, got a number",
  ],
  "half a token": [
    "budgets: {turn: {tokens: 0.5}}\n",
    "config.yaml:1:26: budgets.turn.tokens: expected a whole number of tokens, got a number",
  ],
  "text for a list": [
    "approvals:\n  deny: rm\n",
    "config.yaml:2:9: approvals.deny: expected a list of text, such as [a, b], got text",
  ],
  "a wrong thing in a list": [
    "codex:\n  env:\n    - OK\n    - [a]\n",
    "config.yaml:4:7: codex.env.1: expected text, got a list",
  ],
  "mcp_servers that is no map": [
    "mcp_servers: [a]\n",
    "config.yaml:1:14: mcp_servers: expected a map of names to settings, got a list",
  ],
  "a provider without an address": [
    "providers:\n  mine:\n    protocol: chat\n",
    "config.yaml:2:3: providers.mine: expected `api`, the address of the service, got none",
  ],
  "an address with a password, which is not shown": [
    "providers:\n  mine:\n    api: https://ada:hunter2@example.org/v1\n",
    "config.yaml:3:10: providers.mine.api: expected an http or https address without a password in it, got text",
  ],
  "a key where its variable's name belongs, which is not shown": [
    "providers:\n  openai: {key_env: sk-12345}\n",
    "config.yaml:2:21: providers.openai.key_env: expected the name of a variable, such as OPENAI_API_KEY, got text",
  ],
  "a provider name that cannot be one": [
    'providers:\n  "my host": {api: http://localhost}\n',
    'config.yaml:2:3: providers."my host": expected a name of letters, digits, - and _ (64 at most) as the name',
  ],
  "settings for a provider that has none": [
    "providers: {demo: {api: http://localhost}}\n",
    "config.yaml:1:13: providers.demo: expected another name, because this provider is built in and has no settings",
  ],
  "a provider that nobody defined": [
    "model:\n  provider: mine\n",
    `config.yaml:2:13: model.provider: expected one of ${among} or a name defined under providers, got "mine"`,
  ],
  "a provider named like a part of every object": [
    "model: {provider: constructor}\n",
    `config.yaml:1:19: model.provider: expected one of ${among} or a name defined under providers, got "constructor"`,
  ],
  "a fallback that nobody defined": [
    "fallback_providers:\n  - {provider: openai, model: a}\n  - {provider: nope, model: b}\n",
    `config.yaml:3:16: fallback_providers.1.provider: expected one of ${among} or a name defined under providers, got "nope"`,
  ],
  "a wrong value behind an alias": [
    "x-a: &a {api: 5}\nproviders: {mine: *a}\n",
    "config.yaml:1:15: providers.mine.api: expected text, got a number",
  ],
  "several problems at once": [
    "model: {default: 1}\nturn: {budget: x}\n",
    "config.yaml:1:18: model.default: expected text, got a number\n" +
      "config.yaml:2:16: turn.budget: expected a number of seconds, got text",
  ],
  "a key twice": ["model:\n  default: a\n  default: b\n", `config.yaml:3:3: model.default: ${twice}`],
  "a section twice": ["model: {}\nterminal: {}\nmodel: {}\n", `config.yaml:3:1: model: ${twice}`],
  "a tab": ["model:\n\tdefault: a\n", "config.yaml:2:1: model: expected spaces as indentation, got a tab"],
  "a value with a colon": ["model:\n  default: a: b\n", `config.yaml:2:12: model.default: ${furtherKeys}`],
  "a quote that never closes": [
    'model:\n  default: "gpt\nterminal: {}\n',
    'config.yaml:2:12: model.default: expected YAML, got: Missing closing "quote',
  ],
  "a bracket that never closes": [
    "approvals:\n  deny: [a, b\nmodel: {}\n",
    "config.yaml:3:1: approvals.deny: expected YAML, got: Flow sequence in block collection must be sufficiently indented and end with a ]",
  ],
  "crooked indentation, without a word of it": [
    "  model: {}\n sk-secret: 1\n",
    "config.yaml:2:2: model: expected YAML, got: Unexpected scalar at node end",
  ],
  "one bracket too many": [
    "model: {}}\n",
    "config.yaml:1:10: model: expected YAML, got: Unexpected flow-map-end token in YAML stream",
  ],
  "a line that is no key, which is not shown": [
    "model: {}\nsk-secret\n",
    "config.yaml:2:1: model: expected YAML, got: Implicit map keys need to be followed by map values",
  ],
  "an alias to nothing": [
    "model:\n  default: *m\n",
    "config.yaml:2:12: model.default: expected an anchor &m above it, got none",
  ],
  "two documents": [
    "model: {}\n---\nmodel: {}\n",
    "config.yaml:2:1: expected one document, got a second one after `---`",
  ],
  "a list at the top": ["- model\n", "config.yaml:1:1: expected a map of settings, got a list"],
  "a word at the top": ["# hi\ndemo\n", "config.yaml:2:1: expected a map of settings, got text"],
  "a line after CRLF": ["a: 1\r\nmodel: 3\r\n", "config.yaml:2:8: model: expected a map, got a number"],
};

for (const [what, [config, message]] of Object.entries(broken)) {
  test(`a config.yaml with ${what} is a fault that says where and what`, async (t) => {
    const home = await tempHome(t, { config });
    const fault = await faultOf(home, home.load());
    assert.equal(fault.message, message);
    assert.equal(fault.code, "config");
    assert.notEqual(fault.next, "");
  });
}

const level = (name: string, of: string) => `${name}: &${name} [${Array(12).fill(`*${of}`).join(", ")}]\n`;

test("a bomb of aliases is refused", async (t) => {
  const config = `a: &a [x]\n${level("b", "a")}${level("c", "b")}${level("d", "c")}${level("e", "d")}`;
  const home = await tempHome(t, { config });
  const fault = await faultOf(home, home.load());
  assert.equal(fault.message, "config.yaml:1:1: has more aliases (*name) than a settings file can need");
});
