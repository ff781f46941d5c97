import assert from "node:assert/strict";
import { connect } from "node:net";
import { type TestContext, after, before, describe, test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import { heard } from "./http-edge.suite.ts";
import { type ModelWorld, modelWorld } from "./model-world.suite.ts";

type Run = { readonly id: string; readonly session: string; readonly asks: readonly { approval: string }[] };

const chat = (content: string) => ({ model: "talaria", messages: [{ role: "user", content }] });

describe("what a request says is done, or refused", () => {
  const ends: (() => Promise<void>)[] = [];
  const t = { after: (end: () => Promise<void>) => void ends.unshift(end) } as unknown as TestContext;
  const call = { tool: "terminal", args: { command: "rm -rf /tmp/talaria-nothing-here-at-all" } };
  let world: ModelWorld;
  let key: string;
  before(async () => {
    world = await modelWorld(t, [
      { when: "hang", reply: [{ hang: true }] },
      { when: "hang", reply: [{ hang: true }] },
      { when: "remove", reply: [{ call }] },
      { when: "remove", reply: [{ text: "Not done." }] },
    ]);
    key = await world.key("operate", "approve");
  });
  after(async () => {
    for (const end of ends) await end();
  });
  const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
    world.request(path, { key, json, headers });
  const status = async (path: string, json: unknown, headers: Record<string, string> = {}) => {
    const answer = await post(path, json, headers);
    await answer.text();
    return answer.status;
  };
  const begun = async (json: object) => (await (await post("/v1/runs", json)).json()) as Run;
  /** What is wrong with it. */
  const param = async (json: object): Promise<unknown> => {
    const answer = await world.request("/v1/runs", { key, json });
    const { error } = (await answer.json()) as { error?: { param?: string } };
    return [answer.status, error?.param];
  };
  const eventsOf = async (run: string, headers: Record<string, string> = {}) =>
    heard(await world.request(`/v1/runs/${run}/events`, { key, headers }));

  for (const [path, body] of [
    ["/v1/chat/completions", chat("hang")],
    ["/v1/responses", { model: "talaria", input: "hang" }],
  ] as const)
    test(`on_disconnect: stop ends the turn of ${path} without a stream`, { timeout: 20_000 }, async () => {
      const left = new AbortController();
      const watched = new AbortController();
      const owner = world.host.as(localOwner("cli"));
      const followed = owner.call("events.follow", { of: "all" }, watched.signal);
      const all = followed[Symbol.asyncIterator]();
      await all.next();
      const asked = world.request(path, {
        key,
        json: { ...body, on_disconnect: "stop" },
        signal: left.signal,
      });
      await world.model.waitForRequest(world.model.total + 1);
      left.abort();
      await assert.rejects(asked);
      let event = await all.next();
      while (event.value?.type !== "ended") event = await all.next();
      assert.equal((event.value as { readonly outcome?: string }).outcome, "interrupted");
      watched.abort();
    });

  test("the same request again is the same answer on every route, and an empty name of one is refused", async () => {
    const sofar = world.model.total;
    const headers = { "Idempotency-Key": "C1" };
    const first = await (await post("/v1/chat/completions", chat("once"), headers)).json();
    const again = await (await post("/v1/chat/completions", chat("once"), headers)).json();
    assert.equal((again as { id: string }).id, (first as { id: string }).id);
    const streamed = await post(
      "/v1/responses",
      { model: "talaria", input: "once", stream: true },
      { "Idempotency-Key": "C2" },
    );
    const said = await streamed.text();
    const same = await post(
      "/v1/responses",
      { model: "talaria", input: "once", stream: true },
      { "Idempotency-Key": "C2" },
    );
    assert.match(said, /response\.completed/);
    assert.match(await same.text(), /"text":"Yes\."/);
    assert.equal(world.model.total, sofar + 2);
    assert.equal(await status("/v1/responses", { model: "talaria", input: "once" }, headers), 409);
    for (const path of ["/v1/runs", "/v1/responses"])
      assert.equal(await status(path, { model: "talaria", input: "x" }, { "Idempotency-Key": "" }), 400);
  });

  test("the id of a session as `conversation` is that session, or nothing; two names are refused", async () => {
    const { session } = await begun({ input: "my name is Carl" });
    assert.equal((await begun({ input: "who am I?", conversation: session })).session, session);
    const there = await post("/v1/responses", { model: "talaria", input: "and now?", conversation: session });
    assert.equal(there.headers.get("x-talaria-session"), session);
    assert.equal(await status("/v1/runs", { input: "x", conversation: "ses_0000000000none" }), 404);
    const two = { "X-Talaria-Session": "one" };
    assert.equal(await status("/v1/runs", { input: "x", conversation: "another" }, two), 400);
    assert.equal(
      await status("/v1/chat/completions", chat("x"), { ...two, "X-OpenWebUI-Chat-Id": "another" }),
      400,
    );
  });

  test("a message without anything in it is refused", async () => {
    for (const input of ["", " \n", []]) assert.equal(await status("/v1/runs", { input }), 400);
    const silent = { model: "talaria", messages: [{ role: "user" }] };
    assert.equal(await status("/v1/chat/completions", silent), 400);
    assert.equal(await status("/v1/responses", { model: "talaria", input: " " }), 400);
  });

  test("a schema that is none, and a message that nobody could read, are refused", async () => {
    for (const schema of ["x", { type: "banana" }]) {
      assert.equal(await status("/v1/runs", { input: "x", output_schema: schema }), 400);
      const format = { type: "json_schema", name: "x", schema };
      assert.equal(await status("/v1/responses", { model: "talaria", input: "x", text: { format } }), 400);
    }
    assert.equal(await status("/v1/runs", { input: "word ".repeat(200_001) }), 400);
  });

  test("an answer that is not what its request asked for is an error, wherever it is read", async () => {
    const schema = { type: "object", required: ["answer"] };
    const format = { type: "json_schema", name: "x", schema };
    const asked = { model: "talaria", input: "x", text: { format } };
    const whole = await world.request("/v1/responses", { key, json: asked });
    const { error } = (await whole.json()) as { error: { code: string; message: string } };
    assert.deepEqual([whole.status, error.code], [502, "protocol"]);
    assert.match(error.message, /does not fit the schema that was asked for: it is no JSON/);
    const streamed = await world.request("/v1/responses", { key, json: { ...asked, stream: true } });
    assert.match(await streamed.text(), /"type":"response\.failed".*does not fit the schema/);
    const { id } = await begun({ input: "x", output_schema: schema });
    for await (const _ of await eventsOf(id)); // to its end
    const read = (await (await world.request(`/v1/runs/${id}`, { key })).json()) as Record<string, unknown>;
    assert.partialDeepStrictEqual(read, { status: "failed", output: "Yes.", error: { code: "protocol" } });
  });

  test("what is not taken is named, and a schema that answers cannot be held to is not", async () => {
    assert.deepEqual(await param({ input: "x", sparkle: 1 }), [400, "sparkle"]);
    assert.deepEqual(await param({ input: "x", output_schema: { pattern: "(a+)+$" } }), [
      400,
      "output_schema",
    ]);
  });

  test("what is no request, or has too much of a head, is answered before the connection is closed", async () => {
    const { port } = new URL(world.origin);
    const answerTo = async (text: string): Promise<string> => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.write(text);
      return (await Array.fromAsync(socket)).join("");
    };
    assert.match(await answerTo("nonsense\r\n\r\n"), /^HTTP\/1\.1 400 .*"code":"usage"/s);
    const long = `GET / HTTP/1.1\r\nX: ${"x".repeat(70_000)}\r\n\r\n`;
    assert.match(await answerTo(long), /^HTTP\/1\.1 431 .*too large/s);
  });

  test("an answer that has no effect is no 200, and says what became of it", async () => {
    const { id } = await begun({ input: "remove it" });
    let approval = "";
    for await (const { data } of await eventsOf(id))
      if (data.includes('"type":"approval"')) {
        approval = (JSON.parse(data) as { approval: { id: string } }).approval.id;
        break;
      }
    const answer = async (by: string, path: string, choice: string) => {
      const got = await world.request(path, { key: by, json: { approval, choice } });
      return [got.status, ((await got.json()) as { outcome?: string }).outcome];
    };
    const run = `/v1/runs/${id}/approval`;
    assert.deepEqual(await answer(key, run, "always"), [403, "refused"]);
    const other = await world.key("operate", "approve");
    assert.deepEqual(await answer(other, "/api/approvals.answer", "once"), [403, "refused"]);
    assert.deepEqual(await answer(key, run, "deny"), [200, "taken"]);
    assert.deepEqual(await answer(key, run, "once"), [409, "late"]);
    await Array.fromAsync(await eventsOf(id));
  });

  test(
    "a run that has ended takes nothing more, and its events end wherever one reads",
    { timeout: 20_000 },
    async () => {
      const { id } = await begun({ input: "hello" });
      const all = await Array.fromAsync(await eventsOf(id));
      const rest = await Array.fromAsync(await eventsOf(id, { "Last-Event-ID": all.at(-1)?.id ?? "" }));
      assert.equal(rest.length, 1, "only that it goes on there");
      const far = (all.at(-1)?.id ?? "").replace(/\d(?=\D*$)/, "99999999");
      await Array.fromAsync(await eventsOf(id, { "Last-Event-ID": far }));
      const bad = await world.request(`/v1/runs/${id}/events`, {
        key,
        headers: { "Last-Event-ID": "nonsense" },
      });
      assert.equal(bad.status, 400);
      assert.equal(await status(`/v1/runs/${id}/steer`, { input: "more" }), 409);
      const nobody = await world.request("/v1/runs/run_nobody", { key });
      assert.match(await nobody.text(), /There is no run run_nobody/);
    },
  );
});
