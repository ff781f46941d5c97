import { access, constants, stat } from "node:fs/promises";

/** `folder` and `locked` are there, but cannot be run. */
export type Runnable = "yes" | "missing" | "folder" | "locked";

export async function isRunnable(path: string): Promise<Runnable> {
  try {
    if ((await stat(path)).isDirectory()) return "folder";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "locked" : "missing";
  }
  try {
    await access(path, constants.X_OK);
    return "yes";
  } catch {
    return "locked";
  }
}
