import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredKey } from "../../core/access.ts";
import { asId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import { heard } from "./http-edge.suite.ts";
import { type ModelWorld, modelWorld } from "./model-world.suite.ts";

const added = (world: ModelWorld, budget?: StoredKey["budget"]) =>
  world.host
    .as(localOwner("cli"))
    .call("keys.add", { name: "visitor", scopes: ["operate"], ...(budget === undefined ? {} : { budget }) });

const inboxOf = (run: string) => asId<"inb">(run.replace("run_", "inb_"));

test("a key that is revoked: its turn is stopped, what waits is set aside, its stream says why", async (t) => {
  const world = await modelWorld(t, [{ when: "wait", reply: [{ hang: true }] }]);
  const owner = world.host.as(localOwner("cli"));
  const { id, key } = await added(world);
  const stream = await world.request("/v1/chat/completions", {
    key,
    json: { model: "talaria", stream: true, messages: [{ role: "user", content: "wait" }] },
    headers: { "X-Talaria-Session": "mine" },
  });
  const events = heard(stream);
  await events.next();
  await world.model.waitForRequest(1);
  const queued = await world.request("/v1/runs", {
    key,
    json: { input: "and then", conversation: "mine" },
  });
  const { id: run, session } = (await queued.json()) as { readonly id: string; readonly session: string };
  assert.equal(stream.headers.get("x-talaria-session"), session);
  await owner.call("keys.revoke", { id });
  const rest = await Array.fromAsync(events);
  assert.match(String(rest.at(-1)?.data), /"error":\{.*revoked/);
  const waited = await owner.call("turns.wait", { inbox: inboxOf(run) });
  assert.match(waited?.fault?.message ?? "", /not started: the key visitor was revoked/);
  assert.equal((await owner.call("inputs.get", { inbox: inboxOf(run) })).state, "kept");
  const turns = await Array.fromAsync(owner.call("events.follow", { of: "all", after: "start", once: true }));
  const ended = turns.filter(({ type }) => type === "ended") as unknown as readonly {
    readonly outcome: string;
  }[];
  assert.deepEqual(
    ended.map(({ outcome }) => outcome),
    ["failed"],
  );
  assert.equal(world.model.total, 1, "what waited asked no model");
});

test("what a key may use is looked at again when a turn begins, and while it runs: what waits ends as quota", async (t) => {
  const call = { tool: "terminal", args: { command: "rm -rf /tmp/talaria-nothing-here-at-all" } };
  const world = await modelWorld(t, [
    { when: "first", reply: [{ call }, { usage: { input: 15_000, output: 0 } }] },
    { when: "first", reply: [{ call }, { usage: { input: 10_000, output: 0 } }] },
  ]);
  const owner = world.host.as(localOwner("cli"));
  const { key } = await added(world, { tokens: 20_000 });
  const begin = async (input: string) => {
    const answer = await world.request("/v1/runs", { key, json: { input, conversation: "line" } });
    return ((await answer.json()) as { readonly id: string }).id;
  };
  const first = await begin("first");
  for await (const { data } of heard(await world.request(`/v1/runs/${first}/events`, { key })))
    if (data.includes('"type":"approval"')) break;
  const sent = [first, await begin("second"), await begin("third")];
  const [asked] = await owner.call("approvals.list", { limit: 1, pending: true });
  await owner.call("approvals.answer", { approval: asked?.id ?? asId<"apr">("apr_none"), choice: "deny" });
  const ends = await Promise.all(sent.map((run) => owner.call("turns.wait", { inbox: inboxOf(run) })));
  const [cut, ...others] = ends.map((end) => end?.fault);
  assert.match(cut?.message ?? "", /was ended: .* its key had 20,?000 tokens left/);
  for (const fault of others) assert.match(fault?.message ?? "", /not started: its key has used up/);
  assert.equal(world.model.total, 2);
  const read = await world.request(`/v1/runs/${sent[2]}`, { key });
  const { status, error } = (await read.json()) as { status: string; error: { code: string } };
  assert.deepEqual([status, error.code], ["failed", "quota"]);
});

test("a turn that runs is counted before it has used anything: another one begins only if there is room", async (t) => {
  const world = await modelWorld(t, [{ when: "wait", reply: [{ hang: true }] }]);
  const { key } = await added(world, { tokens: 5000 });
  const ask = (content: string, signal?: AbortSignal) =>
    world.request("/v1/chat/completions", {
      key,
      json: { model: "talaria", messages: [{ role: "user", content }] },
      ...(signal === undefined ? {} : { signal }),
    });
  const left = new AbortController();
  const first = ask("wait", left.signal).catch(() => undefined);
  await world.model.waitForRequest(1);
  const second = await ask("go");
  assert.equal(second.status, 429);
  assert.match(await second.text(), /set aside for turns that run/);
  left.abort();
  await first;
});

test("a key of the settings is revoked there, and a browser's name controls no terminal", async (t) => {
  const settings = "http:\n  keys:\n    script:\n      key_env: SCRIPT_KEY\n";
  const world = await modelWorld(t, [], { settings, env: { SCRIPT_KEY: "a key that is long enough" } });
  const owner = world.host.as(localOwner("cli"));
  await assert.rejects(owner.call("keys.revoke", { id: "script" }), /one of the settings, in config\.yaml/);
  await assert.rejects(owner.call("devices.add", { port: 1, name: "a\u001b[2J" }), /cannot be called/);
});
