// oxlint-disable-next-line no-restricted-imports -- the one child that shares our terminal, so child.ts is not for it
import { spawn } from "node:child_process";
import { SpawnError } from "./spawn-error.ts";

const ignore = (): void => {};

/** Runs a program on our own terminal, with our environment and process group, and gives its exit code. `env`: also set. */
export function runForeground(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
    // Ctrl+C reaches both processes; only the child acts on it.
    process.on("SIGINT", ignore);
    const done = (): void => void process.off("SIGINT", ignore);
    child.once("error", (error: NodeJS.ErrnoException) => {
      done();
      reject(new SpawnError({ command, cwd }, error));
    });
    child.once("exit", (code, signal) => {
      done();
      resolve(code ?? (signal === "SIGINT" ? 130 : 1));
    });
  });
}
