import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { newId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { openHost } from "../index.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import { asOwner, send } from "../../../test/owners-host.ts";

const task = (goal: string, ...reply: readonly object[]): object => ({ when: `The task:\n${goal}\n`, reply });

test("the tasks of a turn are listed while they are done, and one of them can be stopped", async () => {
  await using it = await world([
    {
      when: "^work$",
      reply: [
        {
          call: {
            tool: "delegate_task",
            args: { tasks: [{ goal: "one" }, { goal: "two" }, { goal: "three" }] },
          },
        },
      ],
    },
    task("one", { text: "I saw two.", phase: "commentary" }, { hang: true }),
    task("two", { hang: true }),
    task("three", { text: "Three." }),
    { when: "^work$", reply: [{ text: "Well." }] },
  ]);
  const { host, session, chatState, model } = it;
  const key = { surface: "tui", account: "", chat: session.id, messageId: "1" };
  const input = [{ type: "text", text: "work" }] as const;
  const { ended } = await send(host, { key, session, input, whenBusy: "queue", attended: "ask" });
  await model.waitForRequest(3);
  assert.deepEqual(
    (await asOwner(host).call("tasks.list", { session: session.id })).map(({ number, goal, now }) => [
      number,
      goal,
      now,
    ]),
    [
      [1, "one", "one"],
      [2, "two", "two"],
      [3, "three", "waits for a free place"],
    ],
  );
  assert.match(
    (await asOwner(host).call("chat.command", { line: "/agents", chat: chatState })).text,
    /^ses_\w+\n {2}1 {2}loop {2}0 calls .* one\n/,
  );
  assert.equal(
    (await asOwner(host).call("chat.command", { line: "/agents stop 2", chat: chatState })).text,
    "Stopped 2: two",
  );
  await model.waitForRequest(4);
  assert.equal(
    (await asOwner(host).call("chat.command", { line: "/agents stop 1", chat: chatState })).text,
    "Stopped 1: one",
  );
  assert.equal((await ended)?.outcome, "done");
  const told = JSON.stringify(model.requests.at(-1)?.body);
  assert.match(told, /Task 1 of 3: stopped by the person \(loop, .*Task 2 of 3: stopped by the person/);
  assert.match(told, /Task 3 of 3: done \(loop, .*\\nThree\./);
  assert.deepEqual(await asOwner(host).call("tasks.list", {}), []);
});

test("no task is handed on while all work is paused, or when the budget of work is used up", async () => {
  const asks = { when: "^work$", reply: [{ call: { tool: "delegate_task", args: { goal: "one" } } }] };
  const says = { when: "^work$", reply: [{ text: "Well." }] };
  const steps = [asks, says, asks, task("one", { text: "One." }), says, asks, says];
  await using it = await world(steps, "work: { budget: { origins: { delegate: { turns: 1 } } } }\n");
  const { host, session } = it;
  const outputs: string[] = [];
  host.subscribe(session.id, (event) => {
    if (event.type === "item" && event.item.kind === "call") outputs.push(event.item.output);
  });
  const work = async (messageId: string): Promise<void> => {
    const key = { surface: "tui", account: "", chat: session.id, messageId };
    const input = [{ type: "text", text: "work" }] as const;
    await (
      await send(host, { key, session, input, whenBusy: "queue", attended: "ask" })
    ).ended;
  };
  await asOwner(host).call("work.pause", {});
  await work("1");
  await asOwner(host).call("work.resume", {});
  await work("2");
  await work("3");
  assert.match(outputs[0] ?? "", /all work that nobody types is paused, by you/);
  assert.match(outputs[1] ?? "", /One\./);
  assert.match(outputs[2] ?? "", /work\.budget\.origins\.delegate\.turns does not allow it: 1 of 1 turns/);
});

async function world(steps: readonly object[], also = "") {
  await using parts = new AsyncDisposableStack();
  const { path: folder } = parts.use(await tempFolder());
  const script = parseDemoScript({ steps });
  const model = parts.use(await startDemoModel({ clock: systemClock, script }));
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  for (const each of [home, cwd]) await mkdir(each, { mode: 0o700 });
  const settings = `model: { provider: mine, default: big }
providers: { mine: { api: "${model.url}", protocol: chat } }
delegation: { max_concurrent: 2 }
${also}`;
  await writeFile(join(home, "config.yaml"), settings, { mode: 0o600 });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const host = parts.use(await openHost({ env, homeDir: folder, cwd, version: "0.0.0" }));
  const session = { id: newId("ses", systemClock.now()), cwd, surface: "tui", audience: "owner" as const };
  const chatState = { session: session.id, surface: "tui", cwd, choices: {}, attended: "ask" } as const;
  const kept = parts.move();
  return { host, session, chatState, model, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
