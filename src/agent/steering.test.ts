import assert from "node:assert/strict";
import { test } from "node:test";
import { input, sessionOf, testHome } from "../../test/fakes/test-agent.ts";
import type { Sent } from "../core/host.ts";
import type { TalkEvent } from "../models/converse.ts";
import { loopRuntime } from "../runtimes/loop/loop.ts";

const route = { name: "r", protocol: "chat", url: "", headers: {}, model: "m" } as const;
const completed: TalkEvent = { type: "completed", skipped: 0 };

test("what is said into a turn on the loop is in the row of the result with which the model got it", async () => {
  await using home = await testHome();
  const asked: string[] = [];
  const loop = loopRuntime({
    routes: async () => [route],
    async *stream(_route, { messages }) {
      asked.push(JSON.stringify(messages.at(-1)));
      const first = asked.length === 1;
      yield first
        ? { type: "item", item: { kind: "call", item: 0, callId: "c", name: "t", arguments: "{}" } }
        : { type: "item", item: { kind: "text", item: 0, text: `answer ${asked.length}` } };
      yield completed;
    },
  });
  const first = input("go");
  const session = sessionOf(first);
  const sent: Sent[] = [];
  const agent = await home.open(loop, {
    toolBox: async () => ({
      specs: [],
      async call() {
        sent.push(await agent.send(input("be kind", { session, whenBusy: "steer" })));
        return { ok: true, output: "done" };
      },
    }),
  });
  const ended = await (await agent.send(first)).ended;
  assert.equal(ended?.text, "answer 2");
  assert.deepEqual([sent[0]?.state, (await sent[0]?.ended)?.turn], ["steered", ended?.turn]);
  const rows = await home.disk.sessions.messages(session);
  const [result] = rows.flatMap(({ message }) => (message.role === "tool" ? [message] : []));
  assert.match(result?.content ?? "", /^done\n\n\[.*\]\nbe kind$/);
  assert.equal(asked[1], JSON.stringify(result));
  assert.deepEqual(
    rows.map(({ message }) => message.role),
    ["user", "assistant", "tool", "assistant"],
  );
  assert.equal(asked.length, 2, "it is not run as a turn of its own");
});
