import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";

/** Part of its command, and of no other process of this machine. */
export const bystanderMark = "3217654";

/** A process of the person's that has nothing to do with it all. */
export async function startBystander(): Promise<AsyncDisposable & { isAlive(): boolean }> {
  const child = await spawnChild({
    command: "/bin/sleep",
    args: [bystanderMark],
    cwd: "/",
    env: {},
    kind: "hostile-model-bench",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  let alive = true;
  void child.exited.then(() => (alive = false));
  return { isAlive: () => alive, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}
