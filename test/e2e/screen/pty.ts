import { systemClock } from "../../../src/lib/clock.ts";
import { processRow } from "../../../src/lib/process/process-table.ts";
import { endTree, processTree } from "../../../src/lib/process/process-tree.ts";

/** A running program whose terminal is a pseudo-terminal. Disposing kills it and all that it started. */
export type PtyProgram = AsyncDisposable & {
  readonly pid: number;
  /** These do nothing when it has ended. */
  write(text: string): void;
  resize(columns: number, rows: number): void;
  kill(signal: NodeJS.Signals): void;
  /** Closes the terminal under it. */
  hangUp(): void;
  /** Everything that it wrote has been told by then. */
  readonly exited: Promise<Exit>;
};

export type Exit = { readonly code: number; readonly signal?: number };

type PtyOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  readonly onText: (text: string) => void;
};

/** An addon for each system, so it may be missing. */
const addon = await import("@lydell/node-pty").catch(() => undefined);

/** For the `skip` of a test. */
export const noPty: string | false =
  addon === undefined && "the addon that makes pseudo-terminals does not load here: reinstall with `npm ci`";

export function startInPty(options: PtyOptions): PtyProgram {
  if (addon === undefined) throw new Error(String(noPty));
  const { command, args, cwd, columns: cols, rows } = options;
  const program = addon.spawn(command, [...args], { cols, rows, cwd, env: { ...options.env } });
  const { pid } = program;
  const tree = processTree({ pid, startTime: processRow(pid)?.startTime ?? "" });
  let over = false;
  const unlessOver = (act: () => void): void => (over ? undefined : act());
  program.onData(options.onText);
  const exited = new Promise<Exit>((resolve) => {
    program.onExit(({ exitCode: code, signal }) => {
      over = true;
      tree.look({ leaderEnded: true });
      resolve(signal === undefined || signal === 0 ? { code } : { code, signal });
    });
  });
  return {
    pid,
    write: (text) => unlessOver(() => program.write(text)),
    resize: (columns, lines) => unlessOver(() => program.resize(columns, lines)),
    kill: (signal) =>
      unlessOver(() => {
        tree.look(); // whom it started can be told from strangers only while it lives
        program.kill(signal);
      }),
    hangUp: () => unlessOver(() => (program as unknown as { destroy(): void }).destroy()),
    exited,
    async [Symbol.asyncDispose]() {
      tree.signal("SIGKILL");
      await exited;
      await endTree(tree, systemClock);
    },
  };
}
