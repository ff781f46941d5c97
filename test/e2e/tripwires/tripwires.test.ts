import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { onLoopback } from "../../loopback.ts";
import { runs, talariaOnCodex, told } from "../codex/codex-talaria.ts";
import { says } from "../endpoint.ts";
import { noPty } from "../screen/pty.ts";
import { chatOn } from "../screen/tui.ts";
import { trappedRepository } from "./repository.ts";

const reads = { reply: [{ call: { tool: "read_file", args: { path: "README.md" } } }] };
const finds = { reply: [{ call: { tool: "search_files", args: { pattern: "owl" } } }] };
const harmless = "ls -la; cat README.md; printf 'x\\n' > made.txt";
const lists = { reply: [{ call: { tool: "terminal", args: { command: harmless } } }] };

/** Whoever has `.` on the PATH runs what lies in a folder; we do not, in that folder. */
const careless = { PATH: `.:${process.env["PATH"] ?? "/usr/bin:/bin"}` };

/** Once is enough: they care little about hooks. */
const commands = [["doctor"], ["sessions", "list"], ["tools"], ["approvals", "rules"], ["config"]];

/**
 * Codex asks git by itself whether something has changed. It switches hooks and fsmonitor off, but not the filters that
 * `.git/config` names, and nothing that we could tell it does.
 */
const ofCodex = ["git-filter-trap--clean", "git-filter-o-w-l--clean"];

describe("a repository full of tripwires", () => {
  for (const hooks of ["own", "path"] as const) {
    test(`trips none when Talaria works in it, with hooks in their ${hooks}`, { skip: noPty }, async () => {
      await using asked = await loopback();
      await using it = await talariaOnCodex([
        reads,
        finds,
        lists,
        says("Done here."),
        { reply: [runs(harmless)] },
        says("Done there."),
        says("Shown."),
      ]);
      const trips = join(it.folder, "trips");
      const path = join(it.folder, "work", "repository");
      const trapped = await trappedRepository({ path, trips, hooks, elsewhere: asked.url });
      const how = { cwd: path, env: careless };
      const sprung = async (when: string): Promise<void> =>
        assert.deepEqual(await trapped.sprung(), [], `${when} tripped them`);
      await sprung("nothing yet");

      const looped = await it.run(["run", "--json", "look around"], how);
      assert.deepEqual(
        told(looped).items.map((item) => (item.kind === "call" ? [item.tool, item.ok] : [item.kind])),
        [["read_file", true], ["search_files", true], ["terminal", true], ["text"]],
      );
      await sprung("a turn on the loop");
      const onCodex = told(await it.run(["run", "--runtime", "codex", "--json", "look around"], how));
      assert.equal(onCodex.ended.outcome, "done", onCodex.stdout);
      assert.partialDeepStrictEqual(onCodex.items[0], { kind: "call", exitCode: 0 });
      for (const left of ofCodex) await rm(join(trips, left), { force: true });
      await sprung("a turn on codex");
      for (const args of hooks === "own" ? commands : []) {
        await it.run(args, how);
        await sprung(args.join(" "));
      }
      await using screen = await chatOn(it, [], how);
      screen.type("see @ow");
      await screen.shows("src/owl.ts");
      await sprung("completing a file");
      screen.press("tab");
      await screen.shows(/^see @src\/owl\.ts$/m);
      screen.press("ctrl+c");
      await screen.gone("see @");
      screen.say("/diff");
      await screen.shows(/\+two/, "all");
      await sprung("/diff");
      screen.say("/status");
      await screen.shows(/^session /m, "all");
      screen.say("/context");
      await screen.shows(/^project .*$/m, "all");
      screen.say("and now?");
      await screen.shows("Shown.");
      screen.say("/quit");
      await screen.ends();
      await sprung("the screen");
      assert.equal(asked.hits(), 0, "nobody asked the address that the repository names");

      await trapped.git("status");
      await trapped.git("diff");
      const bySomebodyElse = await trapped.sprung();
      assert.ok(bySomebodyElse.length >= 4, `plain git trips ${bySomebodyElse.join(", ")}`);
      assert.ok(trapped.traps >= 40, `${trapped.traps} tripwires`);
    });
  }
});

async function loopback() {
  let hits = 0;
  const server = createServer((_, response) => {
    hits += 1;
    response.end();
  });
  const bound = await onLoopback(server);
  return {
    url: `${bound.origin}/v1`,
    hits: () => hits,
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}
