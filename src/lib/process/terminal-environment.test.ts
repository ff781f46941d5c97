import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { canary, developerEnvironments } from "./developer-environments.suite.ts";
import { redactor } from "../redact/redact.ts";
import { terminalEnvironment } from "./terminal-environment.ts";

const redact = redactor(["value-of-a-key-in-dotenv"]);
const rules = { named: [], isSecret: (value: string) => redact(value) !== value };

describe("of the environment of a terminal a command sees exactly what is no secret and runs no code", () => {
  for (const { name, seen, kept } of developerEnvironments)
    test(name, () => {
      for (const [variable, value] of Object.entries(kept))
        assert.match(`${variable}=${value}`, canary, "each has one");
      assert.deepEqual(terminalEnvironment({ ...kept, ...seen, UNSET: undefined }, rules), seen);
    });

  test("a value that is known for a secret, under whatever name", () => {
    assert.deepEqual(terminalEnvironment({ HARMLESS: "is value-of-a-key-in-dotenv" }, rules), {});
  });

  test("folders of PATH that depend on where a command runs", () => {
    assert.deepEqual(terminalEnvironment({ PATH: "./bin:/usr/bin::/bin" }, rules), { PATH: "/usr/bin:/bin" });
  });
});

test("a name that the person lists passes after all, unless it is one of a key, a token or a secret", () => {
  const ours = {
    GOOGLE_APPLICATION_CREDENTIALS: "/home/ada/account.json",
    NODE_OPTIONS: "--max-old-space-size=8192",
    DATABASE_URL: "postgres://shop:pw@db/shop",
    PROVIDER_KEY: "for-codex-itself",
    TALARIA_HOME: "/home/ada/.talaria",
  };
  const named = Object.keys(ours);
  const { PROVIDER_KEY: _, TALARIA_HOME: __, ...passed } = ours;
  assert.deepEqual(terminalEnvironment(ours, { ...rules, named }), passed);
});
