import { stat } from "node:fs/promises";

/** Through a link, too: what counts is whether one can go on below it. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
