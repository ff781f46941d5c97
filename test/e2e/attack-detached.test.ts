import assert from "node:assert/strict";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runs, talariaOnCodex } from "./codex/codex-talaria.ts";
import { says } from "./endpoint.ts";

const todo =
  "codex knows only its own terminals; what a command outside of the sandbox detaches is not looked for";

/** Without a sandbox, which would end it with its command. What `env -i` starts has no mark either. */
describe("what a command of codex leaves running by itself", () => {
  for (const clean of ["", "env -i "])
    test(`is said, and ends with the program: ${clean}setsid`, { todo }, async () => {
      await using it = await talariaOnCodex([
        { reply: [runs(`${clean}setsid sleep 6120 > /dev/null 2>&1 < /dev/null & echo $! > pid; cat pid`)] },
        says("It runs."),
        says("Here again."),
      ]);
      await appendFile(join(it.home, "config.yaml"), "terminal: { security_mode: unrestricted }\n");
      const turns = [await it.turn(["start it"]), await it.turn(["--continue", "go on"])];
      const pid = (await readFile(join(it.cwd, "pid"), "utf8")).trim();
      const running = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (running.includes("6120")) process.kill(Number(pid), "SIGKILL");
      const said = turns.flatMap(({ lines }) =>
        lines.filter(({ type }) => type === "notice" || type === "ended"),
      );
      assert.equal(running, "");
      assert.match(JSON.stringify(said), /sleep 6120/);
    });
});
