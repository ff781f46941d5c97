import assert from "node:assert/strict";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Envelope } from "../../src/core/events.ts";
import type { OutboxBody } from "../../src/core/gateway/tables.ts";
import type { Host } from "../../src/core/host.ts";
import { type SessionId, newId } from "../../src/core/ids.ts";
import type { Audience, Principal } from "../../src/core/principal.ts";
import { localOwner } from "../../src/core/principal.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Store } from "../../src/store/store.ts";
import { sendAs } from "../owners-host.ts";
import { openTestStore } from "../sqlite-store.ts";
import { says } from "./endpoint.ts";
import { type CodexTalaria, talariaOnCodex } from "./codex/codex-talaria.ts";

const ann: Principal = { surface: "telegram", id: "1", name: "Ann", role: "owner", local: false };
const bob: Principal = { ...ann, id: "2", name: "Bob", role: "member" };
const gus: Principal = { ...ann, id: "3", role: "guest" };
const runtimes = ["loop", "codex"] as const;
type Runtime = (typeof runtimes)[number];

const sends = (runtime: Runtime): object => ({
  reply: [
    {
      call: {
        tool: "send_file",
        args: { path: "report.txt", caption: "As you wished." },
        ...(runtime === "codex" ? { namespace: "talaria" } : {}),
      },
    },
  ],
});

describe("send_file", { concurrency: 2 }, () => {
  for (const runtime of runtimes)
    test(`puts a file on its way to the chat that asked, before the answer, on ${runtime}`, async () => {
      await using it = await world(runtime, [sends(runtime), says("There it is.")]);
      const { store, outputs } = it;
      const session = newId("ses", systemClock.now());
      await store.chats.change({ ...chatOf("c1"), person: "", room: "direct" }, { session }, 1);
      assert.equal(await it.say(ann, "owner", { session }), "There it is.");
      assert.deepEqual(outputs, ["It is on its way; report.txt (11 bytes) goes out before the answer."]);
      const rows = await store.outbox.due("telegram", "bot");
      assert.deepEqual(
        rows.map(({ chat, replyTo, body }) => [chat, replyTo, body.kind]),
        [
          ["c1", "1", "file"],
          ["c1", "1", "answer"],
        ],
      );
      assert.equal(await readFile(pathIn(rows[0]?.body), "utf8"), "all is well");
      assert.deepEqual(it.questions, [], "it is the owner's own chat");
    });

  for (const runtime of runtimes)
    test(`asks the owner before a member's turn sends something, on ${runtime}`, async () => {
      await using it = await world(runtime, [
        sends(runtime),
        says("Not now."),
        sends(runtime),
        says("There."),
      ]);
      it.answers.push("deny", "once");
      assert.equal(await it.say(bob, "members"), "Not now.");
      assert.deepEqual(
        (await it.store.outbox.due("telegram", "bot")).map(({ body }) => body.kind),
        ["answer"],
      );
      assert.equal(await it.say(bob, "members"), "There.");
      assert.deepEqual(
        (await it.store.outbox.due("telegram", "bot")).map(({ body }) => body.kind),
        ["answer", "file", "answer"],
      );
      assert.match(it.questions[0] ?? "", /send report\.txt \(11 bytes\) to the group c1 on Telegram/);
      assert.match(it.outputs[0] ?? "", /send_file was not run: the person said no/);
    });

  for (const runtime of runtimes)
    test(`is not there for who is at a terminal; a session of a chat goes on there as it was, on ${runtime}`, async () => {
      await using it = await world(runtime, [says("One."), says("Two."), says("Three."), says("Four.")]);
      const you = localOwner("cli");
      await it.say(you, "owner");
      assert.deepEqual(it.offered(), [false]);
      const session = newId("ses", systemClock.now());
      await it.say(ann, "owner", { session });
      await it.say(you, "owner", { session });
      await it.say(ann, "owner", { session });
      // A codex thread has the tools that it began with.
      assert.deepEqual(it.offered(), [false, true, runtime === "codex", true]);
      assert.deepEqual(it.notices, [], "the thread is the same one");
    });

  test("is not there for a guest", async () => {
    await using it = await world("loop", [says("Hello.")]);
    await it.say(gus, "guests");
    assert.deepEqual(it.offered(), [false]);
  });
});

const chatOf = (chat: string) => ({ surface: "telegram", account: "bot", chat }) as const;

const pathIn = (body: OutboxBody | undefined): string => (body?.kind === "file" ? body.file.path : "");

/** A home with these people, on the real codex if that is wanted, in a folder with a report. */
async function world(runtime: Runtime, script: readonly object[]) {
  await using parts = new AsyncDisposableStack();
  const it = parts.use(await talariaOnCodex(script));
  await writeFile(join(it.cwd, "report.txt"), "all is well");
  const host = parts.use(await opened(it, runtime));
  const store: Store = parts.use(await openTestStore(join(it.home, "talaria.db")));
  for (const { surface, id, role } of [ann, bob, gus])
    await store.people.allow({ surface, id, role } as Parameters<Store["people"]["allow"]>[0], 1);
  const heard = { outputs: [] as string[], questions: [] as string[], notices: [] as string[] };
  const answers: ("once" | "deny")[] = [];
  const hear = (event: Envelope): void => {
    if (event.type === "item" && event.item.kind === "call") heard.outputs.push(event.item.output);
    if (event.type === "notice") heard.notices.push(event.text);
    if (event.type !== "approval" || event.approval.decision !== undefined) return;
    heard.questions.push(event.approval.question.summary);
    const choice = answers.shift() ?? "deny";
    void host.as(localOwner("cli")).call("approvals.answer", { approval: event.approval.id, choice });
  };
  let messages = 0;
  const say = async (
    from: Principal,
    audience: Audience,
    { session: id = newId("ses", systemClock.now()) }: { readonly session?: SessionId } = {},
  ): Promise<string | undefined> => {
    const stop = host.subscribe(id, hear);
    const key = { account: "bot", chat: "c1", messageId: String((messages += 1)) };
    const known = await store.sessions.get(id);
    const { ended } = await sendAs(host, from, {
      key,
      session: known === undefined ? { id, surface: from.surface, audience } : id,
      input: [{ type: "text", text: "go" }],
      whenBusy: "refuse",
      attended: "ask",
    });
    const end = await ended;
    stop();
    return end?.text;
  };
  const offered = (): readonly boolean[] =>
    it.model.requests.map(({ body }) => JSON.stringify(body).includes('"send_file"'));
  const kept = parts.move();
  return { store, say, answers, offered, ...heard, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function opened(it: CodexTalaria, runtime: Runtime): Promise<Host> {
  await appendFile(join(it.home, "config.yaml"), `\nterminal: { cwd: ${JSON.stringify(it.cwd)} }\n`);
  const own = { PATH: process.env["PATH"], HOME: it.folder, TALARIA_HOME: it.home, TALARIA_RUNTIME: runtime };
  return openHost({ env: { ...own, ...it.env }, homeDir: it.folder, cwd: it.cwd, version: "0.0.0" });
}
