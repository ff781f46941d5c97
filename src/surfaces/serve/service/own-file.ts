import { lstat, readFile, readlink } from "node:fs/promises";
import { Refusal } from "../../../core/host.ts";
import type { ServiceFile } from "./unit.ts";

/**
 * What the file of the service says now; `undefined`: there is none. Rejects with a Refusal on anything that we have not written
 * ourselves. A link is never followed: what it leads to is not ours to replace, and reading it may never end.
 */
export async function readOwn({ path, name, mark }: ServiceFile): Promise<string | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new Refusal(
      "storage",
      `${path} cannot be looked at: ${error.message}.`,
      "See who owns that folder.",
    );
  });
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) throw isLink(path, name, await readlink(path));
  if (!found.isFile())
    throw new Refusal(
      "usage",
      `${path} is not a file, so it was left as it is.`,
      `Remove it, and try again.`,
    );
  const text = await readFile(path, "utf8");
  if (text.includes(mark)) return text;
  throw new Refusal(
    "usage",
    `${path} was not written by Talaria, so it was left as it is.`,
    "Move it away if the service is to have that name, and try again.",
  );
}

/** systemd says of a service that nobody is to start that it leads nowhere. */
const isLink = (path: string, name: string, target: string): Refusal =>
  target === "/dev/null"
    ? new Refusal(
        "usage",
        `The service is masked: ${path} is a link to /dev/null. Nothing was changed.`,
        `Allow it again: systemctl --user unmask ${name}`,
      )
    : new Refusal(
        "usage",
        `${path} is a link to ${target}, so it was left as it is.`,
        `Remove the link, and try again: rm ${path}`,
      );
