import assert from "node:assert/strict";
import { test } from "node:test";
import { aborted, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { input, sessionOf, testHome, watch } from "../../../test/fakes/test-agent.ts";
import { asId } from "../../core/ids.ts";
import { sessionRows } from "./session-rows.ts";

test("calls that have no result yet are shown as what they are, and as cut off when their process is gone", async () => {
  await using home = await testHome();
  const agent = await home.open(
    scriptedRuntime(async function* (_turn, { signal }) {
      yield { type: "status", state: "tool" };
      await aborted(signal);
      yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
    }),
  );
  const first = input("go");
  const session = sessionOf(first);
  const running = watch(agent, session).next("status");
  await agent.send(first);
  const { turn } = await running;
  const head = { id: asId<"itm">("one"), callId: "c", tool: "touch", args: {} };
  await home.disk.calls.begin({ ...head, session, turn, epoch: 1 }, 5);

  const shown = async (isGone: boolean, isSelf: boolean) =>
    (await sessionRows(home.disk, { isGone: () => isGone, isSelf: () => isSelf }, session)).map(
      ({ seq, message }) => `${seq} ${message.role} ${String(message.content).slice(0, 30)}`,
    );
  assert.deepEqual(await shown(false, true), ["1 user go"]);
  assert.deepEqual(await shown(false, false), ["1 user go", "2 assistant ", "3 tool [runs now]"]);
  const gone = ["1 user go", "2 assistant ", "3 tool [interrupted, outcome unknown]"];
  assert.deepEqual(await shown(true, false), gone);
});
