import assert from "node:assert/strict";
import { type TestContext, after, before, describe, test } from "node:test";
import OpenAI, { APIError } from "openai";
import { localOwner } from "../../core/principal.ts";
import { type ModelWorld, modelWorld } from "./model-world.suite.ts";

const story = "Once upon a time there was a pair of winged sandals.";

const say = (content: string) => [{ role: "user" as const, content }];

// OpenAI's own client for JavaScript against a real host.
describe("OpenAI's client", () => {
  const ends: (() => Promise<void>)[] = [];
  const t = { after: (end: () => Promise<void>) => void ends.unshift(end) } as unknown as TestContext;
  let world: ModelWorld;
  let client: OpenAI;
  before(async () => {
    const told = { when: "story", reply: [{ text: story, chunks: 6 }, { usage: { input: 50, output: 12 } }] };
    world = await modelWorld(
      t,
      [
        ...Array.from({ length: 12 }, () => told),
        ...Array.from({ length: 3 }, () => ({
          when: "fail",
          reply: [{ http: { status: 400, headers: {}, body: { error: { message: "no" } } } }],
        })),
      ],
      { settings: "http:\n  model_aliases: [gpt-4o]\n" },
    );
    client = new OpenAI({ apiKey: await world.key("operate"), baseURL: `${world.origin}/v1`, maxRetries: 0 });
  });
  after(async () => {
    for (const end of ends) await end();
  });

  test("lists the models, and finds one by its name", async () => {
    const ids = (await Array.fromAsync(client.models.list())).map(({ id }) => id);
    assert.deepEqual(ids, ["talaria", "big", "small", "gpt-4o"]);
    assert.equal((await client.models.retrieve("small")).id, "small");
    await assert.rejects(client.models.retrieve("gpt-9"), (error: APIError) => error.status === 404);
  });

  test("holds a chat: an answer with usage, and what is not supported is refused by name", async () => {
    const answer = await client.chat.completions.create({
      model: "gpt-4o",
      messages: say("a story, please"),
    });
    assert.equal(answer.choices[0]?.message.content, story);
    assert.equal(answer.choices[0]?.finish_reason, "stop");
    assert.deepEqual([answer.usage?.prompt_tokens, answer.usage?.completion_tokens], [50, 12]);
    const tools = [{ type: "function" as const, function: { name: "f", parameters: {} } }];
    const refused = { model: "talaria", messages: say("hi") };
    for (const [param, fields] of Object.entries({
      tools: { tools },
      n: { n: 2 },
      stop: { stop: "x" },
      logprobs: { logprobs: true },
    }))
      await assert.rejects(
        client.chat.completions.create({ ...refused, ...fields }),
        (error: APIError) => error.status === 400 && error.param === param,
      );
    await assert.rejects(
      client.chat.completions.create({ ...refused, model: "gpt-3" }),
      /talaria, big, small, gpt-4o/,
    );
  });

  test("streams it: who speaks, the words once, how it ended, usage", async () => {
    const stream = await client.chat.completions.create({
      model: "talaria",
      messages: say("a story again"),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    assert.equal(chunks[0]?.choices[0]?.delta.role, "assistant");
    assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), story);
    assert.ok(chunks.filter(({ choices }) => choices[0]?.delta.content).length > 1, "in pieces");
    assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, "stop");
    assert.deepEqual([chunks.at(-1)?.choices, chunks.at(-1)?.usage?.completion_tokens], [[], 12]);
  });

  test("tools: [] is a turn without tools, and fields without effect are named", async () => {
    const sofar = world.model.total;
    const { data, response } = await client.chat.completions
      .create({ model: "talaria", messages: say("plainly"), tools: [], temperature: 0.5 })
      .withResponse();
    assert.equal(data.choices[0]?.message.content, "Yes.");
    assert.equal(response.headers.get("x-talaria-without-effect"), "temperature");
    const [asked] = world.model.requests.slice(sofar);
    assert.ok(!/"tools":\[\{/.test(JSON.stringify(asked?.body)));
  });

  test("a client that leaves at any chunk leaves the turn as it is", async () => {
    for (let leaveAt = 1; leaveAt <= 4; leaveAt += 1) {
      const { data: stream, response } = await client.chat.completions
        .create({ model: "talaria", messages: say(`a story ${leaveAt}`), stream: true })
        .withResponse();
      let seen = 0;
      for await (const { object } of stream) if (object !== undefined && (seen += 1) === leaveAt) break;
      const session = response.headers.get("x-talaria-session") ?? "";
      const owner = world.host.as(localOwner("cli"));
      const events = owner.call("events.follow", { of: { session: session as never }, after: "start" });
      for await (const event of events) {
        if (event.type !== "ended") continue;
        assert.deepEqual([event.outcome, event.text], ["done", story]);
        break;
      }
    }
  });

  test("responses go on from the one before, which the model is told whole", async () => {
    const first = await client.responses.create({
      model: "talaria",
      input: "My owl is called Bubo.",
      instructions: "Be brief.",
    });
    assert.equal(first.output_text, "Yes.");
    const second = await client.responses.create({
      model: "talaria",
      input: "What is it called?",
      previous_response_id: first.id,
    });
    assert.equal(second.status, "completed");
    const asked = JSON.stringify(world.model.requests.at(-1)?.body);
    assert.match(asked, /Be brief/);
    assert.match(asked, /Bubo[\s\S]*What is it called/);
    await assert.rejects(
      client.responses.create({ model: "talaria", input: "and?", previous_response_id: "resp_nobody" }),
      (error: APIError) => error.status === 404,
    );
    assert.equal((await client.responses.retrieve(second.id)).output_text, "Yes.");
  });

  const goOn = async (input: string, previous?: string) => {
    const from = previous === undefined ? {} : { previous_response_id: previous };
    const made = client.responses.create({ model: "talaria", input, ...from });
    const { data, response } = await made.withResponse();
    return { id: data.id, session: response.headers.get("x-talaria-session") };
  };

  test("any answer can be gone on from: behind one that has a successor it is a copy, and nothing is mixed", async () => {
    const first = await goOn("My cat is called Felis.");
    const second = await goOn("It is grey.", first.id);
    assert.equal(second.session, first.session);
    const [one, other] = await Promise.all([goOn("It is old.", second.id), goOn("It is young.", second.id)]);
    assert.deepEqual(
      [one.session, other.session].filter((session) => session === first.session).length,
      1,
      "one of two at once goes on in place, the other in a copy",
    );
    const branch = await goOn("What colour is it?", first.id);
    assert.notEqual(branch.session, first.session);
    const asked = JSON.stringify(world.model.requests.at(-1)?.body);
    assert.match(asked, /Felis[\s\S]*What colour/);
    assert.doesNotMatch(asked, /It is (?:grey|old|young)/);
    assert.equal((await goOn("And its tail?", branch.id)).session, branch.session);
    const [row] = await world.host.as(localOwner("cli")).call("sessions.list", { limit: 1 });
    assert.deepEqual([row?.id, row?.mark, row?.surface], [branch.session, "ephemeral", "api"]);
  });

  test("a response is deleted for good when its session has nothing else", async () => {
    const only = await client.responses.create({ model: "talaria", input: "forget me" });
    await client.responses.delete(only.id);
    await assert.rejects(client.responses.retrieve(only.id), (error: APIError) => error.status === 404);
    await assert.rejects(client.responses.delete(only.id), (error: APIError) => error.status === 404);
    const first = await client.responses.create({ model: "talaria", input: "one" });
    await client.responses.create({ model: "talaria", input: "two", previous_response_id: first.id });
    await assert.rejects(
      client.responses.delete(first.id),
      (error: APIError) => error.status === 409 && /sessions delete/.test(JSON.stringify(error.error)),
    );
    assert.equal((await client.responses.retrieve(first.id)).output_text, "Yes.");
    const others = new OpenAI({
      apiKey: await world.key("operate"),
      baseURL: `${world.origin}/v1`,
      maxRetries: 0,
    });
    await assert.rejects(others.responses.delete(first.id), (error: APIError) => error.status === 404);
  });

  test("what a field deep in a request does is not left open either", async () => {
    const named = async (path: "chat/completions" | "responses", fields: object) => {
      const body = path === "responses" ? { input: "hi" } : { messages: say("hi") };
      const response = await fetch(`${world.origin}/v1/${path}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${client.apiKey}`, "Content-Type": "application/json" },
        body: JSON.stringify({ model: "talaria", ...body, ...fields }),
      });
      const { error } = (await response.json()) as { readonly error?: { readonly param?: string } };
      return response.status === 400
        ? `400 ${error?.param}`
        : response.headers.get("x-talaria-without-effect");
    };
    const chat = (fields: object) => named("chat/completions", fields);
    const responses = (fields: object) => named("responses", fields);
    const schema = { type: "object" };
    assert.equal(await chat({ stream_options: { include_usage: true } }), "stream_options.include_usage");
    assert.equal(await chat({ stream_options: { sparkle: true } }), "400 stream_options.sparkle");
    assert.equal(await chat({ messages: [{ role: "user", name: "Ann", content: "hi" }] }), "messages.name");
    assert.equal(
      await chat({
        response_format: { type: "json_schema", json_schema: { name: "n", schema, strict: true } },
      }),
      "response_format.json_schema.name",
    );
    assert.equal(await chat({ response_format: { type: "json_object" } }), "400 response_format.type");
    assert.equal(
      await chat({ messages: [{ role: "assistant", audio: { id: "a" } }, ...say("hi")] }),
      "400 messages.0.audio",
    );
    assert.equal(
      await responses({ stream_options: { include_obfuscation: true } }),
      "stream_options.include_obfuscation",
    );
    assert.equal(await responses({ reasoning: { effort: "low", summary: "auto" } }), "reasoning.summary");
    assert.equal(await responses({ text: { verbosity: "low", colour: "red" } }), "400 text.colour");
    assert.equal(
      await responses({ input: [{ type: "item_reference", id: "msg_1" }, ...say("hi")] }),
      "400 input",
    );
    assert.equal(
      await responses({ conversation: "a", previous_response_id: "resp_b" }),
      "400 previous_response_id",
    );
    assert.equal(
      await responses({ input: [{ type: "reasoning", id: "r", summary: [] }, ...say("hi")] }),
      "input.reasoning",
    );
  });

  test("calls that another model made in a conversation are told with it", async () => {
    const call = {
      type: "function_call" as const,
      call_id: "c1",
      name: "weather",
      arguments: '{"at":"Rome"}',
    };
    await client.responses.create({
      model: "talaria",
      input: [
        ...say("Rome?"),
        call,
        { type: "function_call_output", call_id: "c1", output: "rain" },
        ...say("And?"),
      ],
    });
    assert.match(
      JSON.stringify(world.model.requests.at(-1)?.body),
      /called weather with [\s\S]*Rome[\s\S]*tool: rain/,
    );
    const tool_calls = [
      { id: "c1", type: "function" as const, function: { name: "weather", arguments: "{}" } },
    ];
    const messages = [
      ...say("Rome?"),
      { role: "assistant" as const, content: null, tool_calls },
      { role: "tool" as const, tool_call_id: "c1", content: "sun" },
      ...say("And?"),
    ];
    await client.chat.completions.create({ model: "talaria", messages });
    assert.match(JSON.stringify(world.model.requests.at(-1)?.body), /called weather[\s\S]*tool: sun/);
  });

  test("says what can be counted on", async () => {
    const said: Record<string, unknown> = await client.get("/capabilities");
    assert.deepEqual(
      [said["object"], said["client_tools"], (said["key"] as { readonly scopes: unknown }).scopes],
      ["capabilities", false, ["read", "operate"]],
    );
    assert.ok((said["endpoints"] as string[]).includes("DELETE /v1/responses/:id"));
  });

  test("a response streams its items in order, with exactly one end", async () => {
    const stream = await client.responses.create({
      model: "talaria",
      input: "a story streamed",
      stream: true,
    });
    const events = await Array.fromAsync(stream);
    const types = events.map(({ type }) => type);
    assert.deepEqual(types.slice(0, 4), [
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
    ]);
    assert.deepEqual(
      types.filter((type) => /completed|failed|incomplete/.test(type)),
      ["response.completed"],
    );
    assert.equal(types.at(-1), "response.completed");
    const deltas = events.flatMap((event) =>
      event.type === "response.output_text.delta" ? [event.delta] : [],
    );
    assert.equal(deltas.join(""), story);
    const last = events.at(-1);
    assert.deepEqual(last?.type === "response.completed" && last.response.usage?.total_tokens, 62);
    assert.deepEqual(
      events.map((event) => (event as { sequence_number: number }).sequence_number),
      events.map((_, at) => at),
    );
  });

  test("what goes wrong comes as an error, in a stream too", async () => {
    await assert.rejects(
      client.chat.completions.create({ model: "talaria", messages: say("fail") }),
      APIError,
    );
    const stream = await client.chat.completions.create({
      model: "talaria",
      messages: say("fail"),
      stream: true,
    });
    await assert.rejects(Array.fromAsync(stream), APIError);
    const events = await client.responses.create({ model: "talaria", input: "fail", stream: true });
    assert.equal((await Array.fromAsync(events)).at(-1)?.type, "response.failed");
  });

  test("a key finds only what it has said itself", async () => {
    const { response } = await client.chat.completions
      .create({ model: "talaria", messages: say("mine") })
      .withResponse();
    const session = response.headers.get("x-talaria-session") ?? "";
    const other = new OpenAI({
      apiKey: await world.key("operate"),
      baseURL: `${world.origin}/v1`,
      maxRetries: 0,
    });
    const goOnBy = (by: OpenAI) =>
      by.chat.completions.create(
        { model: "talaria", messages: say("on") },
        { headers: { "X-Talaria-Session": session } },
      );
    await assert.rejects(goOnBy(other), (error: APIError) => error.status === 404);
    assert.equal((await goOnBy(client)).choices[0]?.message.content, "Yes.");
    const [row] = await world.host.as(localOwner("cli")).call("sessions.list", { limit: 1 });
    assert.deepEqual(
      [row?.id, row?.mark, row?.audience, row?.surface],
      [session, "ephemeral", "members", "api"],
    );
  });
});
