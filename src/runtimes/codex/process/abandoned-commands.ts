import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Clock } from "../../../lib/clock.ts";
import { hasMark, markOf } from "../../../lib/process/process-mark.ts";
import { type ProcessRow, processRows } from "../../../lib/process/process-table.ts";
import { killTree } from "../../../lib/process/process-tree.ts";
import { childVariable } from "./child-variable.ts";

/** The programs by which codex puts a command into its sandbox, each of which starts the next. */
const helperNames: ReadonlySet<string> = new Set(["codex-linux-sandbox", "bwrap"]);

/** One that codex is just ending is still there at first. */
const lookAgainMs = 100;
const mostLooks = 5;

/**
 * Codex ends a command by its outermost process. If that has only just begun, it may have started the next one in this moment, which
 * then has no parent and is known to nobody: it would go on behind the back of whoever stopped it (codex 0.166, on a busy machine).
 * Ends those of this app-server, with all that came from them.
 */
export async function endAbandonedCommands(server: number, clock: Clock): Promise<void> {
  const mark = markOf(server, childVariable);
  if (mark === undefined) return;
  const isHelper = ({ pid, zombie }: ProcessRow): boolean =>
    !zombie && helperNames.has(programOf(pid)) && hasMark(pid, mark);
  for (let looks = 1; ; looks++) {
    const helpers = processRows().filter(isHelper);
    const abandoned = helpers.filter(({ parent }) => !hasMark(parent, mark));
    await Promise.all(abandoned.map((each) => killTree(each, clock)));
    if (abandoned.length === helpers.length || looks === mostLooks) return;
    await clock.sleep(lookAgainMs);
  }
}

function programOf(pid: number): string {
  try {
    return basename(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0] ?? "");
  } catch {
    return ""; // it has ended
  }
}
