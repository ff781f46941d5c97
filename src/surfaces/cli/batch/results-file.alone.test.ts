import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { asId } from "../../../core/ids.ts";
import { systemClock } from "../../../lib/clock.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { type Written, openResults } from "./results-file.ts";

const row = (line: number): Written => ({
  batch: "bat_1",
  line,
  status: "done",
  session: asId<"ses">("ses_1"),
  attempts: 1,
  answer: `Answer ${line}`,
  usage: { input: 1, cached: 0, output: 1, reasoning: 0 },
});

const prlimit = "/usr/bin/prlimit";

/** How large the files of this process may become. */
async function room(bytes: number | "unlimited"): Promise<void> {
  const { code } = await runCommand({
    command: prlimit,
    args: ["--pid", String(process.pid), `--fsize=${bytes}:unlimited`],
    cwd: "/",
    env: {},
    clock: systemClock,
    signal: new AbortController().signal,
  });
  assert.equal(code, 0);
}

const ignored = (): void => {};

test(
  "after a result that could be written only in part nothing follows, and the same command goes on",
  { skip: existsSync(prlimit) ? false : "there is no prlimit here" },
  async () => {
    await using folder = await tempFolder();
    const path = join(folder.path, "out.jsonl");
    const open = (): ReturnType<typeof openResults> =>
      openResults(path, "bat_1", { retry: false, clock: systemClock });
    process.on("SIGXFSZ", ignored);
    {
      await using results = await open();
      results.add(row(1));
      await room(JSON.stringify(row(1)).length + 20);
      assert.throws(() => results.add(row(2)), { code: "EFBIG", path });
      await room("unlimited");
      assert.throws(() => results.add(row(3)), /EFBIG/);
    }
    process.off("SIGXFSZ", ignored);
    await using again = await open();
    assert.deepEqual(again.known, [row(1)]);
  },
);
