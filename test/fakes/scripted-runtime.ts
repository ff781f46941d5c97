import type { EndedEvent, TurnEvent } from "../../src/core/events.ts";
import { type TurnId, asId } from "../../src/core/ids.ts";
import type { ModelReply } from "../../src/runtimes/runtime.suite.ts";
import type { Ports, Runtime, Steered, Turn } from "../../src/runtimes/runtime.ts";

/** A runtime in memory that plays what a test tells it: events as they are, or a function of turn and ports. */
export type Script = (turn: Turn, ports: Ports) => AsyncIterable<TurnEvent>;

export function scriptedRuntime(
  script: Script,
  also: { readonly steer?: (turn: TurnId) => Promise<Steered>; readonly recover?: Runtime["recover"] } = {},
): Runtime {
  const running = new Set<TurnId>();
  return {
    name: "scripted",
    async *run(turn, ports) {
      running.add(turn.id);
      try {
        yield { type: "started", runtime: "scripted", model: "scripted", cwd: turn.cwd };
        yield* script(turn, ports);
      } finally {
        running.delete(turn.id);
      }
    },
    steer: async (turn) => (running.has(turn) ? ((await also.steer?.(turn)) ?? "refused") : "refused"),
    recover: also.recover ?? (async () => []),
    async [Symbol.asyncDispose]() {},
  };
}

/** Ends the turn as done, with this answer. */
export async function* says(text: string, turn: Turn): AsyncIterable<TurnEvent> {
  yield { type: "item", item: { id: asId<"itm">(`${turn.id}_0`), kind: "text", text, phase: "answer" } };
  yield done(text);
}

export const done = (text: string, calls = 0): EndedEvent => ({
  type: "ended",
  outcome: "done",
  text,
  calls,
});

/** Plays model replies without any model: the smallest thing that keeps the runtime contract. */
export const playReplies = (replies: readonly ModelReply[], seen: string[]): Script =>
  async function* (turn, ports) {
    let place = 0;
    let calls = 0;
    const id = (): ReturnType<typeof asId<"itm">> => asId<"itm">(`${turn.id}_${place++}`);
    seen.push(JSON.stringify([(await turn.past()).history, turn.input]));
    for (const reply of replies) {
      if (ports.signal.aborted) return yield { type: "ended", outcome: "interrupted", text: "", calls };
      if (reply.httpStatus !== undefined) {
        const fault = { code: "auth", message: "the key was refused", next: "set another key" } as const;
        return yield { type: "ended", outcome: "failed", fault, text: "", calls };
      }
      if (reply.thinks !== undefined)
        yield { type: "item", item: { id: id(), kind: "thinking", text: reply.thinks } };
      if (reply.says !== undefined) {
        const item = { id: id(), kind: "text", text: reply.says } as const;
        yield { type: "delta", item: item.id, of: "text", text: reply.says };
        if (reply.hangs === true) {
          await aborted(ports.signal);
          return yield { type: "ended", outcome: "interrupted", text: "", calls };
        }
        yield { type: "item", item };
      }
      for (const call of reply.calls ?? []) {
        const open = { id: id(), kind: "call", tool: call.tool, args: call.args } as const;
        yield { type: "begin", item: open };
        const written: string[] = [];
        const keep = (text: string): number => written.push(text);
        const { ok, output } = await ports.tools.call(call.tool, call.args, ports.signal, keep);
        for (const text of written) yield { type: "delta", item: open.id, of: "output", text };
        seen.push(output);
        calls += 1;
        yield { type: "item", item: { ...open, callId: `call_${open.id}`, ok, output } };
      }
      if (reply.calls === undefined) return yield done(reply.says ?? "", calls);
    }
    yield { type: "ended", outcome: ports.signal.aborted ? "interrupted" : "done", text: "", calls };
  };

export const aborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
