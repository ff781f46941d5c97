import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { ownSources } from "../own-child.ts";
import { environment } from "./place.ts";
import type { SideOptions, TurnTimes } from "./side.ts";

/** A side, from outside. One block at a time. */
export type SideProcess = AsyncDisposable & { block(turns: number): Promise<readonly TurnTimes[]> };

const program = fileURLToPath(new URL("side.child.ts", import.meta.url));

export async function sideProcess(options: SideOptions): Promise<SideProcess> {
  const child = await spawnChild({
    command: process.execPath,
    args: [...ownSources, program, JSON.stringify(options)],
    cwd: process.cwd(),
    env: { ...environment(options.folder) },
    kind: "bench-side",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    grace: { inputMs: 8_000, termMs: 2_000 },
  });
  const answers = lines(child.stdout);
  return {
    async block(turns) {
      await child.write(`${turns}\n`);
      const { value, done } = await answers.next();
      if (done === true)
        throw new Error(`The ${options.name} side ended: ${(await child.exited).stderrTail}`);
      return JSON.parse(value) as readonly TurnTimes[];
    },
    async [Symbol.asyncDispose]() {
      child.closeInput();
      await child.exited;
      await child[Symbol.asyncDispose]();
    },
  };
}
