import { delimiter, isAbsolute } from "node:path";

/**
 * A PATH without its relative entries. With one, whoever made the folder that a program is started in would choose what
 * runs as `git`.
 */
export const absoluteFolders = (path: string): string =>
  path.split(delimiter).filter(isAbsolute).join(delimiter);
