import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { tempHome } from "../../config/temp-home.suite.ts";
import { asId } from "../../core/ids.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import type { Tool, ToolBox } from "../../tools/tool.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { hostToolBox } from "./tool-box.ts";
import { toolSwitches } from "./switches.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

test("what a tool writes while it runs is masked like its result, also when a secret comes in two pieces", async () => {
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(await tempFolder());
  const clock = fakeClock();
  const store = opened.use(await openTestStore(join(folder, "talaria.db"), { clock }));
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
  const redact = redactor(["hunter2-hunter2"]);
  const shell = { tools: async () => [leaky], guarded: [] };
  const box = await hostToolBox({ store, shell, redact })({
    session: asId<"ses">("ses_1"),
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
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

const tool = (name: string, toolset: string, deferred: boolean): Tool => ({
  name,
  toolset,
  deferred,
  description: "",
  schema: z.object({}),
  effect: "none",
  timeoutMs: 1000,
  maxOutputChars: 1000,
  run: async () => ({ ok: true, output: `${name} ran` }),
});

const has = (box: ToolBox, name: string): boolean =>
  box.enabled.includes(name) && box.specs.some((spec) => spec.name === name);

test("tools that would come too late to be offered are a mistake, not a silence", async (t) => {
  const { config } = await (await tempHome(t)).load();
  await using store = await openTestStore(config.paths.db, { clock: fakeClock() });
  const box = hostToolBox({ store, shell: { tools: async () => [], guarded: [] }, redact: redactor([]) });
  box.add(async () => [tool("whisper", "quiet", false)]);
  const names = (await box.tools()).map(({ name }) => name);
  assert.equal(names.at(-1), "whisper");
  assert.throws(() => box.add(async () => []), /these would be missing/);
});

test("a tool that is switched off is neither offered nor run, from the next turn on", async (t) => {
  await using opened = new AsyncDisposableStack();
  const home = await tempHome(t, { config: "tools: { disabled: [quiet] }\n" });
  const { config } = await home.load();
  const clock = fakeClock();
  const store = opened.use(await openTestStore(config.paths.db, { clock }));
  const mine = [tool("whisper", "quiet", true), tool("shout", "loud", false)];
  const host = hostToolBox({
    store,
    shell: { tools: async () => [], guarded: [] },
    redact: redactor([]),
    switches: toolSwitches(config),
    changing: async () => mine,
  });
  const turn = () =>
    host({
      session: asId<"ses">("ses_1"),
      turn: asId<"trn">("trn_1"),
      ...ownersTurn,
      cwd: home.home,
      clock,
      ask: async () => ({ choice: "deny", why: "not_asked" }),
      inquire: async () => undefined,
    });
  const { signal } = new AbortController();
  const first = await turn();
  assert.deepEqual([has(first, "whisper"), has(first, "shout")], [false, true]);
  assert.equal(
    first.specs.some((spec) => spec.name === "tool_search"),
    false,
  );
  assert.match((await first.call("whisper", {}, signal)).output, /^whisper is switched off here/);

  await host.switches.set(await host.tools(), ["whisper"], true);
  await host.switches.set(await host.tools(), ["loud"], false);
  assert.equal((await first.call("shout", {}, signal)).output, "shout ran", "a turn keeps its tools");
  const second = await turn();
  assert.deepEqual([has(second, "whisper"), has(second, "shout")], [true, false]);
  assert.equal((await second.call("whisper", {}, signal)).output, "whisper ran");
  assert.deepEqual((await second.call("tool_search", { query: "whisper" }, signal)).found, ["whisper"]);
});
