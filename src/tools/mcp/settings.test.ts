import assert from "node:assert/strict";
import { test } from "node:test";
import { isIncluded, configuredServers } from "./settings.ts";

const only = (written: object) => configuredServers({ it: written } as never)[0];
const why = (written: object) => {
  const one = only(written);
  return one?.is === "unusable" ? one.why : one?.is;
};

test("a server needs a command or an address, and what is not spoken is said", () => {
  assert.equal(why({ command: "x" }), "usable");
  assert.equal(why({ url: "https://a.example/mcp", transport: "http" }), "usable");
  assert.equal(why({ command: "x", enabled: false }), "off");
  assert.match(why({}) ?? "", /^has neither a command nor a url/);
  assert.match(why({ url: "https://a.example", transport: "sse" }) ?? "", /^speaks the older sse transport/);
  assert.match(why({ command: "x", transport: "pigeon" }) ?? "", /^has the transport "pigeon"/);
  assert.match(why({ url: "not an address" }) ?? "", /which is no address$/);
  assert.match(why({ url: "file:///etc/passwd" }) ?? "", /starts with file:/);
  assert.match(why({ url: "https://ada:pw@a.example" }) ?? "", /name or password in it/);
  assert.deepEqual(configuredServers(undefined), []);
});

test("what is unset has its default, and keys that have no effect are named", () => {
  const one = only({ command: "x", url: "https://a.example", oauth: true });
  assert.partialDeepStrictEqual(one?.is === "usable" ? one.settings : {}, {
    endpoint: { kind: "program", command: "x", args: [], env: {} },
    timeoutMs: 120_000,
    connectMs: 60_000,
    trust: "hints",
    elicitation: true,
    notes: ["url: not used by one with a command", "oauth: Talaria has nothing for it"],
  });
});

const names = (include: string[] | undefined, exclude: string[]) =>
  ["read_file", "write_file", "*list_prompts"].filter((name) => isIncluded({ include, exclude }, name));

test("globs of names: a star is anything, and include is all that counts when it is there", () => {
  assert.deepEqual(names(undefined, []), ["read_file", "write_file", "*list_prompts"]);
  assert.deepEqual(names(undefined, ["*_file"]), ["*list_prompts"]);
  assert.deepEqual(names(["r*", "list_prompts"], ["read_file"]), ["read_file", "*list_prompts"]);
  assert.deepEqual(names(["read.file", "[rw]*"], []), []);
});
