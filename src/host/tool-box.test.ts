import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { asId } from "../core/ids.ts";
import { redactor } from "../lib/redact.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import type { Tool } from "../tools/tool.ts";
import { hostToolBox } from "./tool-box.ts";

test("what a tool writes while it runs is masked like its result, also when a secret comes in two pieces", async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "talaria-box-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const clock = fakeClock();
  const store = opened.use(await openSqliteStore(join(folder, "talaria.db"), { clock }));
  const key = "-----BEGIN PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END PRIVATE KEY-----\n";
  const pieces = ["my ", "hunter2-", "hunter2\n", key.slice(0, 30), key.slice(30), "done"];
  const leaky: Tool = {
    name: "leaky",
    description: "",
    schema: z.object({}),
    effect: "none",
    toolset: "test",
    timeoutMs: 60_000,
    maxOutputChars: 1000,
    async run(_args, { progress }) {
      for (const piece of pieces) {
        progress?.(piece);
        await clock.advance(100);
      }
      return { ok: true, output: pieces.join("") };
    },
  };
  const box = await hostToolBox(
    store,
    { tools: async () => [leaky] },
    redactor(["hunter2-hunter2"]),
  )({
    session: asId<"ses">("ses_1"),
    turn: asId<"trn">("trn_1"),
    cwd: folder,
    clock,
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
  });
  const told: string[] = [];
  const { signal } = new AbortController();
  const { output } = await box.call("leaky", {}, signal, (text) => told.push(text));
  assert.deepEqual(told, ["my [redacted]\n", "[redacted]\n", "done"]);
  assert.equal(output, told.join(""));
});
