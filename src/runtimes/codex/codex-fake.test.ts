import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { generateCodexSchema } from "../../../test/codex-schema/pinned-codex.ts";
import { codexHome } from "../../../test/fakes/real-codex-home.ts";
import { systemClock } from "../../lib/clock.ts";
import { type ModelReply, type RuntimeUnderTest, runtimeSuite } from "../runtime.suite.ts";
import { startAppServer } from "./app-server.ts";
import { codexRuntime } from "./codex.ts";
import { launchOptions } from "./launch.ts";
import { unreadMethods } from "./opt-out.ts";
import { appServerPool } from "./pool.ts";
import { parseRecording } from "./recording.ts";

const fake = resolve("test/fakes/fake-codex/fake-codex");
const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
const processes = { add: async () => {}, remove: async () => {} };

/** Every frame we send is held against the schema of the pinned codex. */
const schema = await generateCodexSchema();
after(() => schema[Symbol.asyncDispose]());

/** The fake plays a whole turn: all replies of the model one after the other. */
const steps = (replies: readonly ModelReply[]): object[] =>
  replies.flatMap(({ thinks, says, calls = [], hangs, httpStatus }) => [
    ...(thinks === undefined ? [] : [{ reasoning: thinks }]),
    ...(httpStatus === undefined ? [] : [{ fail: failure(httpStatus) }]),
    ...(says === undefined ? [] : [{ agent: says, ...(hangs === true ? { hang: true } : {}) }]),
    ...calls.map(({ tool, args }) => ({ dynamicTool: { namespace: "talaria", tool, args } })),
  ]);

const failure = (status: number): object => ({
  message: `unexpected status ${status}`,
  codexErrorInfo: "httpConnectionFailed",
  httpStatusCode: status,
});

runtimeSuite("codex, the fake one", async (replies): Promise<RuntimeUnderTest> => {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await codexHome());
  const log = join(home.path, "wire.jsonl");
  const script = {
    turns: [{ emit: steps(replies) }],
    otherwise: [{ agent: "?" }],
    log: "wire.jsonl",
    schema: schema.file,
  };
  await writeFile(join(home.path, "fake-codex.json"), JSON.stringify(script));
  const launch = launchOptions({ binary: fake, env, isolated: { codexHome: home.path } });
  const options = { clock: systemClock, processes, optOut: unreadMethods, clientVersion: "test" };
  const pool = appServerPool({
    clock: systemClock,
    start: (each, signal) => startAppServer(each, { ...options, signal }),
  });
  const plan = {
    launch,
    provider: "fake",
    loopRouteExists: false,
    network: false,
    mcpServers: {},
    warnings: [],
  };
  const runtime = opened.use(
    codexRuntime({
      pool,
      plan: async () => plan,
      offer: new Set(["echo", "fail", "wait"]),
      frames: { listen: () => () => {} },
    }),
  );
  const kept = opened.move();
  const said = (dir: string): string[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .flatMap((line) => parseRecording(line) ?? [])
          .flatMap((frame) => (frame.dir === dir ? [JSON.stringify(frame.msg)] : []))
      : [];
  return {
    runtime,
    // There is no model behind it: what it was told is all that a model could see.
    seenByModel: () => [said("c>s").join("\n")],
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      const notes = said("note");
      await kept.disposeAsync();
      assert.deepEqual(
        notes.filter((note) => note.includes("violation")),
        [],
      );
    },
  };
});
