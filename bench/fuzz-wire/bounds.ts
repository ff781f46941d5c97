import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { defaultMaxLineBytes, lines } from "../../src/lib/rpc/jsonl.ts";
import type { AppServer } from "../../src/runtimes/codex/process/app-server.ts";

const mib = 1024 * 1024;
/** Three times the longest line. */
const mostRise = 3 * defaultMaxLineBytes;
const soon = { signal: AbortSignal.timeout(120_000), timeoutMs: 60_000 };

/** Greets as codex does, then does as it likes. */
const greet = (then: string): string => `
process.on("uncaughtException", () => process.exit(0));
process.stdin.once("data", () => {
  process.stdout.write('{"id":1,"result":{"userAgent":"fake/1"}}\\n');
  process.stdin.once("data", () => { ${then} });
});`;

/** A codex that goes too far: how, what we ask of it, and how that must end. */
export const bounds = {
  "64 MiB without a newline": {
    script: greet(`
      const piece = "x".repeat(1 << 20);
      let left = 64;
      const more = () => left-- > 0 && process.stdout.write(piece, more);
      more();`),
    ask: (server: AppServer): Promise<unknown> => server.request("flood", {}, soon),
    ends: "line-too-long",
    says: /too large/,
  },
  "100 MiB of stderr": {
    script: greet(`
      let left = 100;
      const more = () => left-- > 0
        ? process.stderr.write("y".repeat(1 << 20), more)
        : process.stdout.write('{"id":2,"result":"done"}\\n');
      more();`),
    ask: (server: AppServer): Promise<unknown> => server.request("flood", {}, soon),
    ends: "answered",
    says: /done/,
  },
  "a pile of input that is not read": {
    script: greet(`process.stdin.pause(); setInterval(() => {}, 1000);`),
    ask: async (server: AppServer): Promise<unknown> => {
      const text = "x".repeat(mib);
      return Promise.all(Array.from({ length: 32 }, () => server.request("inject", { text }, soon)));
    },
    ends: "write-stuck",
    says: /does not accept input/,
  },
  "one input that is not read": {
    script: greet(`process.stdin.pause(); setInterval(() => {}, 1000);`),
    ask: (server: AppServer): Promise<unknown> =>
      server.request("inject", { text: "x".repeat(2 * mib) }, { ...soon, timeoutMs: 30_000 }),
    ends: "write-stuck",
    says: /does not accept input/,
  },
} as const;

export type BoundName = keyof typeof bounds;

export type Bound = {
  readonly name: BoundName;
  /** `answered`, or why the app-server is gone. */
  readonly end: string;
  readonly words: string;
  readonly ms: number;
  readonly rssStart: number;
  readonly rssPeak: number;
};

export const boundNames = Object.keys(bounds) as readonly BoundName[];

export const isKept = ({ name, end, words, rssStart, rssPeak }: Bound): boolean =>
  end === bounds[name].ends && bounds[name].says.test(words) && rssPeak - rssStart <= mostRise;

export async function measureBound(name: BoundName): Promise<Bound> {
  await using child = await spawnChild({
    command: process.execPath,
    args: [fileURLToPath(new URL("bounds.child.ts", import.meta.url)), name],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    kind: "fuzz-wire-bound",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  for await (const line of lines(child.stdout)) return JSON.parse(line) as Bound;
  const { stderrTail } = await child.exited;
  throw new Error(`${name}: nothing was measured. ${stderrTail}`);
}
