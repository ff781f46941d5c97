import { appendFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { startEditor } from "../../test/e2e/acp/editor.ts";
import { newThread } from "../../test/e2e/acp/thread.ts";
import { environment, newPlace } from "./place.ts";
import { processorMs } from "./processor.ts";

/** The whole program with an editor at it, as it is started by one. */
export type AcpSide = AsyncDisposable & {
  /** One prompt to its answer. */
  prompt(): Promise<Prompted>;
  /** Processor time of the agent since it began, codex not counted. */
  processor(): Promise<number>;
};

export type Prompted = { readonly endedMs: number; readonly done: boolean };

export async function acpSide(binary: string, modelUrl: string): Promise<AcpSide> {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await newPlace(binary, modelUrl));
  // They would be asked of the model beside the turn.
  await appendFile(join(place.home, "config.yaml"), "auxiliary: { title_generation: { enabled: false } }\n");
  const program = { command: resolve("bin/talaria"), args: ["acp"], cwd: place.cwd, env: environment(place) };
  const editor = opened.use(await startEditor(program, { patienceMs: 900_000 }));
  const thread = await newThread(editor, place.cwd);
  const kept = opened.move();
  return {
    async prompt() {
      const asked = systemClock.monotonic();
      const { stopReason } = await thread.prompt("go on");
      return { endedMs: systemClock.monotonic() - asked, done: stopReason === "end_turn" };
    },
    processor: () => processorMs(editor.pid),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
