import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { startAnsweringModel } from "../../../bench/answering-model.ts";
import { textReply } from "../../../src/models/demo/reply.ts";
import { type CodexTalaria, pidOf, talariaOnCodex } from "../codex/codex-talaria.ts";
import { whenChanged } from "../codex/watching.ts";
import { configure } from "../endpoint.ts";
import type { Started } from "../talaria.ts";

/** Opens a shell that shows nothing of what is typed, and waits long for what it typed. */
const startTypist = (): ReturnType<typeof startAnsweringModel> =>
  startAnsweringModel(({ userTexts: said, results, model }, body) => {
    if (said.at(-1)?.includes("go on") === true) return textReply("Here again.");
    const [, terminal] =
      [...body.matchAll(/(?:session ID |session_id[\\": ]+)(\d{3,})(?![\w-])/g)].at(-1) ?? [];
    const [tool, args] =
      results.length === 0
        ? (["exec_command", { cmd: "stty -echo; bash --norc", tty: true, yield_time_ms: 1000 }] as const)
        : ([
            "write_stdin",
            { session_id: Number(terminal), chars: "touch effect\n", yield_time_ms: 25_000 },
          ] as const);
    if (model === "gpt-5.5") return { content: [{ kind: "call", tool, args: JSON.stringify(args) }] };
    const input = `text(JSON.stringify(await tools.${tool}(${JSON.stringify(args)})));`;
    return { content: [{ kind: "custom", tool: "exec", input }] };
  });

const cuts: Readonly<Record<string, (it: CodexTalaria, child: Started) => Promise<void>>> = {
  "the turn is stopped": async (_, child) => child.signal("SIGINT"),
  // It is given ten seconds in all.
  async "codex hangs when the turn is stopped"(it, child) {
    process.kill(await pidOf(it, /codex app-server/), "SIGSTOP");
    child.signal("SIGINT");
  },
  "Talaria is killed": async (it) => void process.kill(await pidOf(it, /main\.\w+ run/), "SIGKILL"),
  async "the power fails"(it) {
    const pids = [await pidOf(it, /codex app-server/), await pidOf(it, /main\.\w+ run/)];
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    for (const pid of pids.toReversed()) process.kill(pid, "SIGKILL");
  },
};

describe("what is being typed into a command of codex", { concurrency: 2 }, () => {
  for (const model of ["gpt-5.5", "gpt-6.1-sol"])
    for (const [when, cut] of Object.entries(cuts))
      test(`is a row when ${when}, with an unknown outcome (${model})`, async () => {
        await using typist = await startTypist();
        await using it = await talariaOnCodex([], { unaccounted: "another model is asked" });
        await configure(it.home, typist.url);
        const child = await it.startTurn(["--model", model, "work"]);
        await whenChanged(it.cwd, async () => (await readdir(it.cwd)).includes("effect"));
        await cut(it, child);
        await child.finished;
        await it.turn(["--continue", "go on"]);
        using db = new DatabaseSync(join(it.home, "talaria.db"), { readOnly: true });
        const rows = db.prepare("select body from item").all();
        const calls = rows.map(({ body }) => String(body)).filter((body) => body.includes("write_stdin"));
        const typed = calls.filter((body) => body.includes("touch effect"));
        assert.equal(typed.length, 1, JSON.stringify(rows));
        assert.match(typed[0] ?? "", /"tool":"write_stdin"/);
        assert.match(typed[0] ?? "", /outcome unknown/);
      });
});
