import assert from "node:assert/strict";
import { type TestContext, after, before, describe, test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import { heard } from "./http-edge.suite.ts";
import { type ModelWorld, modelWorld } from "./model-world.suite.ts";

type Ask = { readonly approval: string; readonly choices: readonly string[] };
type RunBody = {
  readonly id: string;
  readonly status: string;
  readonly session: string;
  readonly output?: string;
  readonly asks: readonly Ask[];
};

describe("runs", () => {
  const ends: (() => Promise<void>)[] = [];
  const t = { after: (end: () => Promise<void>) => void ends.unshift(end) } as unknown as TestContext;
  let world: ModelWorld;
  let key: string;
  const command = { tool: "terminal", args: { command: "rm -rf /tmp/talaria-nothing-here-at-all" } };
  before(async () => {
    world = await modelWorld(t, [
      { when: "wait", reply: [{ hang: true }] },
      { when: "remove", reply: [{ call: command }] },
      { when: "remove", reply: [{ text: "Not done." }] },
    ]);
    key = await world.key("operate", "approve");
  });
  after(async () => {
    for (const end of ends) await end();
  });
  const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
    world.request(path, { key, json, headers });
  const begin = async (json: object, headers: Record<string, string> = {}) => {
    const answer = await post("/v1/runs", json, headers);
    return { status: answer.status, run: (await answer.json()) as RunBody };
  };
  const get = async (id: string) =>
    (await (await world.request(`/v1/runs/${id}`, { key })).json()) as RunBody;
  /** Its events until one of these. */
  const until = async (id: string, ...types: readonly string[]) => {
    const all = [];
    for await (const { data, id: cursor } of heard(await world.request(`/v1/runs/${id}/events`, { key }))) {
      const event = JSON.parse(data) as { readonly type: string; readonly cursor?: string };
      assert.equal(cursor, event.cursor);
      all.push(event);
      if (types.includes(event.type)) break;
    }
    return all;
  };

  test("one is taken at once, and read when it has ended; its events come to their end by themselves", async () => {
    const { status, run } = await begin({ input: "hello" });
    assert.equal(status, 202);
    const events = await Array.fromAsync(heard(await world.request(`/v1/runs/${run.id}/events`, { key })));
    const kept = events.filter(({ id }) => id !== undefined);
    const types = events.map(({ data }) => (JSON.parse(data) as { type: string }).type);
    assert.deepEqual([types[0], types.at(-1)], ["resume", "ended"]);
    const { status: state, output } = await get(run.id);
    assert.deepEqual([state, output], ["done", "Yes."]);
    const rest = heard(
      await world.request(`/v1/runs/${run.id}/events`, {
        key,
        headers: { "Last-Event-ID": kept.at(-2)?.id ?? "" },
      }),
    );
    assert.deepEqual((await Array.fromAsync(rest)).map(({ id }) => id).slice(1), [kept.at(-1)?.id]);
  });

  test("the same request again is the same run; another one under its name is refused", async () => {
    const sofar = world.model.total;
    const headers = { "Idempotency-Key": "order 66" };
    const all = await Promise.all([1, 2, 3].map(() => begin({ input: "once" }, headers)));
    assert.equal(new Set(all.map(({ run }) => run.id)).size, 1);
    assert.deepEqual(all.map(({ status }) => status).toSorted(), [200, 200, 202]);
    await until(all[0]?.run.id ?? "", "ended");
    assert.equal(world.model.total, sofar + 1);
    const other = await post("/v1/runs", { input: "twice" }, headers);
    assert.equal(other.status, 409);
    assert.match(await other.text(), /other_request/);
  });

  test("one that works can be told more, and stopped; a stopped one cannot", async () => {
    const { run } = await begin({ input: "wait" });
    await until(run.id, "started");
    const steered = (await (await post(`/v1/runs/${run.id}/steer`, { input: "hurry" })).json()) as {
      state: string;
    };
    assert.ok(["steered", "queued"].includes(steered.state), steered.state);
    assert.equal((await post(`/v1/runs/${run.id}/stop`, {})).status, 200);
    assert.equal((await get(run.id)).status, "interrupted");
    assert.equal((await post(`/v1/runs/${run.id}/stop`, {})).status, 409);
  });

  test("what it asks is seen with it, answered with it, and by nobody who may not", async () => {
    const { run } = await begin({ input: "remove it" });
    await until(run.id, "approval");
    const { status, asks } = await get(run.id);
    assert.equal(status, "waiting_for_approval");
    const approval = asks[0]?.approval ?? "";
    const [seen] = await world.host.as(localOwner("cli")).call("approvals.list", { limit: 1, pending: true });
    assert.equal(seen?.id, approval, "visible elsewhere");
    const answer = (by: string) =>
      world.request(`/v1/runs/${run.id}/approval`, { key: by, json: { approval, choice: "deny" } });
    assert.equal((await answer(await world.key("operate", "approve"))).status, 404, "another key");
    const answered = await answer(key);
    assert.deepEqual(await answered.json(), { outcome: "taken" });
    await until(run.id, "ended");
    assert.equal((await get(run.id)).output, "Not done.");
  });
});
