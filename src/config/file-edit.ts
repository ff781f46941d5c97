import { realpath, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { FaultError } from "../core/faults.ts";
import { writeFileAtomic } from "../lib/files/atomic-file.ts";
import { lanes } from "../lib/lanes.ts";
import { readTextFile } from "./files.ts";
import { configFault } from "./findings.ts";
import { makePrivateFolder } from "./home.ts";

const edits = lanes<string>();

/**
 * Replaces the text of a file, where `undefined` stands for no file. Edits of one file take turns here; one by another
 * program or a person in between is noticed and kept: `change` is asked again. False: it was so already.
 */
export const editFile = (
  file: string,
  change: (before: string | undefined) => Promise<string | undefined> | string | undefined,
): Promise<boolean> =>
  edits.run(file, async () => {
    for (let tries = 0; tries < 3; tries++) {
      const before = await readTextFile(file);
      const after = await change(before);
      if (after === before) return false;
      if ((await readTextFile(file)) !== before) continue;
      await (after === undefined ? remove(file) : write(file, after));
      return true;
    }
    throw configFault(
      [{ file, message: "changes all the time" }],
      "Nothing was written; try again in a moment.",
    );
  });

async function write(file: string, text: string): Promise<void> {
  await makePrivateFolder(dirname(file));
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  await writeFileAtomic(file, text, { mode }).catch((error: unknown) => {
    throw notWritten(file, error);
  });
}

/** Removes the file that a symbolic link points to, and keeps the link. */
async function remove(file: string): Promise<void> {
  try {
    await unlink(await realpath(file));
  } catch (error) {
    throw notWritten(file, error);
  }
}

function notWritten(file: string, error: unknown): FaultError {
  const message = `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  const next = "Nothing was changed; check the disk and the file's mode.";
  return new FaultError({ code: "storage", message, next }, error);
}
