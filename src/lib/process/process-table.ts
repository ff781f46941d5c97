// oxlint-disable-next-line no-restricted-imports -- child.ts needs this file, so it cannot come from there
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";

export type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Not known everywhere. */
  readonly session: number | undefined;
  /** Tells a process from a later one with the same pid. To be compared, not read. */
  readonly startTime: string;
  /** It has ended, and only waits for its parent to take notice. */
  readonly zombie: boolean;
};

export function processRow(pid: number): ProcessRow | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return hasProc ? statRow(pid) : psRows(["-p", String(pid)])[0];
}

/** Every process of the machine, or of our container. */
export function processRows(): ProcessRow[] {
  if (!hasProc) return psRows(["-A"]);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statRow(Number(name)) ?? []);
}

const hasProc = process.platform === "linux";

function statRow(pid: number): ProcessRow | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"), bootId());
  } catch (error) {
    // Any other trouble must not pass for the end of a process: too many open files, for one.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/**
 * The line of /proc/<pid>/stat. The name of the command may hold blanks and brackets, so the other fields are counted
 * from its last bracket. The start is counted from the boot, so that boot is part of it.
 */
export function parseStat(line: string, boot: string): ProcessRow | undefined {
  const [state, parent, group, session, ...rest] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const ticks = rest[15];
  if (ticks === undefined) return undefined;
  return {
    pid: Number.parseInt(line, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: `${ticks}@${boot}`,
    zombie: state === "Z" || state === "X",
  };
}

const bootFile = "/proc/sys/kernel/random/boot_id";
let knownBoot: string | undefined;
function bootId(): string {
  knownBoot ??= existsSync(bootFile) ? readFileSync(bootFile, "utf8").slice(0, 8) : "";
  return knownBoot;
}

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
