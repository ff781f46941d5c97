import assert from "node:assert/strict";
import { type TestContext, after, before, describe, test } from "node:test";
import { localOwner } from "../../core/principal.ts";
import { heard } from "./http-edge.suite.ts";
import { type ModelWorld, modelWorld } from "./model-world.suite.ts";

type Completion = { readonly choices: readonly { readonly message: { readonly content: string } }[] };

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

const body = (messages: readonly object[]) => ({
  model: "talaria",
  user: "66f0",
  stream: false,
  messages,
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
});

// Requests with the fields and headers that these programs send.
describe("chat programs", () => {
  const ends: (() => Promise<void>)[] = [];
  const t = { after: (end: () => Promise<void>) => void ends.unshift(end) } as unknown as TestContext;
  let world: ModelWorld;
  let key: string;
  before(async () => {
    world = await modelWorld(t, [{ when: "### Task", reply: [{ text: '{ "title": "Owls" }' }] }]);
    key = await world.key("operate");
  });
  after(async () => {
    for (const end of ends) await end();
  });
  const sessions = () => world.host.as(localOwner("cli")).call("sessions.list", { limit: 50 });
  const asked = () => JSON.stringify(world.model.requests.at(-1)?.body);

  test("Open WebUI: one chat is one session, its title is asked beside it, a changed past is another session", async () => {
    const chat = async (messages: readonly object[], more: object = {}) => {
      const answer = await world.request("/v1/chat/completions", {
        key,
        json: { model: "talaria", stream: true, messages, ...more },
        headers: {
          "X-OpenWebUI-Chat-Id": "3b1f",
          "X-OpenWebUI-User-Name": "Ada",
          "X-OpenWebUI-User-Role": "admin",
        },
      });
      assert.equal(answer.status, 200);
      const all = await Array.fromAsync(heard(answer));
      assert.equal(all.at(-1)?.data, "[DONE]");
      return answer.headers.get("x-talaria-session") ?? "";
    };
    const listed = (await sessions()).length;
    const system = { role: "system", content: "You are in the kitchen." };
    const first = await chat([system, user("Do owls eat mice?")]);
    const title = await chat(
      [
        user(
          '### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Output:\nJSON format: { "title": "…" }\n### Chat History:\n<chat_history>\nUSER: Do owls eat mice?\nASSISTANT: Yes.\n</chat_history>',
        ),
      ],
      { max_completion_tokens: 1000 },
    );
    assert.match(asked(), /"model":"small"/);
    const second = await chat([system, user("Do owls eat mice?"), assistant("Yes."), user("And hares?")]);
    assert.deepEqual([second === first, title === first], [true, false]);
    assert.equal(asked().split("Do owls eat mice?").length, 2, "said once");
    assert.equal(asked().split("in the kitchen").length, 2, "told once");
    const edited = await chat([system, user("Do cats eat mice?"), assistant("Yes."), user("And hares?")]);
    assert.notEqual(edited, first);
    assert.match(asked(), /What was said before[\s\S]*Do cats eat mice/);
    assert.ok(!asked().includes("Do owls"), "nothing is mixed");
    assert.equal((await sessions()).length, listed + 2, "the title's is in no list");
    const hidden = await world.host.as(localOwner("cli")).call("sessions.get", { session: title });
    assert.equal(hidden.mark, "hidden");
  });

  test("LibreChat: the conversation that its settings name, and its agents' tools are refused with the reason", async () => {
    const headers = { "X-Talaria-Session": "b2c9-4e1a" };
    const first = await world.request("/v1/chat/completions", { key, headers, json: body([user("hello")]) });
    assert.equal(((await first.json()) as Completion).choices[0]?.message.content, "Yes.");
    assert.match(first.headers.get("x-talaria-without-effect") ?? "", /user.*temperature|temperature.*user/s);
    const again = await world.request("/v1/chat/completions", {
      key,
      headers,
      json: body([user("hello"), assistant("Yes."), user("more")]),
    });
    assert.equal(again.headers.get("x-talaria-session"), first.headers.get("x-talaria-session"));
    const tools = [{ type: "function", function: { name: "web_search", parameters: { type: "object" } } }];
    const refused = await world.request("/v1/chat/completions", {
      key,
      headers,
      json: { ...body([user("x")]), tools },
    });
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /Tools of the client are not supported/);
  });

  test("Home Assistant: a streamed response with all that it sends along", async () => {
    const answer = await world.request("/v1/responses", {
      key,
      json: {
        model: "talaria",
        input: [
          { type: "message", role: "developer", content: "You are a voice assistant." },
          { type: "message", role: "user", content: "Turn on the light" },
          { type: "message", role: "assistant", content: "Done" },
          { type: "message", role: "user", content: "Thanks" },
        ],
        max_output_tokens: 3000,
        top_p: 1,
        temperature: 1,
        user: "01J9",
        store: false,
        stream: true,
        reasoning: { effort: "low", summary: "auto" },
        include: ["reasoning.encrypted_content"],
        text: { verbosity: "medium" },
      },
    });
    assert.equal(answer.status, 200);
    const types = (await Array.fromAsync(heard(answer))).map(({ event }) => event);
    assert.equal(types.at(-1), "response.completed");
    assert.match(asked(), /voice assistant[\s\S]*Turn on the light[\s\S]*Thanks/);
  });
});
