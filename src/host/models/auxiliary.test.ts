import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { AuxiliaryCall } from "../../core/auxiliary.ts";
import { newId } from "../../core/ids.ts";
import type { StoredUsage } from "../../core/usage.ts";
import { systemClock } from "../../lib/clock.ts";
import { converse } from "../../models/converse.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import { type AuxiliaryDeps, auxiliary } from "./auxiliary.ts";

const never = new AbortController().signal;
const schema = { type: "object", properties: { title: { type: "string" } } };
const session = newId("ses", 1);
const call: AuxiliaryCall = {
  task: "title_generation",
  instructions: "Name it.",
  input: "red boats",
  outputSchema: schema,
  session,
};

describe("a small task", { timeout: 60_000 }, () => {
  test("on a route: one short request, the answer, and a row in the ledger", async () => {
    await using it = await opened([{ reply: [{ text: '{"title":"Boats"}' }] }]);
    const answer = await it.ask(call, never);
    assert.ok("text" in answer, JSON.stringify(answer));
    assert.deepEqual([answer.text, answer.provider, answer.model], ['{"title":"Boats"}', "mine", "small"]);
    const body = it.model.requests[0]?.body ?? {};
    assert.equal(body["instructions"], "Name it.");
    assert.equal(body["tools"], undefined);
    assert.match(JSON.stringify(body["text"]), /json_schema/);
    const { usage } = answer;
    assert.ok(usage !== undefined && usage.input > 0);
    const { input, cached, output, reasoning } = usage;
    assert.deepEqual(it.rows, [
      {
        at: it.rows[0]?.at,
        session,
        cause: "title_generation",
        runtime: "loop",
        provider: "mine",
        model: "small",
        input,
        cached,
        output,
        reasoning,
      },
    ]);
  });

  for (const protocol of ["responses", "chat"] as const)
    test(`pictures go along as parts of what the person says (${protocol})`, async () => {
      await using it = await opened([{ reply: [{ text: "A boat." }] }], { protocol });
      const images = [{ mediaType: "image/png", base64: "AAAA" }];
      const { outputSchema: _, ...plain } = call;
      assert.ok("text" in (await it.ask({ ...plain, task: "vision", input: "What is it?", images }, never)));
      const body = it.model.requests[0]?.body ?? {};
      const said = (body[protocol === "chat" ? "messages" : "input"] as readonly { content: unknown }[]).at(
        -1,
      );
      const url = "data:image/png;base64,AAAA";
      const parts = {
        responses: [
          { type: "input_text", text: "What is it?" },
          { type: "input_image", image_url: url },
        ],
        chat: [
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url } },
        ],
      };
      assert.deepEqual(said?.content, parts[protocol]);
      assert.partialDeepStrictEqual(it.rows, [
        { cause: "vision", session, provider: "mine", model: "small" },
      ]);
    });

  test("a server that does not take a schema is asked in words", async () => {
    const refusal = { http: { status: 400, body: { error: { message: "unknown field text.format" } } } };
    await using it = await opened([{ reply: [refusal] }, { reply: [{ text: '{"title":"Boats"}' }] }]);
    assert.ok("text" in (await it.ask(call, never)));
    const second = it.model.requests[1]?.body ?? {};
    assert.equal(second["text"], undefined);
    assert.match(String(second["instructions"]), /Name it\.[^]*JSON[^]*"title"/);
  });

  test("a refusal is told with its reason, and is in the ledger", async () => {
    await using it = await opened([{ reply: [{ http: { status: 401 } }] }]);
    const answer = await it.ask(call, never);
    assert.match("unavailable" in answer ? answer.unavailable : "", /did not accept a request without a key/);
    assert.partialDeepStrictEqual(it.rows, [{ cause: "title_generation", input: 0, output: 0 }]);
  });

  test("half an answer is none", async () => {
    const early = { code: "refused", message: "It ended early.", next: "" } as const;
    await using it = await opened([], {
      converse: async function* () {
        yield { type: "item", item: { kind: "text", item: 0, text: "The summ" } };
        yield { type: "completed", skipped: 0, early };
      },
    });
    assert.deepEqual(await it.ask(call, never), { unavailable: "It ended early." });
  });

  test("has its time, retries included, and then it is over", async () => {
    const clock = fakeClock();
    await using it = await opened([{ reply: [{ text: "Let me" }, { hang: true }] }], { clock });
    const answer = it.ask(call, never);
    await it.model.waitForRequest(1);
    await clock.advance(29_999);
    assert.equal(await Promise.race([answer, settled()]), undefined);
    await clock.advance(1);
    assert.deepEqual(await answer, { unavailable: "There was no answer within 30 seconds." });
    assert.equal(clock.pending(), 0, "no timer is left");
  });

  test("is given up with its caller, before it begins and while it runs", async () => {
    await using it = await opened([{ reply: [{ text: "Let me" }, { hang: true }] }]);
    const stop = new AbortController();
    const answer = it.ask(call, stop.signal);
    await it.model.waitForRequest(1);
    stop.abort();
    assert.ok("unavailable" in (await answer));
    assert.ok("unavailable" in (await it.ask(call, stop.signal)));
    assert.equal(it.model.total, 1);
  });

  test("never rejects: without a place, and when a part of it fails", async () => {
    const fault = { code: "auth", message: "no key is set", next: "" } as const;
    const clock = fakeClock();
    await using none = await opened([], { targetFor: async () => ({ none: fault }), clock });
    assert.deepEqual(await none.ask(call, never), { unavailable: "no key is set" });
    assert.equal(clock.pending(), 0, "no timer is left");
    assert.deepEqual(none.rows, []);
    await using broken = await opened([], {
      targetFor: () => Promise.reject(new Error("settings are gone")),
    });
    assert.match(JSON.stringify(await broken.ask(call, never)), /settings are gone/);
    const log: string[] = [];
    await using full = await opened([{ reply: [{ text: "ok" }] }], {
      record: () => Promise.reject(new Error("disk full")),
      log: (line) => log.push(line),
    });
    assert.ok("text" in (await full.ask(call, never)), "the answer counts, whatever becomes of the row");
    assert.match(log.join(), /title_generation.*disk full/);
  });

  test("asks nobody when the budget of the session or the day is used up, and says so", async () => {
    const asked: unknown[] = [];
    const spent = { code: "quota", message: "The day's budget is used up.", next: "Wait." } as const;
    await using it = await opened([{ reply: [{ text: "ok" }] }], {
      async usedUp(whose) {
        asked.push(whose);
        return spent;
      },
    });
    assert.deepEqual(await it.ask(call, never), { unavailable: spent.message });
    assert.deepEqual([asked, it.model.requests.length, it.rows], [[call.session], 0, []]);
  });

  test("on codex: with the provider and model of the settings, and a row that says so", async () => {
    const usage = { input: 9, cached: 0, output: 2, reasoning: 1, context: { used: 11 } };
    const asked: unknown[] = [];
    await using it = await opened([], {
      targetFor: async () => ({ codex: { provider: "openai-codex", model: "tiny" } }),
      askCodex: async (...[provider, question]) => {
        asked.push([provider, question]);
        return { text: "yes", model: "tiny", usage };
      },
    });
    const { outputSchema: _, ...plain } = call;
    const images = [{ mediaType: "image/png", base64: "AAAA" }];
    const answer = await it.ask({ ...plain, task: "goal_judge", images }, never);
    assert.deepEqual(answer, { text: "yes", provider: "openai-codex", model: "tiny", usage });
    assert.deepEqual(asked, [
      ["openai-codex", { instructions: "Name it.", input: "red boats", images, model: "tiny" }],
    ]);
    assert.partialDeepStrictEqual(it.rows, [
      {
        cause: "goal_judge",
        runtime: "codex",
        provider: "openai-codex",
        model: "tiny",
        input: 9,
        reasoning: 1,
      },
    ]);
  });

  test("the built-in model makes titles of first words, and allows nothing", async () => {
    await using demo = await startDemoModel({ clock: systemClock });
    const targetFor: AuxiliaryDeps["targetFor"] = async () => ({
      route: { name: "demo", protocol: "responses", url: demo.url, headers: {}, model: "demo" },
    });
    await using it = await opened([], { targetFor });
    const input = JSON.stringify({ user: "Where are the red boats, and why? Tell me.", assistant: "Here." });
    const title = await it.ask({ ...call, input }, never);
    assert.equal("text" in title && title.text, '{"title":"Where are the red boats and"}');
    const properties = { risk: {}, why: {} };
    const verdict = await it.ask({ ...call, task: "approval", outputSchema: { properties } }, never);
    assert.match("text" in verdict ? verdict.text : "", /"risk":"other"/);
  });
});

type Protocol = "responses" | "chat";

const settled = (): Promise<undefined> => new Promise((resolve) => setImmediate(() => resolve(undefined)));

async function opened(
  steps: readonly object[],
  { protocol = "responses", ...also }: Partial<AuxiliaryDeps> & { readonly protocol?: Protocol } = {},
) {
  const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });
  const rows: StoredUsage[] = [];
  const route = { name: "mine", protocol, url: model.url, headers: {}, model: "small" };
  const ask = auxiliary({
    targetFor: async () => ({ route }),
    converse,
    askCodex: () => Promise.reject(new Error("not here")),
    usedUp: async () => undefined,
    record: async (row) => void rows.push(row),
    clock: systemClock,
    log: () => {},
    ...also,
  });
  return { ask, model, rows, [Symbol.asyncDispose]: () => model[Symbol.asyncDispose]() };
}
