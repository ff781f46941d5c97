import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pinnedCodex } from "../../../../test/codex-schema/pinned-codex.ts";
import { halt } from "../../../../test/halt.ts";
import type { AppServer } from "./app-server.ts";
import type { Frame } from "../connection/frame.ts";
import { AppServerGone } from "./gone.ts";
import { patience, realPlace } from "../real-codex.suite.ts";
import type { RealPlace } from "../real-codex.suite.ts";
import type { ThreadFeed } from "../connection/thread-feed.ts";

const soon = { signal: patience, timeoutMs: 60_000 };

describe("the real codex", () => {
  test("greets, runs turns of two threads at once, and each feed has its own frames, to the end", async () => {
    await using fixture = await realPlace(pinnedCodex(), [
      { when: "first", reply: [{ text: "One.", chunks: 3 }] },
      { when: "second", reply: [{ text: "Two.", chunks: 3 }] },
    ]);
    const server = await fixture.start();
    assert.match(server.userAgent, /talaria\/0\.166\.0/);
    assert.equal(server.codexHome, fixture.home);
    assert.deepEqual([...fixture.registered], [server.pid]);
    const threads = await Promise.all([startThread(server, fixture), startThread(server, fixture)]);
    const [one, two] = await Promise.all(
      (["first", "second"] as const).map(async (text, index) => {
        await startTurn(server, threads[index]!.id, text);
        return framesToTheEnd(threads[index]!.feed);
      }),
    );
    assert.deepEqual([answer(one!), answer(two!)], ["One.", "Two."]);
    assert.ok(
      methodsOf(one!).includes("item/started") && methodsOf(one!).includes("item/agentMessage/delta"),
    );
    assert.deepEqual(server.counts(), { badLines: 0, strayReplies: 0, unclaimed: 0 });
    await server[Symbol.asyncDispose]();
    assert.equal((await server.gone).reason, "closed");
  });

  test("that is killed is gone, with every request and feed, in the tick in which that is noticed", async () => {
    await using fixture = await realPlace(pinnedCodex(), [{ reply: [{ text: "So" }, { hang: true }] }]);
    const server = await fixture.start();
    const { id, feed } = await startThread(server, fixture);
    await startTurn(server, id, "talk");
    await fixture.model.waitForRequest(1);
    await halt(server.pid); // so that it answers nothing more
    const read = { threadId: id };
    const requests = Promise.allSettled([1, 2, 3].map(() => server.request("thread/read", read, soon)));
    process.kill(server.pid, "SIGKILL");
    const gone = await server.gone;
    assert.partialDeepStrictEqual(gone, { code: null, signal: "SIGKILL", reason: "exit" });
    let outcomes: PromiseSettledResult<unknown>[] = [];
    void requests.then((settled) => (outcomes = settled));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(outcomes.length, 3);
    for (const outcome of outcomes)
      assert.ok(outcome.status === "rejected" && outcome.reason instanceof AppServerGone);
    const last = (await framesUntil(feed, (frame) => frame.kind === "gone")).at(-1);
    assert.deepEqual(last, { kind: "gone", exit: gone });
  });

  test("hides the key of the route and its headers from commands, and sends them to the model", async () => {
    await using fixture = await realPlace(pinnedCodex(), [
      {
        reply: [
          { call: { tool: "?exec_command", args: { cmd: "env; cat /proc/$PPID/cmdline | tr '\\0' ' '" } } },
        ],
      },
    ]);
    const headers = { "x-team": "header-canary-987654" };
    const route = { name: "demo", url: fixture.model.url, key: "sk-canary-0123456789", headers };
    const server = await fixture.start(fixture.launch({ route }));
    const { id, feed } = await startThread(server, fixture);
    await startTurn(server, id, "look around");
    const said = JSON.stringify(await framesToTheEnd(feed));
    assert.match(said, /CODEX_THREAD_ID=/, "the command ran and its output was seen");
    assert.doesNotMatch(said, /canary/);
    assert.equal(fixture.model.requests[0]?.headers["x-team"], "header-canary-987654");
  });

  test("takes names of routes and models with any characters, and the person's own providers stay", async () => {
    await using fixture = await realPlace(pinnedCodex());
    const own = '[model_providers."own.one"]\nname="own"\nbase_url="http://127.0.0.1:9/v1"\n';
    await writeFile(join(fixture.home, "config.toml"), own);
    const name = 'a.b "c" d\\e=f,{g}#ü\u2028\u007F漢';
    const route = { name, url: fixture.model.url, key: "sk-canary-0123456789", headers: { "X-A.b": "c" } };
    const server = await fixture.start(fixture.launch({ route, model: `m ${name}` }));
    const { config } = (await server.request("config/read", {}, soon)) as {
      config: { model: string; model_provider: string; model_providers: Record<string, object> };
    };
    assert.equal(config.model, `m ${name}`);
    assert.equal(config.model_provider, `talaria-${name}`);
    assert.deepEqual(Object.keys(config.model_providers).toSorted(), ["own.one", `talaria-${name}`]);
    assert.partialDeepStrictEqual(config.model_providers[`talaria-${name}`], {
      name,
      base_url: fixture.model.url,
      env_key: "TALARIA_ROUTE_KEY",
      env_http_headers: { "X-A.b": "TALARIA_ROUTE_SECRET_0" },
    });
  });
});

describe("a config.toml", () => {
  test("that codex refuses makes the start fail with codex's own words", async () => {
    await using fixture = await realPlace(pinnedCodex());
    await writeFile(join(fixture.home, "config.toml"), 'approval_policy = "untrusted"\n');
    await assert.rejects(fixture.start(), (error) => {
      assert.ok(error instanceof AppServerGone);
      assert.partialDeepStrictEqual(error.gone, { code: 1, signal: null, reason: "exit" });
      assert.match(error.message, /exit code 1.*approval_policy = "untrusted" is no longer supported/s);
      return true;
    });
    assert.equal(fixture.registered.size, 0);
  });

  test("that this codex does not know is told to the person if it is theirs, and not if it is ours", async () => {
    await using fixture = await realPlace(pinnedCodex());
    await writeFile(join(fixture.home, "config.toml"), 'colour = "red"\n');
    const launch = fixture.launch();
    const server = await fixture.start({ ...launch, args: [...launch.args, "-c", "shade=1"] });
    await startThread(server, fixture);
    const said = server.notices.join("\n");
    assert.match(said, /colour/);
    assert.doesNotMatch(said, /shade|session-flags/);
  });

  test("with a mistake is warned of in codex's own words", async () => {
    await using fixture = await realPlace(pinnedCodex());
    await writeFile(join(fixture.home, "config.toml"), 'model = "gpt-5.5"\nbroken = = 1\n');
    const server = await fixture.start();
    await assert.rejects(
      server.request("thread/start", { cwd: fixture.work }, soon),
      /failed to load configuration/,
    );
    assert.match(server.notices.join("\n"), /Invalid configuration.*config\.toml/s);
  });
});

async function startThread(
  server: AppServer,
  { work }: RealPlace,
): Promise<{ id: string; feed: ThreadFeed }> {
  const params = { cwd: work, sandbox: "danger-full-access", approvalPolicy: "never" };
  const { thread } = (await server.request("thread/start", params, soon)) as { thread: { id: string } };
  return { id: thread.id, feed: server.feed(thread.id) };
}

const startTurn = (server: AppServer, threadId: string, text: string): Promise<unknown> =>
  server.request("turn/start", { threadId, input: [{ type: "text", text }] }, soon);

const framesToTheEnd = (feed: ThreadFeed): Promise<Frame[]> =>
  framesUntil(feed, (frame) => frame.kind === "gone" || frame.method === "turn/completed");

async function framesUntil(feed: ThreadFeed, isLast: (frame: Frame) => boolean): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (;;) {
    const frame = await feed.next(patience);
    assert.ok(frame !== undefined, "the test took too long");
    frames.push(frame);
    if (isLast(frame)) return frames;
  }
}

const methodsOf = (frames: readonly Frame[]): string[] =>
  frames.map((frame) => (frame.kind === "gone" ? "gone" : frame.method));

function answer(frames: readonly Frame[]): string | undefined {
  const last = frames.at(-1);
  assert.ok(last?.kind === "notification" && last.method === "turn/completed");
  return (last.params as { turn: { items: { text?: string }[] } }).turn.items[0]?.text;
}
