import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";

export type HandSays =
  | { readonly saved: number; readonly file: string; readonly hash: string }
  | { readonly missing: number; readonly file: string }
  | { readonly paused: true };

export type Hand = AsyncDisposable & {
  /** The last save of each file. */
  readonly saves: ReadonlyMap<string, { readonly saved: number; readonly hash: string }>;
  /** Saves that were gone when the hand came back: they have to be somewhere else. */
  readonly missing: { readonly missing: number; readonly file: string }[];
  /** Of which these were found: in a revision, or under a name beside the file. */
  readonly moved: Set<string>;
  pause(): Promise<void>;
  resume(): Promise<void>;
};

const program = fileURLToPath(new URL("hand.child.ts", import.meta.url));

export async function startHand(home: string, seed: number): Promise<Hand> {
  const child = await spawnChild({
    command: process.execPath,
    args: [program, home, String(seed)],
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "" },
    kind: "hand",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  const saves = new Map<string, { saved: number; hash: string }>();
  const missing: Hand["missing"] = [];
  let paused = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const line of lines(child.stdout)) {
      const fact = JSON.parse(line) as HandSays;
      if ("saved" in fact) saves.set(fact.file, fact);
      if ("missing" in fact) missing.push(fact);
      if ("paused" in fact) paused.resolve();
    }
    paused.reject(new Error(`the hand is gone: ${(await child.exited).stderrTail}`));
  })();
  return {
    saves,
    missing,
    moved: new Set(),
    async pause() {
      paused = Promise.withResolvers();
      await child.write("pause\n");
      await paused.promise;
    },
    resume: () => child.write("go\n"),
    async [Symbol.asyncDispose]() {
      paused.promise.catch(() => {}); // it ends now
      child.closeInput();
      await reading;
      await child[Symbol.asyncDispose]();
    },
  };
}
