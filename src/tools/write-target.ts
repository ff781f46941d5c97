import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { followed, isInside } from "../lib/sandbox-paths.ts";
import { isCredentialFile } from "./credential-file.ts";

/** Where something is to be written. */
export type WriteTarget = {
  /** Where the path really leads: no symbolic link is left in it. */
  readonly path: string;
  /** Inside the working folder? */
  readonly inside: boolean;
  /** For people and models: from the working folder on, when it is inside. */
  readonly shown: string;
};

/** `refused` is a sentence for the model. Whether something is there already is not looked at. */
export async function writeTarget(
  cwd: string,
  path: string,
): Promise<WriteTarget | { readonly refused: string }> {
  const bad = badName(path);
  if (bad !== undefined) return { refused: bad };
  const root = await realpath(cwd).catch(() => undefined);
  if (root === undefined) return { refused: `The working folder ${cwd} is gone or cannot be opened.` };
  const asked = resolve(cwd, path);
  const real = await followed(asked).catch((error: unknown) => ({ refused: unreachable(path, error) }));
  if (typeof real !== "string") return real;
  if (isCredentialFile(asked) || isCredentialFile(real)) {
    return { refused: `${path} holds credentials, and such files are not changed; ask the person to do it.` };
  }
  const inside = isInside(real, root);
  return { path: real, inside, shown: inside ? relative(root, real) : real };
}

function badName(path: string): string | undefined {
  if (path.includes("\0") || !path.isWellFormed())
    return "The path has a character that no file name can have.";
  if (/^~$|^~[\w-]*\//.test(path)) {
    return `${path} begins with a home folder's sign, which is not understood here. Give the path from the working folder on or from / on; a folder that is called so is reached by ./${path}.`;
  }
  return path.endsWith("/") ? `${path} names a folder, not a file.` : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: "a part of the path is not a folder",
  EACCES: "this user may not look into a folder on the way",
  ELOOP: "it is a symbolic link that leads in a circle",
  ENOENT: "it is a symbolic link that leads through too many others",
  ENAMETOOLONG: "the path or a name in it is too long",
};

const unreachable = (path: string, error: unknown): string =>
  `${path.length > 300 ? `${path.slice(0, 300)}…` : path} cannot be written: ${reasons[codeOf(error) ?? ""] ?? String(error)}.`;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
