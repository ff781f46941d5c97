/**
 * locked: another process holds the lock · restless: somebody saves it all the time · unreadable: it is no file, or no
 * text in UTF-8
 */
export type Trouble =
  | { readonly kind: "locked"; readonly lock: string; readonly pid?: number }
  | { readonly kind: "restless" }
  | { readonly kind: "unreadable"; readonly why: string };

/** The file was left as it was. */
export class GuardedFileError extends Error {
  readonly path: string;
  readonly trouble: Trouble;
  constructor(path: string, trouble: Trouble, cause?: unknown) {
    super(`${path} ${sentence(trouble)}`, { cause });
    this.name = "GuardedFileError";
    this.path = path;
    this.trouble = trouble;
  }
}

function sentence(trouble: Trouble): string {
  switch (trouble.kind) {
    case "locked":
      return `is being written: ${holderOf(trouble.pid)} holds ${trouble.lock}`;
    case "restless":
      return "changes all the time";
    case "unreadable":
      return `cannot be read: ${trouble.why}`;
  }
}

export const holderOf = (pid: number | undefined): string =>
  pid === undefined ? "somebody" : `the process ${pid}`;
