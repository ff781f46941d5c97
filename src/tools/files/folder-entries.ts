import {
  type Dirent,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from "node:fs";

/**
 * What a folder holds, in order of the names. The path has no symbolic links in it; undefined if one has appeared there
 * since, or if the folder cannot be read.
 */
export function folderEntries(folder: string): readonly Dirent[] | undefined {
  try {
    const entries = process.platform === "linux" ? entriesHeldOpen(folder) : entriesByName(folder);
    return entries?.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return undefined;
  }
}

/** Read from what is open, so that a link that was there only meanwhile does not count either. */
function entriesHeldOpen(folder: string): readonly Dirent[] | undefined {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const held = `/proc/self/fd/${fd}`;
    return readlinkSync(held) === folder ? readdirSync(held, { withFileTypes: true }) : undefined;
  } finally {
    closeSync(fd);
  }
}

function entriesByName(folder: string): readonly Dirent[] | undefined {
  const entries = readdirSync(folder, { withFileTypes: true });
  return realpathSync(folder) === folder ? entries : undefined;
}
