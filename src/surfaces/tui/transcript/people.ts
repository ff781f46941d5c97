import { type CallBlock, type UserBlock, type UserState, wholeLines } from "./blocks.ts";
import { outputTail } from "./output-tail.ts";
import { type Memory, openCall } from "./memory.ts";

/** A command of the person while it runs. */
export type ShellEntry = {
  output(text: string): void;
  end(result: { readonly exitCode?: number; readonly signal?: string }): void;
};

export function addUser(memory: Memory, id: string, block: UserBlock): void {
  if (memory.waiting.has(id) || memory.users.has(id)) return settleUser(memory, id, block.state ?? "sent");
  if (block.state === "queued") return void memory.waiting.set(id, block);
  memory.users.set(id, memory.settled.length);
  memory.settled.push(block);
}

export function settleUser(memory: Memory, id: string, state: UserState | "sent"): void {
  if (state === "queued") return;
  const at = memory.users.get(id);
  const known = memory.waiting.get(id) ?? (at === undefined ? undefined : memory.settled[at]);
  if (known?.kind !== "user") return;
  const { state: _, ...rest } = known;
  const block: UserBlock = state === "sent" ? rest : { ...rest, state };
  if (at !== undefined) return void (memory.settled[at] = block);
  memory.waiting.delete(id);
  memory.users.set(id, memory.settled.length);
  memory.settled.push(block);
}

export function runShell(memory: Memory, id: string, command: string, now: () => number): ShellEntry {
  const key = ` ${id}`;
  const since = now();
  const output = outputTail(wholeLines);
  const block: CallBlock = { ...openCall(since), name: "$", detail: command, own: true, output };
  memory.running.set(key, block);
  return {
    output: (text) => output.push(text),
    end({ exitCode, signal }) {
      if (!memory.running.delete(key)) return;
      const ended = signal ?? (exitCode === undefined ? "not finished" : `exit ${exitCode}`);
      const state = exitCode === 0 ? { state: "ok" as const } : { state: "failed" as const, ended };
      memory.settled.push({ ...block, ...state, ms: now() - since });
    },
  };
}
