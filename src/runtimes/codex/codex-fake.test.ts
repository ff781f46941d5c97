import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { generateCodexSchema } from "../../../test/codex-schema/pinned-codex.ts";
import { codexHome } from "../../../test/fakes/real-codex-home.ts";
import { type ModelReply, runtimeSuite } from "../runtime.suite.ts";
import { suiteRuntime, underTest } from "./codex.suite.ts";
import { launchOptions } from "./process/launch.ts";
import { parseRecording } from "./recording/recording.ts";
import { type CodexPlace, recoverySuite } from "./recovery.suite.ts";
import { minimumVersion } from "./process/version.ts";

const fake = resolve("test/fakes/fake-codex/fake-codex");
const pinned = "0.166.0";

/** Every frame we send to the pinned version is held against its schema. */
const schema = await generateCodexSchema();
after(() => schema[Symbol.asyncDispose]());

/** The fake plays whole turns: a reply without calls is the last of its turn. */
function turnsOf(replies: readonly ModelReply[]): readonly { readonly emit: readonly object[] }[] {
  const turns: object[][] = [[]];
  for (const [at, reply] of replies.entries()) {
    turns.at(-1)?.push(...stepsOf(reply));
    if (reply.calls === undefined && at < replies.length - 1) turns.push([]);
  }
  return turns.map((emit) => ({ emit }));
}

const stepsOf = ({ thinks, says, calls = [], hangs, httpStatus }: ModelReply): readonly object[] => [
  ...(thinks === undefined ? [] : [{ reasoning: thinks }]),
  ...(httpStatus === undefined ? [] : [{ fail: failure(httpStatus) }]),
  ...(says === undefined ? [] : [{ agent: says, ...(hangs === true ? { hang: true } : {}) }]),
  ...calls.map(({ tool, args }) => ({ dynamicTool: { namespace: "talaria", tool, args } })),
];

const failure = (status: number): object => ({
  message: `unexpected status ${status}`,
  codexErrorInfo: "httpConnectionFailed",
  httpStatusCode: status,
});

const fakePlace =
  (version: string) =>
  async (replies: readonly ModelReply[]): Promise<CodexPlace> => {
    await using opened = new AsyncDisposableStack();
    const home = opened.use(await codexHome());
    const log = join(home.path, "wire.jsonl");
    const script = {
      version,
      turns: turnsOf(replies),
      otherwise: [{ agent: "?" }],
      log: "wire.jsonl",
      ...(version === pinned ? { schema: schema.file } : {}),
    };
    await writeFile(join(home.path, "fake-codex.json"), JSON.stringify(script));
    const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
    const launch = launchOptions({ binary: fake, env, isolated: { codexHome: home.path } });
    const said = (dir: string): string[] =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .split("\n")
            .flatMap((line) => parseRecording(line) ?? [])
            .flatMap((frame) => (frame.dir === dir ? [JSON.stringify(frame.msg)] : []))
        : [];
    const runtimes = new AsyncDisposableStack();
    const kept = opened.move();
    return {
      start: () => runtimes.use(suiteRuntime(launch)),
      // There is no model behind it: what it was told is all that a model could see.
      seenByModel: () => [said("c>s").join("\n")],
      async [Symbol.asyncDispose]() {
        await runtimes.disposeAsync();
        const notes = said("note");
        await kept.disposeAsync();
        assert.deepEqual(
          notes.filter((note) => note.includes("violation")),
          [],
        );
      },
    };
  };

runtimeSuite("codex, the fake one", async (replies) => underTest(await fakePlace(pinned)(replies)));
recoverySuite("codex, the fake one", fakePlace(pinned), { journal: "whole" });
recoverySuite(`codex ${minimumVersion}, the fake one`, fakePlace(minimumVersion), { journal: "words" });
