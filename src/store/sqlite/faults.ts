import { dirname } from "node:path";
import type { Fault } from "../../core/faults.ts";

/** SQLite's primary result codes that speak of the medium or of other users of the file, not of our statement. */
const codes = {
  permission: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  noDatabase: 26,
} as const;

export const isBusy = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code === codes.busy || code === codes.locked;
};

/** After an I/O error nobody knows what reached the disk, so what is in memory must not be trusted. */
export const isIoError = (error: unknown): boolean => sqliteCode(error) === codes.io;

/** What to tell people, when the file or its disk is to blame. */
export function storageFault(path: string, error: unknown): Fault | undefined {
  const described = describe(path, error);
  return described && { code: "storage", ...described };
}

function describe(path: string, error: unknown): Omit<Fault, "code"> | undefined {
  const disk = `the disk that holds ${dirname(path)}`;
  const full = {
    message: `There is no space left to write ${path}.`,
    next: `Free space on ${disk}, then send it again.`,
  };
  const closed = {
    message: `${path} cannot be opened or written: ${text(error)}.`,
    next: `Make ${dirname(path)} and the files in it readable and writable for the user Talaria runs as.`,
  };
  const damaged = {
    message: `${path} is not a sound database: ${text(error)}. It was left as it is.`,
    next: "Put a backup in its place while Talaria is not running, or choose another home with TALARIA_HOME.",
  };
  const failing = {
    message: `Reading or writing ${path} failed: ${text(error)}.`,
    next: `Check ${disk}, then send it again.`,
  };
  const held = {
    message: `Another program keeps ${path} locked.`,
    next: "End that program (another Talaria that hangs, or a database tool), then send it again.",
  };
  if (isOutOfSharedMemorySpace(error)) return full;
  switch (sqliteCode(error) ?? systemCode(error)) {
    case codes.full:
    case "ENOSPC":
    case "EDQUOT":
      return full;
    case codes.permission:
    case codes.readOnly:
    case codes.cannotOpen:
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOENT":
    case "ENOTDIR":
    case "EISDIR":
    case "EMFILE":
    case "ENFILE":
      return closed;
    case codes.corrupt:
    case codes.noDatabase:
      return damaged;
    case codes.io:
    case "EIO":
      return failing;
    case codes.busy:
    case codes.locked:
      return held;
    default:
      return undefined;
  }
}

/** On a full disk the first thing that fails is making the `-shm` file longer, which SQLite calls an I/O error. */
const isOutOfSharedMemorySpace = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === shmSizeCode;
const shmSizeCode = 4874;

/** The low byte is the family; the rest only refines it. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number")
    return undefined;
  return error.errcode & 0xff;
}

const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));
