// oxlint-disable-next-line no-restricted-imports -- child.ts needs this file, so it cannot come from there
import { spawnSync } from "node:child_process";
import type { ProcessRow } from "./process-table.ts";

const columns = ["pid=", "ppid=", "pgid=", "stat=", "lstart="].flatMap((column) => ["-o", column]);

/** Processes as `ps` tells them, for systems without /proc. `which` is `-A`, or `-p` and a number. */
export function psRows(which: readonly string[]): ProcessRow[] {
  const { stdout, error } = spawnSync("ps", [...which, ...columns], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  return stdout.split("\n").flatMap(parseRow);
}

function parseRow(line: string): ProcessRow[] {
  const [pid, parent, group, state = "", ...start] = line.trim().split(/\s+/);
  if (start.length === 0) return [];
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: undefined,
      startTime: start.join(" "),
      zombie: state.startsWith("Z"),
    },
  ];
}
