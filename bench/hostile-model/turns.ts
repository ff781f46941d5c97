import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { ownSources } from "../own-child.ts";
import type { Runtime } from "./script.ts";
import type { World } from "./world.ts";

/** `yes`: somebody is there, and gives the most lasting yes. Turns of one `talk` are one conversation. */
export type Asked = {
  readonly text: string;
  readonly attended: "none" | "all" | "yes";
  readonly talk: string;
};

/** A turn as the person saw it. */
export type TurnTold = {
  readonly outcome: string;
  readonly calls: readonly { readonly tool: string; readonly ok: boolean; readonly output: string }[];
  readonly stdout: string;
  readonly stderr: string;
};

export type Turns = AsyncDisposable & {
  readonly pid: number;
  /** Rejects when Talaria has ended. */
  turn(asked: Asked): Promise<TurnTold>;
};

const program = fileURLToPath(new URL("turns.child.ts", import.meta.url));

/** No turn takes as long: what has not ended by then is killed, and the run fails. */
const patienceMs = 600_000;

export async function startTurns({ cwd, env }: World, runtime: Runtime): Promise<Turns> {
  const child = await spawnChild({
    command: process.execPath,
    args: [...ownSources, program, cwd, runtime],
    cwd,
    env: { ...env },
    kind: "hostile-model-bench",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    signal: AbortSignal.timeout(patienceMs),
  });
  const said = lines(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = await said.next();
    if (done === true) throw new Error(`Talaria ended: ${(await child.exited).stderrTail}`);
    return JSON.parse(value as string) as unknown;
  };
  const { pid } = (await next()) as { pid: number };
  return {
    pid,
    async turn(asked) {
      await child.write(`${JSON.stringify(asked)}\n`);
      return (await next()) as TurnTold;
    },
    async [Symbol.asyncDispose]() {
      child.closeInput();
      await child.exited;
      await child[Symbol.asyncDispose]();
    },
  };
}
