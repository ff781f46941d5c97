import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { badProgram } from "../../../test/fakes/mcp-server/programs.ts";
import { inFence, left, longWaits, mcpWorld, until } from "./mcp-world.suite.ts";

after(async () => assert.deepEqual(await left(), [], "no process is left"));

test("a tool whose description changes is off until it is approved, and is told about once", async () => {
  await using world = await mcpWorld({ evil: badProgram("mutates") });
  await world.ready();
  assert.deepEqual(await world.names(), ["mcp__evil__stays", "mcp__evil__turns"]);
  assert.equal(inFence((await world.call("mcp__evil__turns")).output), "did turns");

  await world.call("mcp__evil__stays"); // now it says that its tools are others
  await until(async () => (await world.names()).length === 1);
  assert.deepEqual(await world.names(), ["mcp__evil__stays"]);
  const line =
    "The tool turns of the MCP server evil is not what it was when it was first seen, so it is off. Look at it with /mcp show evil, which says how to allow it.";
  assert.deepEqual(await world.ready(), [line]);
  assert.deepEqual(await world.ready(), []);
  assert.deepEqual(await world.servers.troubles(), [line]);
  const [listed] = await world.servers.list();
  const turns = listed?.tools.find(({ name }) => name === "turns");
  assert.equal(turns?.state, "changed");
  assert.match(turns?.diff ?? "", /^-.*Adds two numbers\.[\s\S]*^\+.*sends your files/m);

  const [pin] = (await world.store.mcpTools.list("evil")).filter(({ name }) => name === "turns");
  assert.equal(await world.store.mcpTools.approve("evil", "turns", pin?.changed?.hash ?? "", 1), true);
  assert.deepEqual(await world.names(), ["mcp__evil__stays", "mcp__evil__turns"]);
  assert.equal(inFence((await world.call("mcp__evil__turns")).output), "did turns");
});

test("a tool that changed while its server was off is found out by the call, which is not made", async () => {
  await using before = await mcpWorld({});
  const words = join(before.folder, "words");
  await writeFile(words, "Adds two numbers.");
  const section = { evil: badProgram("version", words) };
  await using first = await mcpWorld(section, { folder: before.folder });
  await first.ready();
  await first.servers[Symbol.asyncDispose]();
  await writeFile(words, "Sends your files.");
  await using world = await mcpWorld(section, { folder: before.folder });
  const refused = await world.call("mcp__evil__turns");
  assert.equal(refused.ok, false);
  assert.match(
    refused.output,
    /has changed the tool turns since it was first seen, so it is off\..*\/mcp show evil, which says how to allow it/,
  );
  assert.deepEqual(await world.names(), []);
});

test("a call that is never answered ends with its time, and the server is told", async () => {
  const clock = longWaits();
  await using world = await mcpWorld({}, { clock });
  const heard = join(world.folder, "heard");
  await using bad = await mcpWorld({ s: { ...badProgram("silent", heard), timeout: 30 } }, { clock });
  await bad.ready();
  const call = bad.call("mcp__s__work");
  await until(() => bad.servers.servers.get("s")?.state().state === "ready");
  await clock.advance(29_000);
  await clock.advance(2_000);
  const { ok, output } = await call;
  assert.equal(ok, false);
  assert.equal(
    output,
    "The MCP server s did not answer within 30 s and was told to stop. Part of what was asked may have happened.",
  );
  await until(async () => (await readFile(heard, "utf8").catch(() => "")).startsWith("cancelled"));

  const stop = new AbortController();
  const stopped = bad.call("mcp__s__work", {}, { signal: stop.signal });
  await until(() => bad.registered.size === 1);
  stop.abort(new Error("Stop"));
  assert.deepEqual(await stopped, { ok: false, output: "interrupted" });
});

test("a server that dies in a call is an error that names its last words, and is started anew by the next call", async () => {
  await using world = await mcpWorld({});
  const calls = join(world.folder, "calls");
  await using bad = await mcpWorld({ d: badProgram("dies", calls) });
  await bad.ready();
  const { ok, output } = await bad.call("mcp__d__work");
  assert.equal(ok, false);
  assert.match(
    output,
    /^The MCP server d ended before it had answered \(it ended with exit code 3; it wrote last: Traceback:/,
  );
  assert.match(
    output,
    /It was not asked again, because part of it may have happened\. The next call starts it anew\.$/,
  );
  assert.doesNotMatch(output, /canary/);
  assert.equal(await readFile(calls, "utf8"), "called\n");
  assert.equal(bad.servers.servers.get("d")?.state().state, "failed");
  assert.match((await bad.ready())[0] ?? "", /^The MCP server d ended/);
  await bad.call("mcp__d__work");
  assert.equal(await readFile(calls, "utf8"), "called\ncalled\n");
});

test("a server that does not stay is not started without end, until the person restarts it", async () => {
  const clock = longWaits();
  await using world = await mcpWorld({ d: badProgram("dies") }, { clock });
  await world.ready();
  for (let at = 0; at < 5; at += 1) assert.match((await world.call("mcp__d__work")).output, /exit code 3/);
  const refused = await world.call("mcp__d__work");
  assert.match(
    refused.output,
    /was started 5 times within 3 minutes and did not stay\. It is tried again in 180 s/,
  );
  await world.servers.servers.get("d")?.stop();
  assert.match((await world.call("mcp__d__work")).output, /exit code 3/);
});

test("what floods, prints garbage, is mute or cannot start says so, and leaves no process", async () => {
  const clock = longWaits();
  await using world = await mcpWorld(
    {
      floods: badProgram("floods"),
      garbage: badProgram("garbage"),
      strange: badProgram("strange"),
      mute: { ...badProgram("mute"), connect_timeout: 10 },
      exits: badProgram("exits"),
      absent: { command: "/nowhere/at-all" },
    },
    { clock, waitMs: 20_000 },
  );
  const ready = world.ready();
  const state = (name: string) => world.servers.servers.get(name)?.state();
  const started = ["floods", "garbage", "strange", "exits", "absent"];
  await until(() => started.every((name) => !["starting", "not started"].includes(state(name)?.state ?? "")));
  await until(() => world.registered.size === 4);
  await clock.advance(10_000);
  const lines = await ready;
  assert.match(lines.join("\n"), /The MCP server mute did not answer its greeting within 10 s\./);
  assert.match(
    lines.join("\n"),
    /exits ended before it had answered \(it ended with exit code 2; it wrote last: cannot find my settings\)/,
  );
  assert.match(
    lines.join("\n"),
    /absent could not be started\. Cannot start \/nowhere\/at-all: there is no such file/,
  );
  assert.equal(lines.length, 3);
  const missing = (await world.servers.tools()).filter((tool) => tool.unavailable?.() !== undefined);
  assert.deepEqual(missing.map(({ name }) => name).toSorted(), [
    "mcp__absent__missing",
    "mcp__exits__missing",
    "mcp__mute__missing",
  ]);
  const searched = await world.call("tool_search", { query: "mute" });
  assert.match(searched.output, /Cannot be used here: The MCP server mute did not answer its greeting/);

  assert.equal(inFence((await world.call("mcp__garbage__work")).output), "did work");
  assert.match(
    inFence((await world.call("mcp__strange__work")).output),
    /a part of the kind "hologram", which Talaria does not know/,
  );
  const flooded = await world.call("mcp__floods__work");
  assert.match(flooded.output, /it sent a line of more than 10 MiB and was ended/);
  await until(() => world.registered.size === 2);
});

test("what answers with something nested too deep says so, and goes on", async () => {
  await using world = await mcpWorld({ deep: badProgram("deep") });
  await world.ready();
  for (let times = 0; times < 2; times++) {
    const { ok, output } = await world.call("mcp__deep__work");
    assert.equal(ok, false);
    assert.match(output, /its message is nested deeper than 500 levels and was not read/);
  }
});

test("tools without a schema for an object are left out with a reason, and the others are offered", async () => {
  await using world = await mcpWorld({ s: badProgram("schemas") });
  await world.ready();
  assert.deepEqual(await world.names(), ["mcp__s__fine"]);
  const [listed] = await world.servers.list();
  assert.deepEqual(
    listed?.tools.map(({ name, state }) => `${state}: ${name}`),
    [
      "on: fine",
      "left out: text (the schema of its arguments is not that of an object)",
      "left out: none (the schema of its arguments is not that of an object)",
      "left out: huge (its definition has 200135 characters, and 100000 are allowed)",
      "left out: fine (another one has the same name)",
      "left out: (no name) (its name is empty or too long)",
    ],
  );
});

test("500 tools and names in any script all get names that every protocol takes", async () => {
  await using world = await mcpWorld({ many: badProgram("many"), names: badProgram("names") });
  await world.ready();
  const names = await world.names();
  assert.equal(names.length, 506);
  assert.equal(new Set(names).size, 506);
  for (const name of names) assert.match(name, /^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
  const own = (await world.servers.tools()).filter(({ toolset }) => toolset === "mcp-names");
  for (const tool of own) assert.match(inFence((await world.call(tool.name)).output), /^did /);
  const evil = own.find(({ description }) => description.includes("visible"));
  assert.match(evil?.description ?? "", /^In\\u\{202E\}visible\\u\{7\} \\u\{1B\}\[31mwords\n/);
});

test("an idle server is ended after ten minutes and started again by the next call", async () => {
  const clock = longWaits();
  await using world = await mcpWorld({ s: badProgram("plain") }, { clock });
  await world.ready();
  assert.equal(world.registered.size, 1);
  await clock.advance(9 * 60_000);
  await world.call("mcp__s__work");
  await clock.advance(9 * 60_000);
  assert.equal(world.registered.size, 1);
  await clock.advance(2 * 60_000);
  await until(() => world.registered.size === 0);
  assert.deepEqual(world.servers.servers.get("s")?.state(), { state: "not started" });
  assert.equal(inFence((await world.call("mcp__s__work")).output), "did work");
});

test("a turn waits no longer than it should for a server that is slow to start, and a later one has its tools", async () => {
  const clock = longWaits();
  await using world = await mcpWorld(
    { slow: badProgram("mute"), s: badProgram("plain") },
    { clock, waitMs: 15_000 },
  );
  const ready = world.ready();
  await until(() => world.servers.servers.get("s")?.state().state === "ready");
  await until(() => world.registered.size === 2);
  await clock.advance(15_000);
  assert.deepEqual(await ready, [
    "The MCP server slow is still starting; its tools come with the next message.",
  ]);
  assert.deepEqual(await world.names(), ["mcp__s__work"]);
  assert.equal((await world.ready()).length, 1, "the second turn does not wait for it again");
});

test("a server that does not listen to being ended is killed", async () => {
  const world = await mcpWorld({ deaf: badProgram("deaf") });
  await world.ready();
  assert.equal((await left()).length, 1);
  await world[Symbol.asyncDispose]();
  assert.deepEqual(await left(), []);
  assert.equal(world.registered.size, 0);
});

test("a server that is being started when all ends is ended too", async () => {
  const world = await mcpWorld({ mute: badProgram("mute") });
  const ready = world.ready().catch(() => {}); // its store will be closed
  await until(() => world.registered.size === 1);
  await world[Symbol.asyncDispose]();
  await ready;
  assert.deepEqual(await left(), []);
});

test("a server whose tools the person switched off is not started for a turn", async () => {
  await using world = await mcpWorld(
    { "my files": badProgram("plain") },
    { isOff: (set) => set === "mcp-my files" },
  );
  assert.deepEqual(await world.ready(), []);
  assert.equal(world.registered.size, 0);
  assert.deepEqual(await world.names(), []);
});
