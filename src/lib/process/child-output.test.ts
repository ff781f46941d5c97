import assert from "node:assert/strict";
import { test } from "node:test";
import { spawnChild } from "./child.ts";
import { systemClock } from "../clock.ts";
import { lines } from "../rpc/jsonl.ts";
import { isAlive } from "./process-identity.ts";

const tick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("a child that ends before it is registered has lost nothing of what it wrote", async () => {
  await using child = await spawnChild({
    command: "/bin/sh",
    args: ["-c", "echo all of it"],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    kind: "test",
    clock: systemClock,
    registry: {
      async add(row) {
        while (isAlive(row)) await tick();
        // Node lets go of what nobody reads right after the end.
        for (let i = 0; i < 20; i += 1) await tick();
      },
      remove: async () => {},
    },
  });
  assert.deepEqual(await Array.fromAsync(lines(child.stdout)), ["all of it"]);
});
