import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { loadConfig } from "../../../src/config/config.ts";
import type { AuxiliaryCall } from "../../../src/core/auxiliary.ts";
import { auxiliary, auxiliaryTarget } from "../../../src/host/models/auxiliary.ts";
import { lazyCodexRuntime } from "../../../src/host/codex/runtime.ts";
import { routes } from "../../../src/host/models/routes.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { converse } from "../../../src/models/converse.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { noTerminal, terminalOf } from "../pseudo-terminal.ts";
import { type CodexTalaria, ownProvider, talariaOnCodex } from "./codex-talaria.ts";

test("with a login alone a chat gets its title on a thread that leaves nothing, and the ledger names it", async (t) => {
  const asked = Promise.withResolvers<void>();
  await using it = await talariaOnCodex(
    [
      { when: "^Where", reply: [{ text: "In the harbour." }] },
      { when: '^\\{"user"', reply: [{ text: '{"title":"Red boats in the harbour"}' }] },
      { when: "^And", reply: [{ text: "In the lake." }] },
    ],
    { onRequest: ({ body }) => void (isTitle(body) && asked.resolve()) },
  );
  await loginOnly(it);
  const terminal = await terminalOf(it);
  if (terminal === undefined) return t.skip(noTerminal);
  await terminal.shows(/\n› $/);
  await terminal.write("Where are the red boats?\n");
  await terminal.shows(/In the harbour\.[^]*\n› $/);
  await asked.promise;
  const title = await untilTitled(it);
  assert.equal(title, "Red boats in the harbour");
  await terminal.write("And the blue ones?\n");
  await terminal.shows(/In the lake\.[^]*\n› $/);
  await terminal.write("/quit\n");
  assert.equal((await terminal.finished).code, 0);

  assert.match((await it.run(["sessions", "list"])).stdout, /Red boats in the harbour/);
  assert.equal((await rollouts(it)).length, 1, "the conversation's own, and no other");
  const talk = JSON.stringify(it.model.requests.at(-1)?.body);
  assert.ok(talk.includes("In the harbour.") && !talk.includes("3 to 7 words"));
  assert.equal(it.model.total, 3);
  const rows = costs(it);
  assert.deepEqual(rows.map(({ cause, runtime, provider }) => [cause, runtime, provider]).toSorted(), [
    ["title_generation", "codex", "openai-codex"],
    ["turn", "codex", "openai-codex"],
    ["turn", "codex", "openai-codex"],
  ]);
  assert.ok(rows.every(({ input }) => input > 0));
});

test("with a login alone a judge answers on such a thread, too", async () => {
  const verdict = '{"done":true}';
  await using it = await talariaOnCodex([{ reply: [{ text: verdict }] }]);
  await loginOnly(it);
  const call: AuxiliaryCall = {
    task: "goal_judge",
    instructions: "Is the goal reached?",
    input: "goal and transcript",
    outputSchema: {
      type: "object",
      properties: { done: { type: "boolean" } },
      required: ["done"],
      additionalProperties: false,
    },
  };
  const answer = await askInProcess(it, call);
  assert.partialDeepStrictEqual(answer, { text: verdict, provider: "openai-codex", model: "gpt-5.5" });
  assert.deepEqual(await rollouts(it), []);
  assert.deepEqual(
    costs(it).map(({ cause, runtime, model }) => [cause, runtime, model]),
    [["goal_judge", "codex", "gpt-5.5"]],
  );
});

test("a one-shot run asks for no title", async () => {
  await using it = await talariaOnCodex([{ reply: [{ text: "One." }] }]);
  await loginOnly(it);
  assert.equal((await it.run(["run", "one"])).stdout, "One.\n");
  assert.equal(it.model.total, 1);
});

const isTitle = (body: unknown): boolean => JSON.stringify(body).includes("3 to 7 words");

const loginOnly = async (it: CodexTalaria): Promise<void> =>
  writeFile(join(it.home, "config.yaml"), await ownProvider(it), { mode: 0o600 });

async function rollouts({ codexHome }: CodexTalaria): Promise<readonly string[]> {
  const found = await readdir(join(codexHome, "sessions"), { recursive: true }).catch(() => []);
  return found.filter((name) => name.endsWith(".jsonl"));
}

/** The title is written after the model's answer, so it may take a moment longer. */
async function untilTitled({ home }: CodexTalaria): Promise<unknown> {
  using db = new DatabaseSync(join(home, "talaria.db"), { readOnly: true });
  const deadline = AbortSignal.timeout(20_000);
  for (;;) {
    const row = db.prepare("SELECT title FROM session WHERE title IS NOT NULL").get();
    if (row !== undefined || deadline.aborted) return row?.["title"];
    await systemClock.sleep(20, deadline, { hold: true }).catch(() => {});
  }
}

type Cost = {
  readonly cause: string;
  readonly runtime: string;
  readonly provider: string;
  readonly model: string;
  readonly input: number;
};

function costs({ home }: CodexTalaria): readonly Cost[] {
  using db = new DatabaseSync(join(home, "talaria.db"), { readOnly: true });
  return db.prepare("SELECT cause, runtime, provider, model, input FROM usage ORDER BY seq").all() as Cost[];
}

const log = (): void => {};

/** As the host joins the parts. */
async function askInProcess(it: CodexTalaria, call: AuxiliaryCall) {
  const env = { PATH: process.env["PATH"], HOME: it.folder, TALARIA_HOME: it.home, ...it.env };
  const loaded = await loadConfig({ env, homeDir: it.folder, flags: {} });
  await using store = await openSqliteStore(loaded.config.paths.db);
  await using known = routes(loaded, systemClock);
  const processes = { add: async () => {}, remove: async () => {} };
  await using codex = lazyCodexRuntime({
    loaded,
    routes: known,
    env,
    clock: systemClock,
    processes,
    version: "0.0.0",
    store,
    off: () => [],
    log,
    redact: (text) => text,
  });
  const ask = auxiliary({
    targetFor: (task) => auxiliaryTarget(loaded, known, task),
    converse,
    askCodex: codex.ask,
    usedUp: async () => undefined,
    record: (row) => store.usage.add(row),
    clock: systemClock,
    log,
  });
  return await ask(call, new AbortController().signal);
}
