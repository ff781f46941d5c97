import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { launcherFlags, ownSources } from "../own-child.ts";
import type { RuntimeName } from "./host.ts";

export type Task =
  | {
      readonly do: "turns";
      readonly count: number;
      readonly runtime: RuntimeName;
      /** Each in a session of its own. */
      readonly isNew?: true;
      /** After so many, all but the last ten are summarised. */
      readonly summariseAfter?: number;
    }
  /** Of sessions: the newest, and those of a folder. */
  | { readonly do: "lists"; readonly count: number }
  /** What a terminal asks for when a session is gone on with. */
  | { readonly do: "screen" }
  | { readonly do: "memory" };

export type Said = { readonly ms: readonly number[]; readonly rssMiB?: number; readonly heapMiB?: number };

export type Side = AsyncDisposable & {
  /** Until the host was open. */
  readonly openMs: number;
  tell(task: Task): Promise<Said>;
};

const childFile = fileURLToPath(new URL("side.child.ts", import.meta.url));

export async function startSide(home: string): Promise<Side> {
  const child = await spawnChild({
    command: process.execPath,
    args: ["--expose-gc", ...launcherFlags, ...ownSources, childFile, home],
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "" },
    kind: "growth-bench-side",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  const said = lines(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<Said> => {
    const { value, done } = await said.next();
    if (done === true) throw new Error(`the side ended: ${child.stderrTail()}`);
    return JSON.parse(value) as Said;
  };
  const [openMs = Number.NaN] = (await next()).ms;
  return {
    openMs,
    async tell(task) {
      await child.write(`${JSON.stringify(task)}\n`);
      return next();
    },
    async [Symbol.asyncDispose]() {
      child.closeInput();
      await child[Symbol.asyncDispose]();
    },
  };
}
