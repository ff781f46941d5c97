import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Host, Incoming, Sent } from "../../../src/core/host.ts";
import { newId } from "../../../src/core/ids.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { openHost } from "../../../src/host/index.ts";
import { says } from "../endpoint.ts";
import { type CodexTalaria, pidOf, processesOf, runs, talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";
import { halt } from "../../halt.ts";
import { asOwner, send as sendTo } from "../../owners-host.ts";

test("what is sent into a running turn joins it, what is queued comes after it, and a Stop sets the rest aside", async () => {
  await using it = await talariaOnCodex([
    { reply: [runs("until [ -e go ]; do sleep 0.05; done; echo went")] },
    says("Gone, kindly."),
    { reply: [runs("sleep 600")] },
  ]);
  await using host = await hostOf(it);
  const session = { id: newId("ses", 1), cwd: it.cwd, surface: "cli", audience: "owner" as const };
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  host.subscribe(session.id, (event) => {
    if (event.type === "begin" && event.item.kind === "call") begun[calls++]?.resolve();
  });
  let sent = 0;
  const send = (text: string, whenBusy: Incoming["whenBusy"]): Promise<Sent> => {
    const key = { surface: "cli", account: "", chat: session.id, messageId: String(sent++) };
    const input = [{ type: "text", text }] as const;
    return sendTo(host, { key, session, input, whenBusy, attended: "none", choices: { runtime: "codex" } });
  };
  const first = await send("go", "queue");
  await begun[0]?.promise;
  const joined = await send("and be kind", "steer");
  const queued = await send("now rest", "queue");
  const never = await send("never run", "queue");
  assert.deepEqual([joined.state, queued.state, never.state], ["steered", "queued", "queued"]);
  await writeFile(join(it.cwd, "go"), "");
  assert.partialDeepStrictEqual(await first.ended, { outcome: "done", text: "Gone, kindly." });
  assert.equal((await joined.ended)?.turn, (await first.ended)?.turn);
  const [go, , , kind] = heard(it.model.requests[1]);
  assert.deepEqual([go, kind], ["user go", "user and be kind"]);

  await begun[1]?.promise;
  assert.deepEqual(await asOwner(host).call("turns.stop", { session: session.id }), {
    interrupted: true,
    setAside: 1,
    ended: [],
  });
  assert.partialDeepStrictEqual(await queued.ended, { outcome: "interrupted" });
  assert.equal(await never.ended, undefined);
  assert.deepEqual(await sleepers(it), [], "nothing goes on behind the back of whoever stopped it");
  assert.equal(it.model.total, 3);
});

/** Commands that still run. Looked at again for a while: codex says that it has ended one before the system has. */
async function sleepers(it: CodexTalaria): Promise<readonly string[]> {
  for (let looks = 0; ; looks += 1) {
    const left = (await processesOf(it)).filter((line) => line.includes("sleep"));
    if (left.length === 0 || looks === 100) return left;
    await systemClock.sleep(50, new AbortController().signal);
  }
}

/** A session on codex whose first turn runs a command. */
async function begunOn(host: Awaited<ReturnType<typeof hostOf>>, cwd: string) {
  const session = { id: newId("ses", 1), cwd, surface: "cli", audience: "owner" as const };
  const begun = Promise.withResolvers<void>();
  host.subscribe(session.id, (event) => {
    if (event.type === "begin" && event.item.kind === "call") begun.resolve();
  });
  const send = (text: string, runtime: string, whenBusy: Incoming["whenBusy"] = "queue") =>
    sendTo(host, {
      key: { surface: "cli", account: "", chat: session.id, messageId: text },
      session,
      input: [{ type: "text", text }],
      whenBusy,
      attended: "none",
      choices: { runtime },
    });
  const first = await send("go", "codex");
  await begun.promise;
  return { session, send, first };
}

test("what was said into a turn is in the session once, and whoever runs the next turns is given it once", async () => {
  await using it = await talariaOnCodex([
    { reply: [runs("until [ -e go ]; do sleep 0.05; done; echo went")] },
    says("Gone, kindly."),
    says("On codex."),
    says("On the loop."),
    says("Back on codex."),
  ]);
  await using host = await hostOf(it);
  const { session, send, first } = await begunOn(host, it.cwd);
  const joined = await send("and be kind", "codex", "steer");
  assert.equal(joined.state, "steered");
  await writeFile(join(it.cwd, "go"), "");
  await first.ended;
  for (const [words, runtime] of [
    ["two", "codex"],
    ["three", "loop"],
    ["four", "codex"],
  ] as const) {
    assert.partialDeepStrictEqual(await (await send(words, runtime)).ended, { outcome: "done" });
  }
  for (const request of it.model.requests.slice(1)) {
    assert.equal(JSON.stringify(request.body).split("and be kind").length - 1, 1, `request ${request.n}`);
  }
  assert.match(heard(it.model.requests[3])[2] ?? "", /went.*says meanwhile:\]\\nand be kind/);
  const rows = await asOwner(host).call("sessions.messages", { session: session.id });
  assert.deepEqual(
    rows.flatMap(({ message }) => (message.role === "user" ? [message.content] : [])),
    ["go", "and be kind", "two", "three", "four"],
  );
  assert.equal(rows.filter(({ message }) => String(message.content).includes("be kind")).length, 1);
  assert.equal((await asOwner(host).call("sessions.search", { text: "be kind", limit: 9 })).length, 1);
});

test("what reaches a codex that had stood still is in the session after its turn, and on the loop", async () => {
  await using it = await talariaOnCodex([
    { reply: [runs("until [ -e go ]; do sleep 0.05; done; echo went")] },
    says("Heard: be kind."),
    says("On the loop."),
  ]);
  await using host = await hostOf(it);
  const { session, send, first } = await begunOn(host, it.cwd);
  const codex = await pidOf(it, /^\d+ \S*codex app-server/);
  await halt(codex);
  const said = await send("be kind", "codex", "steer");
  assert.equal(said.state, "unconfirmed");
  process.kill(codex, "SIGCONT");
  await writeFile(join(it.cwd, "go"), "");
  assert.partialDeepStrictEqual(await first.ended, { outcome: "done", text: "Heard: be kind." });
  const rows = await asOwner(host).call("sessions.messages", { session: session.id });
  const turn = (await first.ended)?.turn;
  assert.deepEqual(
    rows
      .filter((row) => row.turn === turn && row.message.role === "user")
      .map(({ message }) => message.content),
    ["go", "be kind"],
  );
  await (
    await send("next", "loop")
  ).ended;
  assert.equal(JSON.stringify(it.model.requests[2]?.body).split("be kind").length - 1, 2, "and its answer");
});

const hostOf = (it: CodexTalaria): Promise<Host> =>
  openHost({
    env: { PATH: process.env["PATH"], HOME: it.folder, TALARIA_HOME: it.home, ...it.env },
    homeDir: it.folder,
    cwd: it.cwd,
    version: "test",
  });
