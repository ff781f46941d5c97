import { statSync } from "node:fs";

type Attempt = { readonly command: string; readonly cwd: string };

/** The program did not start. `message` says why and what to do. */
export class SpawnError extends Error {
  /** The system's code, such as ENOENT. */
  readonly code: string | undefined;
  readonly path: string;
  readonly cwd: string;
  constructor({ command, cwd }: Attempt, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code;
    super(`Cannot start ${command}: ${reason(code, { command, cwd }, cause)}`, { cause });
    this.name = "SpawnError";
    this.code = code;
    this.path = command;
    this.cwd = cwd;
  }
}

function reason(code: string | undefined, { command, cwd }: Attempt, cause: unknown): string {
  // The system blames the command for a bad working directory.
  if (!isFolder(cwd)) return `its working directory ${cwd} is not a folder. Create it or choose another one.`;
  if (code === "ENOENT" && command.includes("/"))
    return "there is no such file, or the interpreter it names is missing. Correct the path or install the program.";
  if (code === "ENOENT") return "no program of that name is in the PATH. Install it, or give its whole path.";
  if (code === "EACCES")
    return `the file may not be run, or a folder on its path may not be read. Check it with \`ls -l\`, and make it executable with \`chmod +x\`.`;
  if (code === "ENOTDIR") return "a part of its path is a file, not a folder. Correct the path.";
  if (code === "ENOEXEC")
    return "the file is no program for this machine. Install the build for this system and processor.";
  if (code === "E2BIG") return "its arguments and environment are too long. Pass less.";
  if (code === "EAGAIN" || code === "EMFILE" || code === "ENFILE")
    return `this machine allows no more processes or open files (${code}). End some, or raise the limit.`;
  return `${cause instanceof Error ? cause.message : String(cause)}.`;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
