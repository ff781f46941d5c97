import { delimiter, isAbsolute } from "node:path";

/**
 * A PATH without the folders that depend on where a program is started: in a folder that is not one's own, whoever made
 * it would choose what runs as `git`.
 */
export const absoluteFolders = (path: string): string =>
  path.split(delimiter).filter(isAbsolute).join(delimiter);
