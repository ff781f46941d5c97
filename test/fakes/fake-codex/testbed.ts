import type { Child } from "../../../src/lib/process/child.ts";
import { drive, type Driver, initialize, pick, text, type WireLine } from "./driver.ts";
import { type FakeChild, fakeChild, type FakeChildOptions } from "./fake-child.ts";

/** A client that has said hello to a fake in memory and started a thread. */
export type Bed = AsyncDisposable & {
  readonly child: FakeChild;
  readonly driver: Driver;
  readonly thread: string;
  /** Everything that came out, as it came. */
  readonly raw: () => Buffer;
  turn(words?: string): Promise<string>;
  /** What came from the server, each frame in a word: its method, or “= method” for an answer. */
  readonly heard: () => readonly string[];
};

export async function makeBed(script: object, options: FakeChildOptions = {}): Promise<Bed> {
  const child = fakeChild(script, options);
  const chunks: Uint8Array[] = [];
  const driver = drive({ ...child, stdout: tee(child, chunks) });
  await initialize(driver);
  const answer = await driver.call("thread/start", { cwd: "/w" });
  const thread = String(pick(answer, "result", "thread", "id"));
  return {
    child,
    driver,
    thread,
    raw: () => Buffer.concat(chunks),
    heard: () => words(driver.wire),
    async turn(said = "go") {
      const params = { threadId: thread, input: [text(said)] };
      return String(pick(await driver.call("turn/start", params), "result", "turn", "id"));
    },
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}

export function words(wire: readonly WireLine[]): readonly string[] {
  const asked = new Map(wire.filter(({ dir }) => dir === "c>s").map(({ msg }) => [msg["id"], msg["method"]]));
  return wire
    .filter(({ dir }) => dir === "s>c")
    .map(({ msg }) => String(msg["method"] ?? `= ${String(asked.get(msg["id"]))}`));
}

async function* tee(child: Child, chunks: Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of child.stdout) {
    chunks.push(chunk);
    yield chunk;
  }
}

/** Lets everything run that is ready to. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
