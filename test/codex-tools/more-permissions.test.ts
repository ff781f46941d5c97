import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import type { Question } from "../../src/core/asking.ts";
import type { Message } from "../../src/core/messages.ts";
import { codexSwitches } from "../../src/host/codex/switches.ts";
import type { Ports } from "../../src/runtimes/runtime.ts";
import { turnOf } from "../../src/runtimes/runtime.suite.ts";
import { pinnedCodex } from "../codex-schema/pinned-codex.ts";
import { type ForbiddingPlace, forbiddingPlace } from "./forbidding-place.ts";
import { calls, says, script } from "./model-answers.ts";

/** A call in the words of each kind of model. */
const kinds = {
  "gpt-5.5": (tool: string, args: object) => calls(tool, args),
  "gpt-6.1-sol": (tool: string, args: object) =>
    script(`text(JSON.stringify(await tools.${tool}(${JSON.stringify(args)})))`),
};

const settings = "[features]\nexec_permission_approvals = true\nrequest_permissions_tool = true\n";

describe("more permissions, on the real codex", { concurrency: 2, timeout: 60_000 }, () => {
  for (const [model, calling] of Object.entries(kinds)) {
    test(`${model}: those of a command are in the question about it`, async () => {
      await using it = await place(model, (elsewhere) => [
        [calling("exec_command", { ...touch(elsewhere, "one"), ...wanting(elsewhere) })],
        says("Done."),
      ]);
      const [asked, ...others] = await it.turn("one");
      assert.deepEqual(others, []);
      assert.partialDeepStrictEqual(asked?.args, {
        additionalPermissions: { fileSystem: { write: [it.elsewhere] } },
      });
      assert.match(asked?.summary ?? "", /with more permissions: .*elsewhere/);
      assert.deepEqual(await readdir(it.elsewhere), ["one"]);
    });

    test(`${model}: those that it asks for are a question, and end with the turn`, async () => {
      await using it = await place(model, (elsewhere) => [
        [calling("request_permissions", { reason: "To write.", permissions: permissionsOn(elsewhere) })],
        [calling("exec_command", touch(elsewhere, "one"))],
        says("Done."),
        [calling("exec_command", touch(elsewhere, "two"))],
        says("Done."),
      ]);
      const asked = await it.turn("one");
      assert.deepEqual(
        asked.map(({ tool }) => tool),
        ["permissions"],
      );
      assert.partialDeepStrictEqual(asked[0]?.args, { fileSystem: { write: [it.elsewhere] } });
      assert.deepEqual(await readdir(it.elsewhere), ["one"]);
      await it.turn("two");
      assert.deepEqual(await readdir(it.elsewhere), ["one"]);
    });
  }
});

const touch = (elsewhere: string, name: string): object => ({
  cmd: `touch ${join(elsewhere, name)}`,
  yield_time_ms: 30_000,
});

const permissionsOn = (elsewhere: string): object => ({ file_system: { write: [elsewhere] } });

const wanting = (elsewhere: string): object => ({
  sandbox_permissions: "with_additional_permissions",
  justification: "May I?",
  additional_permissions: permissionsOn(elsewhere),
});

type Place = AsyncDisposable & {
  /** A folder that a command cannot write to. */
  readonly elsewhere: string;
  /** A turn in which all is allowed. What was asked. */
  turn(input: string): Promise<readonly Question[]>;
};

const besides = (work: string): string => join(dirname(work), "elsewhere");

async function place(
  model: string,
  replies: (elsewhere: string) => readonly (readonly object[])[],
): Promise<Place> {
  const none = codexSwitches([], [], "/nonexistent");
  const codex = { binary: pinnedCodex(), version: "0.166.0", model };
  await using opened = new AsyncDisposableStack();
  const it: ForbiddingPlace = opened.use(
    await forbiddingPlace(codex, none, (work) => replies(besides(work)), settings),
  );
  const elsewhere = besides(it.work);
  await mkdir(elsewhere);
  const kept = opened.move();
  const history: Message[] = [];
  return {
    elsewhere,
    async turn(input) {
      const asked: Question[] = [];
      const ask: Ports["ask"] = async (question) => {
        asked.push(question);
        return { choice: "once", why: "person" };
      };
      const turn = { ...turnOf({ input, history: [...history] }), cwd: it.work };
      const ended = (await Array.fromAsync(it.runtime.run(turn, { ...it.ports, ask }))).at(-1);
      assert.ok(ended?.type === "ended" && ended.outcome === "done", JSON.stringify(ended));
      history.push({ role: "user", content: input }, { role: "assistant", content: "Done." });
      return asked;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
