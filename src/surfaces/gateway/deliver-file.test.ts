import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { chatApp } from "../../../test/fakes/chat-app.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import type { NewOutbox } from "../../core/gateway/tables.ts";
import { takeBot } from "../../store/suite/gateway-world.suite.ts";
import { delivery } from "./deliver.ts";

const file = { path: "/copies/report.pdf", name: "report.pdf", mediaType: "application/pdf", bytes: 3 };
const to = { surface: "telegram", account: "bot1", chat: "c1" } as const;

const rowOf = (caption?: string): NewOutbox => ({
  ...to,
  replyTo: "7",
  body: { kind: "file", file, ...(caption === undefined ? {} : { caption }) },
});

async function world(t: TestContext) {
  const clock = fakeClock();
  const store = await openTestStore(join(await testFolder(t), "talaria.db"), { clock });
  t.after(() => store[Symbol.asyncDispose]());
  const app = chatApp();
  const alerts: string[] = [];
  const outgoing = delivery({
    adapter: app.bot.makeAdapter(),
    account: app.account,
    outbox: store.outbox,
    lease: await takeBot(store, 1, clock.now()),
    alert: async (_, text) => void alerts.push(text),
    clock,
    log: (line) => void alerts.push(line),
  });
  t.after(() => outgoing.stop());
  const deliver = async (...rows: readonly NewOutbox[]): Promise<void> => {
    for (const row of rows) await store.outbox.add(row, clock.now());
    outgoing.wake();
    await outgoing.settled();
  };
  return { app, outbox: store.outbox, alerts, deliver };
}

describe("a file in the outbox", () => {
  test("is shown with its words in one message, before the answer that came after it", async (t) => {
    const { app, deliver, outbox } = await world(t);
    await deliver(rowOf("The report."), { ...to, body: { kind: "answer", markdown: "Done." } });
    assert.deepEqual(
      app.shown().map(({ text, file: shown, replyTo }) => [text, shown, replyTo]),
      [
        ["The report.", file.path, "7"],
        ["Done.", undefined, undefined],
      ],
    );
    const [row] = await outbox.inState("sent");
    assert.deepEqual(row?.body, rowOf("The report.").body, "it is kept as it was given");
  });

  test("needs no words", async (t) => {
    const { app, deliver } = await world(t);
    await deliver(rowOf());
    assert.deepEqual(
      app.shown().map(({ text, file: shown }) => [text, shown]),
      [["", file.path]],
    );
  });

  test("that the platform will never take is dead, and the owner is told", async (t) => {
    const { app, deliver, outbox, alerts } = await world(t);
    app.goesWrong(() => ({ refused: "it is too large" }));
    await deliver(rowOf());
    const [row] = await outbox.inState("dead");
    assert.deepEqual([row?.body.kind, row?.why], ["file", "it is too large"]);
    assert.match(alerts.join(), /was not delivered: it is too large/);
    assert.deepEqual(app.shown(), []);
  });

  test("that may have arrived is not sent again by itself, and the chat is told", async (t) => {
    const { app, deliver, outbox } = await world(t);
    app.goesWrong((_call, _to, part) => (part?.file === undefined ? undefined : "lost reply"));
    await deliver(rowOf("The report."));
    const [row] = await outbox.inState("ambiguous");
    assert.equal(row?.body.kind, "file");
    const [first, second, ...others] = app.shown();
    assert.deepEqual([first?.file, others], [file.path, []]);
    assert.match(second?.text ?? "", /can't tell whether the message before this one arrived/);
  });
});
