import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import type { World } from "./world.ts";

const program = fileURLToPath(new URL("flipper.child.ts", import.meta.url));

export type Flipper = { stop(): Promise<number> };

/** Another process that swaps paths under our feet. `stop` tells how often. */
export async function startFlipper({ cwd, outside }: World): Promise<Flipper> {
  const child = await spawnChild({
    command: process.execPath,
    args: [program, cwd, outside],
    cwd: "/",
    env: {},
    kind: "hostile-paths-bench",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  const said = lines(child.stdout)[Symbol.asyncIterator]();
  await said.next();
  return {
    async stop() {
      await using _ = child;
      child.closeInput();
      const { value } = await said.next();
      await child.exited;
      return Number(value);
    },
  };
}
