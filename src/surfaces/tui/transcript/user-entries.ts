import { type CallBlock, type UserBlock, type UserState, wholeLines } from "./blocks.ts";
import { outputTail } from "./output-tail.ts";
import { type TranscriptState, openCall } from "./transcript-state.ts";

/** A command of the person while it runs. */
export type ShellEntry = {
  output(text: string): void;
  end(result: { readonly exitCode?: number; readonly signal?: string }): void;
};

export function addUser(transcript: TranscriptState, id: string, block: UserBlock): void {
  if (transcript.waiting.has(id) || transcript.users.has(id))
    return settleUser(transcript, id, block.state ?? "sent");
  if (block.state === "sending" || block.state === "queued") return void transcript.waiting.set(id, block);
  transcript.users.set(id, transcript.settled.length);
  transcript.settled.push(block);
}

export function settleUser(transcript: TranscriptState, id: string, state: UserState | "sent"): void {
  const waits = transcript.waiting.get(id);
  if (state === "sending" || state === "queued")
    return void (waits && transcript.waiting.set(id, { ...waits, state }));
  const at = transcript.users.get(id);
  const known = waits ?? (at === undefined ? undefined : transcript.settled[at]);
  if (known?.kind !== "user") return;
  const { state: _, ...rest } = known;
  const block: UserBlock = state === "sent" ? rest : { ...rest, state };
  if (at !== undefined) return void (transcript.settled[at] = block);
  transcript.waiting.delete(id);
  transcript.users.set(id, transcript.settled.length);
  transcript.settled.push(block);
}

export function runShell(
  transcript: TranscriptState,
  id: string,
  command: string,
  now: () => number,
): ShellEntry {
  const key = ` ${id}`;
  const since = now();
  const output = outputTail(wholeLines);
  const block: CallBlock = { ...openCall(since), name: "$", detail: command, byPerson: true, output };
  transcript.running.set(key, block);
  return {
    output: (text) => output.push(text),
    end({ exitCode, signal }) {
      if (!transcript.running.delete(key)) return;
      const ended = signal ?? (exitCode === undefined ? "not finished" : `exit ${exitCode}`);
      const state = exitCode === 0 ? { state: "ok" as const } : { state: "failed" as const, ended };
      transcript.settled.push({ ...block, ...state, ms: now() - since });
    },
  };
}
