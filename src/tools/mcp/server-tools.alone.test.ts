import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { after, before, test } from "node:test";
import { goodProgram } from "../../../test/fakes/mcp-server/programs.ts";
import { type McpWorld, inFence, left, mcpWorld } from "./mcp-world.suite.ts";

/** One server for what does not change it: programs take their time to start. */
let shared: McpWorld;
before(async () => void (shared = await mcpWorld({ good: goodProgram })));
after(async () => {
  await shared[Symbol.asyncDispose]();
  assert.deepEqual(await left(), [], "no process is left");
});

test("a server that was never seen is started by the first turn, and its tools are offered as it describes them", async () => {
  assert.deepEqual(await shared.names(), []);
  assert.deepEqual(await shared.ready(), []);
  const tools = await shared.servers.tools();
  assert.deepEqual(
    tools.map(({ name }) => name).toSorted(),
    ["echo", "env", "get_prompt", "list_prompts", "list_resources", "login", "long", "media", "order"]
      .concat(["pid", "read_resource", "structured", "wipe", "write", "wrong"])
      .map((name) => `mcp__good__${name}`),
  );
  const echo = tools.find(({ name }) => name.endsWith("echo"));
  assert.equal(echo?.toolset, "mcp-good");
  assert.equal(echo?.deferred, true);
  assert.deepEqual((echo?.parameters as { required?: unknown } | undefined)?.required, ["text"]);
  assert.match(echo?.description ?? "", /^Says it again\.\n\(The tool echo of the MCP server good/);
});

test("every kind of result reaches the model, fenced, and files are kept where only the person can read them", async () => {
  await shared.ready();
  const said = await shared.call("mcp__good__echo", { text: "hi" });
  assert.equal(said.ok, true);
  assert.equal(inFence(said.output), "echo: hi");
  assert.match(said.output, /came from the MCP server good, tool echo/);
  assert.equal(inFence((await shared.call("mcp__good__structured")).output), '{"answer":42}');
  const wrong = await shared.call("mcp__good__wrong");
  assert.equal(wrong.ok, false);
  assert.equal(inFence(wrong.output), "it does not work");

  const media = await shared.call("mcp__good__media");
  assert.equal(
    inFence(media.output),
    "look\nresource: memo://notes · notes\nresource memo://inline:\ninline text",
  );
  const files = [...media.output.matchAll(/saved as (\S+?)\]/g)].map((match) => match[1] ?? "");
  assert.equal(files.length, 2);
  for (const file of files) assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await readFile(files[0] ?? "")).subarray(1, 4).toString(), "PNG");
  assert.equal((await stat(`${shared.folder}/media`)).mode & 0o777, 0o700);

  const long = await shared.call("mcp__good__long", { size: 300_000 });
  assert.ok(long.output.length < 101_000);
  assert.match(long.output, /\[200000 characters left out\]/);
  assert.match(long.output, /end of outside text/);
  const refused = await shared.call("mcp__good__echo", { text: 7 });
  assert.equal(refused.ok, false);
  assert.deepEqual(shared.asked, []);
});

test("resources and prompts are tools when the server has them", async () => {
  await shared.ready();
  assert.match(
    inFence((await shared.call("mcp__good__list_resources")).output),
    /^- memo:\/\/notes · notes · My notes$/,
  );
  const read = await shared.call("mcp__good__read_resource", { uri: "memo://notes" });
  assert.equal(inFence(read.output), "resource memo://notes:\nremember the milk");
  assert.match(read.output, /A file of memo:\/\/picture \(image\/png\) was saved as/);
  assert.equal(
    inFence((await shared.call("mcp__good__list_prompts")).output),
    "- greet · Says hello (arguments: who)",
  );
  const prompt = await shared.call("mcp__good__get_prompt", { name: "greet", arguments: { who: "Ada" } });
  assert.equal(inFence(prompt.output), "user: Say hello to Ada");
});

test("what a tool may do without a question depends on its hints and on the trust in its server", async () => {
  const servers = { hints: goodProgram, full: { ...goodProgram, trust: "full" } };
  await using world = await mcpWorld({ ...servers, untrusted: { ...goodProgram, trust: "untrusted" } });
  await world.ready();
  const effects = Object.fromEntries((await world.servers.tools()).map(({ name, effect }) => [name, effect]));
  const of = (server: string) => ["echo", "write", "wipe"].map((tool) => effects[`mcp__${server}__${tool}`]);
  assert.deepEqual(of("hints"), ["none", "external", "destructive"]);
  assert.deepEqual(of("full"), ["local", "local", "local"]);
  assert.deepEqual(of("untrusted"), ["external", "external", "destructive"]);

  await world.call("mcp__hints__write", { to: "the\nmoon" });
  const [question] = world.asked;
  assert.equal(question?.summary, 'the tool write of the MCP server hints, with {"to":"the\\nmoon"}');
  assert.equal(question?.reason, "hints does not say of this tool that it only reads.");
  world.decision = { choice: "deny", why: "person" };
  const denied = await world.call("mcp__hints__write", { to: "x" });
  assert.match(denied.output, /^mcp__hints__write was not run: the person said no/);
});

test("a program gets what programs need and what was written for it, and none of our keys", async () => {
  await using world = await mcpWorld(
    { good: { ...goodProgram, env: { GITHUB_TOKEN: "for-it-alone" } } },
    {
      env: {
        OPENAI_API_KEY: "sk-canary",
        LC_ALL: "C",
        XDG_DATA_HOME: "/x",
        NODE_OPTIONS: "",
        SSH_AUTH_SOCK: "/s",
      },
    },
  );
  await world.ready();
  const seen = JSON.parse(inFence((await world.call("mcp__good__env")).output)) as Record<string, string>;
  const names = Object.keys(seen).filter((name) => !name.startsWith("MCP_TEST_"));
  assert.deepEqual(names.toSorted(), ["GITHUB_TOKEN", "HOME", "LC_ALL", "PATH", "XDG_DATA_HOME"]);
  assert.doesNotMatch(JSON.stringify(seen), /canary/);
});

test("include wins over exclude, and what is left out is not offered", async () => {
  const tools = { include: ["e*", "wipe"], exclude: ["echo"] };
  await using world = await mcpWorld({
    a: { ...goodProgram, tools },
    b: { ...goodProgram, tools: { exclude: ["*"] } },
  });
  await world.ready();
  assert.deepEqual((await world.names()).toSorted(), ["mcp__a__echo", "mcp__a__env", "mcp__a__wipe"]);
  const [a] = await world.servers.list();
  assert.deepEqual(
    a?.tools.filter(({ state }) => state === "on").map(({ name }) => name),
    ["echo", "env", "wipe"],
  );
});

test("a tool known from before is offered at once, and its server is started by the first call", async () => {
  await using first = await mcpWorld({ good: goodProgram });
  await first.ready();
  await first.servers[Symbol.asyncDispose]();
  await using world = await mcpWorld({ good: goodProgram }, { folder: first.folder });
  assert.deepEqual(await world.ready(), []);
  assert.equal((await world.names()).includes("mcp__good__echo"), true);
  assert.deepEqual(world.registered.size, 0);
  assert.equal(inFence((await world.call("mcp__good__echo", { text: "later" })).output), "echo: later");
  assert.deepEqual([...world.registered.values()], ["mcp good"]);
});

test("a hundred calls at once all get their own answer from one program", async () => {
  await shared.ready();
  const texts = Array.from({ length: 100 }, (_, at) => `call ${at}`);
  const results = await Promise.all(texts.map((text) => shared.call("mcp__good__echo", { text })));
  assert.deepEqual(
    results.map(({ output }) => inFence(output)),
    texts.map((text) => `echo: ${text}`),
  );
  assert.equal(shared.registered.size, 1);
});
