import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { send } from "../../test/owners-host.ts";
import { testFolder } from "../../test/temp-folder.ts";
import { asId, newId } from "../core/ids.ts";
import type { Host } from "../core/host.ts";
import { systemClock } from "../lib/clock.ts";
import { openTestStore } from "../../test/sqlite-store.ts";
import { openHost } from "./index.ts";

const chat = { surface: "telegram", account: "bot", chat: "77" };
const from = { surface: "telegram", id: "77", role: "owner", local: false } as const;
const session = asId<"ses">("ses_chat");
const inputs = [asId<"inb">("inb_1"), asId<"inb">("inb_2")] as const;

describe("messages of a chat that wait in the inbox", () => {
  test("stay there when somebody runs a turn of their own, and are run by an executor", async (t) => {
    const it = await world(t);
    {
      await using host = await it.open();
      await say(host, "mine", { id: newId("ses", systemClock.now()), cwd: it.cwd, ...typed });
      assert.deepEqual(await it.states(), ["waiting", "waiting"]);
    }
    assert.deepEqual(await it.replies(), []);
    {
      await using host = await it.open({ executor: true });
      // It is queued behind them.
      await say(host, "and mine", session);
      assert.deepEqual(await it.states(), ["started", "started"]);
    }
    assert.deepEqual(await it.replies(), [
      ["first", "to the first"],
      ["second", "to the second"],
    ]);
  });
});

const typed = { surface: "cli", audience: "owner" } as const;

async function say(host: Host, text: string, to: Parameters<typeof send>[1]["session"]): Promise<void> {
  const key = { surface: "cli", account: "", chat: "", messageId: text };
  const input = [{ type: "text", text }] as const;
  const sent = await send(host, { key, session: to, input, whenBusy: "queue", attended: "none" });
  assert.equal((await sent.ended)?.outcome, "done");
}

/** A home with two messages of a chat, which nobody has started. */
async function world(t: TestContext) {
  const folder = await testFolder(t);
  const steps = [
    { when: "^mine$", reply: [{ text: "yours" }] },
    { when: "^first$", reply: [{ text: "to the first" }] },
    { when: "^second$", reply: [{ text: "to the second" }] },
    { when: "^and mine$", reply: [{ text: "yours, too" }] },
  ];
  const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });
  t.after(() => model[Symbol.asyncDispose]());
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(cwd);
  const settings = `model: {provider: mine, default: big}
providers:
  mine: {api: "${model.url}", protocol: responses, models: [big], context_window: 32000}
`;
  await writeFile(join(home, "config.yaml"), settings, { mode: 0o600 });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const store = await openTestStore(join(home, "talaria.db"));
  t.after(() => store[Symbol.asyncDispose]());
  await store.people.allow({ surface: "telegram", id: from.id, role: from.role }, 1);
  for (const [at, text] of ["first", "second"].entries())
    await store.inbox.admit({
      id: inputs[at]!,
      key: { ...chat, messageId: text },
      from,
      session: { id: session, cwd, surface: chat.surface, audience: "owner" },
      input: [{ type: "text", text }],
      at,
    });
  return {
    cwd,
    open: (also: { readonly executor?: boolean } = {}): Promise<Host> =>
      openHost({ env, homeDir: folder, cwd, version: "test", ...also }),
    states: () => Promise.all(inputs.map(async (id) => (await store.inbox.get(id))?.state)),
    replies: async () =>
      (await store.outbox.inState("pending")).map(({ body, account, chat: place, replyTo }) => {
        assert.deepEqual({ surface: "telegram", account, chat: place }, chat);
        return [replyTo, body.kind === "answer" ? body.markdown : body];
      }),
  };
}
