import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { environment, newPlace } from "../../bench/codex/place.ts";
import { newId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { findCodex } from "../../src/runtimes/codex/process/binary.ts";
import { startDemoModel } from "../fakes/demo-model.ts";
import { parseDemoScript } from "../fakes/demo-script.ts";
import { send } from "../owners-host.ts";

/** `statements`: without those that begin and end transactions. The loop reads what came since the turn before. */
for (const [runtime, statements] of [
  ["codex", 11],
  ["loop", 12],
] as const)
  test(`a warm turn of text on ${runtime} makes ${statements} statements and 4 commits at most`, async () => {
    const { signal } = new AbortController();
    const codex = await findCodex({ env: {}, ownRoot: resolve("."), clock: systemClock, signal });
    assert.ok("path" in codex);
    const script = parseDemoScript({ maxRequests: 99, steps: [], otherwise: [{ text: "Done." }] });
    await using model = await startDemoModel({ clock: systemClock, script });
    await using place = await newPlace(codex.path, model.url);
    let made: string[] = [];
    const onStatement = (sql: string, when: "before" | "after"): void =>
      void (when === "after" && made.push(sql));
    const seams = { store: { onStatement } };
    const start = { env: environment(place), homeDir: place.folder, cwd: place.cwd, version: "test", seams };
    await using host = await openHost(start);
    const id = newId("ses", systemClock.now());
    for (const turn of [1, 2, 3, 4]) {
      made = [];
      const key = { surface: "cli", account: "", chat: id, messageId: String(turn) };
      const session = turn === 1 ? ({ id, cwd: place.cwd, surface: "cli", audience: "owner" } as const) : id;
      const input = [{ type: "text", text: "go on" }] as const;
      const choices = turn === 1 ? { runtime } : {};
      const sent = await send(host, { key, session, input, choices, whenBusy: "refuse", attended: "none" });
      assert.equal((await sent.ended)?.outcome, "done");
    }
    const commits = made.filter((sql) => sql === "commit").length;
    const others = made.filter((sql) => !/^(begin|commit|rollback)/.test(sql));
    assert.ok(others.length <= statements && commits <= 4, `${commits} commits\n${others.join("\n")}`);
  });
