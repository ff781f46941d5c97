import { isDeepStrictEqual } from "node:util";
import { changedConfig } from "./edit.ts";
import { editFile } from "./file-edit.ts";
import { parseSource, valueAt } from "./source.ts";

/**
 * Changes which tools are switched off, in the file as it is now: somebody else may have changed it since it was read.
 * Resolves with what it says then; rejects with a FaultError, and then it is untouched.
 */
export async function changeDisabledTools(
  file: string,
  change: (before: readonly string[]) => readonly string[],
): Promise<readonly string[]> {
  let after: readonly string[] = [];
  await editFile(file, (text) => {
    const before = namesIn(valueAt(parseSource(file, text ?? "").content, ["tools", "disabled"]));
    after = change(before);
    if (isDeepStrictEqual(after, before)) return text;
    const typed = after.length === 0 ? {} : { typed: JSON.stringify(after) };
    return changedConfig(file, text ?? "", [{ key: "tools.disabled", ...typed }]);
  });
  return after;
}

/** What is no list of names is for the check of the file to complain about. */
const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
