import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "../../test/temp-folder.ts";
import type { Decision, Question } from "../core/asking.ts";
import { asId } from "../core/ids.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { toolBox } from "./registry.ts";
import type { Tool, ToolResult, TurnContext } from "./tool.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

/** A working folder beside one that is none of its business, and tools as a model meets them. */
export type ToolBench = AsyncDisposable & {
  readonly top: string;
  readonly cwd: string;
  readonly asked: Question[];
  /** Called while a question is open. */
  onAsk: () => Promise<void> | void;
  decision: Decision;
  call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
};

export async function toolBench(
  tools: readonly Tool[],
  clock: Clock = systemClock,
  mask: (text: string) => string = (text) => text,
): Promise<ToolBench> {
  const temp = await tempFolder();
  const { path: top } = temp;
  const cwd = join(top, "repo");
  await mkdir(cwd);
  const bench: ToolBench = {
    top,
    cwd,
    asked: [],
    onAsk: () => {},
    decision: { choice: "once", why: "person" },
    call: (name, args, signal = new AbortController().signal) => box.call(name, args, signal),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
  const context: TurnContext = {
    session: asId<"ses">("ses_0000000001"),
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
    cwd,
    clock,
    inquire: async () => undefined,
    async ask(question) {
      bench.asked.push(question);
      await bench.onAsk();
      return bench.decision;
    },
  };
  const box = toolBox(tools, context, { mask });
  return bench;
}
