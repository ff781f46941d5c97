import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pinnedCodex } from "../../../test/codex-schema/pinned-codex.ts";
import { png } from "../../../test/fakes/media-service-pictures.ts";
import { systemClock } from "../../lib/clock.ts";
import type { AppServer } from "./process/app-server.ts";
import { type EphemeralAnswer, type EphemeralQuestion, askEphemeral } from "./ephemeral.ts";
import type { CodexPlan } from "./plan.ts";
import { type AppServerPool, appServerPool } from "./process/pool.ts";
import { type RealPlace, patience, realPlace, root } from "./real-codex.suite.ts";

const soon = { signal: patience, timeoutMs: 60_000 };
const schema = {
  type: "object",
  properties: { title: { type: "string" } },
  required: ["title"],
  additionalProperties: false,
};
const titled: EphemeralQuestion = { instructions: "Name it.", input: "the words", outputSchema: schema };

describe("a question beside the conversations, on the real codex", { concurrency: 2 }, () => {
  test("is answered with what it cost, and nothing of it is left", async () => {
    await using fixture = await realPlace(pinnedCodex(), [{ reply: [{ text: '{"title":"Red boats"}' }] }]);
    await using pool = poolOf(fixture);
    using lease = await pool.lease(fixture.launch(), patience);
    const { server } = lease;
    const answer = await ask(fixture, pool, titled);
    assert.ok("text" in answer, JSON.stringify(answer));
    assert.equal(answer.text, '{"title":"Red boats"}');
    assert.equal(answer.model, "gpt-5.5");
    assert.ok((answer.usage?.input ?? 0) > 0 && (answer.usage?.output ?? 0) > 0);
    await pool.until("thread/closed");
    assert.deepEqual(await listed(server, "thread/loaded/list"), []);
    assert.deepEqual(await listed(server, "thread/list"), []);
    assert.deepEqual(await rollouts(fixture), []);
  });

  test("has a short prompt: no tool of ours, no shell, nobody's servers, hooks or project", async () => {
    await using fixture = await realPlace(pinnedCodex());
    const hook = join(fixture.work, "hook-ran");
    const echo = join(root, "test/fakes/mcp-echo.mjs");
    await writeFile(
      join(fixture.home, "config.toml"),
      `notify = ["touch", "${hook}"]
[mcp_servers.echo]
command = "${process.execPath}"
args = ["${echo}"]
`,
    );
    await using pool = poolOf(fixture);
    const answer = await ask(fixture, pool, titled);
    assert.ok("text" in answer, JSON.stringify(answer));
    const body = fixture.model.requests[0]?.body ?? {};
    const tools = (body["tools"] ?? []) as readonly { readonly name?: string }[];
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), ["apply_patch", "request_user_input"]);
    assert.deepEqual((body["reasoning"] as { effort?: string }).effort, "low");
    assert.match(JSON.stringify(body["text"]), /"title"/);
    const text = JSON.stringify(body);
    assert.ok(text.length < 8_000, `${text.length} characters`);
    assert.ok(text.includes("Name it."));
    assert.deepEqual(
      pool.methods.filter((method) => method.startsWith("mcpServer/")),
      [],
    );
    assert.ok(!(await readdir(fixture.work)).includes("hook-ran"));
  });

  test("cannot change anything: what the model tries is refused, and it is told", async () => {
    const patch = "*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch\n";
    await using fixture = await realPlace(pinnedCodex(), [
      { reply: [{ custom: { tool: "apply_patch", input: patch } }] },
      { reply: [{ call: { tool: "exec_command", args: { cmd: "touch made.txt" } } }] },
      { reply: [{ text: "Done." }] },
    ]);
    await using pool = poolOf(fixture);
    const answer = await ask(fixture, pool, titled);
    assert.deepEqual("text" in answer && answer.text, "Done.");
    const last = JSON.stringify(fixture.model.requests.at(-1)?.body);
    assert.partialDeepStrictEqual(pool.sent("thread/start"), {
      sandbox: "read-only",
      approvalPolicy: "never",
      environments: [],
    });
    assert.match(last, /rejected|unsupported|not (?:allowed|supported|available)|failed/i);
    for (const folder of [fixture.work, "/"]) assert.ok(!(await readdir(folder)).includes("made.txt"));
  });

  test("can be about pictures, which the model gets after the words", async () => {
    await using fixture = await realPlace(pinnedCodex(), [{ reply: [{ text: "A grey square." }] }]);
    await using pool = poolOf(fixture);
    const base64 = png(8, 8).toString("base64");
    const question = { instructions: "Say what you see.", input: "What is it?" };
    const answer = await ask(fixture, pool, { ...question, images: [{ mediaType: "image/png", base64 }] });
    assert.deepEqual("text" in answer && answer.text, "A grey square.");
    const body = fixture.model.requests[0]?.body as Asked | undefined;
    const said = body?.input.at(-1)?.content ?? [];
    assert.equal(said.find(({ text }) => text?.includes("What is it?"))?.type, "input_text");
    const picture = said.find(({ type }) => type === "input_image");
    assert.equal(picture?.image_url, `data:image/png;base64,${base64}`);
  });

  test("leaves a conversation on the same process alone", async () => {
    await using fixture = await realPlace(pinnedCodex(), [
      { when: "^one", reply: [{ text: "First." }] },
      { when: "^the words", reply: [{ text: '{"title":"T"}' }] },
      { when: "^two", reply: [{ text: "Second." }] },
    ]);
    await using pool = poolOf(fixture);
    using lease = await pool.lease(fixture.launch(), patience);
    const { server } = lease;
    const thread = await newThread(server, fixture);
    await say(server, thread, "one");
    assert.ok("text" in (await ask(fixture, pool, titled)));
    await say(server, thread, "two");
    assert.deepEqual([...fixture.registered], [server.pid], "one process for all");
    const last = JSON.stringify(fixture.model.requests.at(-1)?.body);
    assert.ok(last.includes("First.") && !last.includes("the words"));
    assert.deepEqual(await listed(server, "thread/list"), [thread]);
    assert.equal((await rollouts(fixture)).length, 1);
  });

  test("a refusal of the model is a fault with its reason", async () => {
    const refusal = { error: { message: "Quota exceeded.", code: "insufficient_quota" } };
    await using fixture = await realPlace(pinnedCodex(), [
      { reply: [{ http: { status: 429, body: refusal } }] },
    ]);
    await using pool = poolOf(fixture);
    const answer = await ask(fixture, pool, titled);
    assert.equal("fault" in answer && answer.fault.code, "quota");
  });

  test("is given up at once when nobody waits any more", async () => {
    await using fixture = await realPlace(pinnedCodex(), [{ reply: [{ text: "Let me" }, { hang: true }] }]);
    await using pool = poolOf(fixture);
    const stop = new AbortController();
    const answer = askEphemeral({ pool, clock: systemClock }, planOf(fixture), titled, stop.signal);
    await fixture.model.waitForRequest(1);
    stop.abort();
    assert.match(JSON.stringify(await answer), /given up/);
    using lease = await pool.lease(fixture.launch(), patience);
    assert.ok(lease.server.alive, "the process serves others");
  });

  test("a codex that cannot be started is a fault", async () => {
    await using pool = appServerPool({
      clock: systemClock,
      start: () => Promise.reject(new Error("no such program")),
    });
    await using fixture = await realPlace(pinnedCodex());
    const answer = await ask(fixture, pool, titled);
    assert.match("fault" in answer ? answer.fault.message : "", /no such program/);
  });
});

type Asked = { readonly input: readonly { readonly content: readonly Part[] }[] };
type Part = { readonly type: string; readonly text?: string; readonly image_url?: string };

const planOf = (fixture: RealPlace): CodexPlan => ({
  launch: fixture.launch(),
  provider: "demo",
  loopRouteExists: false,
  network: false,
  mcpServers: {},
  warnings: [],
});

/** A pool, and the methods that its codex has used. */
type Heard = AsyncDisposable &
  AppServerPool & {
    readonly methods: readonly string[];
    /** What was sent with this method. */
    sent(method: string): unknown;
    until(method: string): Promise<void>;
  };

function poolOf(fixture: RealPlace): Heard {
  const methods: string[] = [];
  const params = new Map<string, unknown>();
  let news = Promise.withResolvers<void>();
  const take = (dir: string, msg: unknown): void => {
    const { method, params: given } = msg as { readonly method?: string; readonly params?: unknown };
    if (method === undefined) return;
    if (dir === "c>s") params.set(method, given);
    methods.push(method);
    news.resolve();
    news = Promise.withResolvers();
  };
  const record = Object.assign(take, { isWanted: () => true });
  const pool = appServerPool({
    start: (launch, signal) => fixture.start(launch, { signal, record }),
    clock: systemClock,
  });
  return {
    ...pool,
    methods,
    sent: (method) => params.get(method),
    async until(method) {
      while (!methods.includes(method)) await news.promise;
    },
  };
}

const ask = (
  fixture: RealPlace,
  pool: AppServerPool,
  question: EphemeralQuestion,
): Promise<EphemeralAnswer> =>
  askEphemeral({ pool, clock: systemClock }, planOf(fixture), question, patience);

async function listed(server: AppServer, method: string): Promise<readonly string[]> {
  const { data } = (await server.request(method, {}, soon)) as {
    data: readonly (string | { id: string })[];
  };
  return data.map((each) => (typeof each === "string" ? each : each.id));
}

async function rollouts({ home }: RealPlace): Promise<readonly string[]> {
  const found = await readdir(join(home, "sessions"), { recursive: true }).catch(() => []);
  return found.filter((name) => name.endsWith(".jsonl"));
}

async function newThread(server: AppServer, { work }: RealPlace): Promise<string> {
  const reply = (await server.request("thread/start", { cwd: work }, soon)) as { thread: { id: string } };
  return reply.thread.id;
}

async function say(server: AppServer, threadId: string, text: string): Promise<void> {
  using feed = server.feed(threadId);
  await server.request("turn/start", { threadId, input: [{ type: "text", text }] }, soon);
  for (;;) {
    const frame = await feed.next(patience);
    assert.ok(frame !== undefined && frame.kind !== "gone");
    if (frame.method === "turn/completed") return;
  }
}
